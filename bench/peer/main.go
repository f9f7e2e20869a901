// The peer of the benchmark: a KRM function on kyaml's framework that reads the ResourceList and writes it back.
package main

import (
	"os"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
)

func main() {
	nothing := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil })
	if err := framework.Execute(nothing, nil); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
