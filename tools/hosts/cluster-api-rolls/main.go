// cluster-api-rolls says what Cluster API itself makes of a changed MachineDeployment: one case a line on stdin as JSON, with
// the object before and after, on stdout whether its Machines are up to date, and else what they lack. Those that are not
// are replaced, one after the other.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment/mdutil"
)

type question struct {
	Before clusterv1.MachineDeployment `json:"before"`
	After  clusterv1.MachineDeployment `json:"after"`
}

type answer struct {
	UpToDate bool     `json:"upToDate"`
	Lacking  []string `json:"lacking"`
}

func main() {
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	encoder := json.NewEncoder(os.Stdout)
	for {
		var asked question
		err := decoder.Decode(&asked)
		if err == io.EOF {
			return
		}
		if err != nil {
			fail(err)
		}
		upToDate, result := mdutil.MachineTemplateUpToDate(&asked.Before.Spec.Template, &asked.After.Spec.Template)
		if err := encoder.Encode(answer{UpToDate: upToDate, Lacking: result.LogMessages}); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "cluster-api-rolls:", err)
	os.Exit(1)
}
