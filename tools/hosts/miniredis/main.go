// Command miniredis keeps in memory what Argo CD's servers share: a Redis on the address that is its only argument.
package main

import (
	"log"
	"os"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// miniredis has a clock of its own, which somebody has to move: without it nothing would ever expire.
const tick = 100 * time.Millisecond

func main() {
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	for range time.Tick(tick) {
		server.FastForward(tick)
	}
}
