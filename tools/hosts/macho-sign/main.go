// macho-sign signs a Mach-O program ad hoc that has no signature: `macho-sign IDENTIFIER FILE`.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/blacktop/go-macho/pkg/codesign"
	"github.com/blacktop/go-macho/pkg/codesign/types"
)

const (
	magic64       = 0xfeedfacf
	headerSize    = 32
	segment64     = 0x19
	codeSignature = 0x1d
	commandSize   = 16
	// the largest page that darwin has
	page = 0x4000
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("macho-sign IDENTIFIER FILE"))
	}
	identifier, file := os.Args[1], os.Args[2]
	program, err := os.ReadFile(file)
	fail(err)
	signed, err := sign(program, identifier)
	fail(err)
	fail(os.WriteFile(file, signed, 0o755))
}

// sign returns the program with a signature, which is the last of its last segment. The library's own way writes the whole program anew,
// without what pads its segments.
func sign(program []byte, identifier string) ([]byte, error) {
	parts, err := find(program)
	if err != nil {
		return nil, err
	}
	order := binary.LittleEndian
	linkedit := order.Uint64(parts.linkedit[40:])
	if end := linkedit + order.Uint64(parts.linkedit[48:]); end != uint64(len(program)) {
		return nil, fmt.Errorf("__LINKEDIT ends at %d, and the program at %d", end, len(program))
	}
	code := append(bytes.Clone(program), make([]byte, aligned(len(program), 16)-len(program))...)
	if parts, err = find(code); err != nil {
		return nil, err
	}
	config := func() *codesign.Config {
		made := &codesign.Config{
			ID:         identifier,
			IsMain:     true,
			Flags:      types.ADHOC,
			CodeSize:   uint64(len(code)),
			TextOffset: order.Uint64(parts.text[40:]),
			TextSize:   order.Uint64(parts.text[48:]),
		}
		made.InitSlotHashes()
		return made
	}
	// how long it is does not depend on what is signed
	draft, err := codesign.Sign(bytes.NewReader(code), config())
	if err != nil {
		return nil, err
	}
	size := aligned(len(draft), 16)
	inLinkedit := len(code) - int(linkedit) + size
	order.PutUint64(parts.linkedit[48:], uint64(inLinkedit))
	order.PutUint64(parts.linkedit[32:], uint64(aligned(inLinkedit, page)))
	order.PutUint32(code[16:], order.Uint32(code[16:])+1)
	order.PutUint32(code[20:], order.Uint32(code[20:])+commandSize)
	for index, value := range []int{codeSignature, commandSize, len(code), size} {
		order.PutUint32(parts.free[4*index:], uint32(value))
	}
	signature, err := codesign.Sign(bytes.NewReader(code), config())
	if err != nil {
		return nil, err
	}
	return append(append(code, signature...), make([]byte, size-len(signature))...), nil
}

func aligned(size, to int) int { return (size + to - 1) / to * to }

// The load commands that a signature is about, and the room behind the last of them, as slices of the program.
type found struct{ text, linkedit, free []byte }

func find(program []byte) (parts found, err error) {
	order := binary.LittleEndian
	if len(program) < headerSize || order.Uint32(program) != magic64 {
		return parts, fmt.Errorf("not a Mach-O program of 64 bits")
	}
	at := headerSize
	for range order.Uint32(program[16:]) {
		command := program[at : at+int(order.Uint32(program[at+4:]))]
		switch order.Uint32(command) {
		case segment64:
			switch string(bytes.TrimRight(command[8:24], "\x00")) {
			case "__TEXT":
				parts.text = command
			case "__LINKEDIT":
				parts.linkedit = command
			}
		case codeSignature:
			return parts, fmt.Errorf("it is signed")
		}
		at += len(command)
	}
	parts.free = program[at : at+commandSize]
	if parts.text == nil || parts.linkedit == nil || !bytes.Equal(parts.free, make([]byte, commandSize)) {
		return parts, fmt.Errorf("no __TEXT, no __LINKEDIT, or no room for a load command")
	}
	return parts, nil
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "macho-sign:", err)
		os.Exit(1)
	}
}
