// The harness by which kpt's catalog tests its examples: kpt-examples FOLDER runs each package below it that has a folder .expected.
package main

import (
	"os"
	"strings"
	"testing"

	"github.com/kptdev/kpt/pkg/test/runner"
)

func main() {
	folder := os.Args[1]
	os.Args = append([]string{os.Args[0], "-test.v"}, os.Args[2:]...)
	every := func(pattern, name string) (bool, error) { return strings.Contains(name, pattern), nil }
	testing.Main(every, []testing.InternalTest{{Name: "Examples", F: func(t *testing.T) { examples(t, folder) }}}, nil, nil)
}

func examples(t *testing.T, folder string) {
	cases, err := runner.ScanTestCases(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range *cases {
		t.Run(one.Path, func(t *testing.T) {
			r, err := runner.NewRunner(t, one, one.Config.TestType)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Run(); err != nil {
				t.Error(err)
			}
		})
	}
}
