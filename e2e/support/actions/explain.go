package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// world is the first line that explain reads: whom the operator trusts, the time, the nodes, and all that was ever
// signed. Every further line is a list of objects that were rendered.
type world struct {
	At    time.Time `json:"at"`
	Trust struct {
		Cluster    string         `json:"cluster"`
		Keys       map[string]key `json:"keys"`
		Types      []string       `json:"types"`
		Signatures map[string]int `json:"signatures"`
		Images     []string       `json:"images"`
		Namespace  string         `json:"namespace"`
		// in milliseconds
		MaxLifetime  int64 `json:"maxLifetime"`
		MaxClockSkew int64 `json:"maxClockSkew"`
	} `json:"trust"`
	Limits       map[string]limits `json:"limits"`
	ControlPlane []string          `json:"controlPlane"`
	Signed       []json.RawMessage `json:"signed"`
}

// limits are those of a key.
type limits struct {
	Types     []string `json:"types"`
	IsRetired bool     `json:"isRetired"`
}

// allowed is what a signed action explains: Jobs by name, and fields of nodes.
type allowed struct {
	jobs   map[string]job
	fields map[string]bool
}

type job struct {
	account string
	args    string
	waits   string
}

type action struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Target struct {
		Kind, Name string
	} `json:"target"`
	Cluster    string `json:"cluster"`
	Parameters struct {
		Key, Value, Effect string
		Labels             map[string]string
	} `json:"parameters"`
	IssuedAt  time.Time  `json:"issuedAt"`
	NotBefore *time.Time `json:"notBefore"`
	ExpiresAt time.Time  `json:"expiresAt"`
}

// explains adds what one object explains. What is not signed as the trust asks for explains nothing.
func (w world) explains(raw json.RawMessage, to allowed) {
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var object map[string]any
	var read struct {
		Spec action `json:"spec"`
	}
	if decoder.Decode(&object) != nil || json.Unmarshal(raw, &read) != nil {
		return
	}
	one := read.Spec
	signatures := []map[string]any{}
	list, isJoint := object["signature"].([]any)
	if single, ok := object["signature"].(map[string]any); ok {
		signatures = append(signatures, single)
	}
	for _, entry := range list {
		signature, _ := entry.(map[string]any)
		signatures = append(signatures, signature)
	}
	digest, isRetired, by := "", false, map[string]bool{}
	for _, signature := range signatures {
		said, err := verifySignature(object, signature, w.Trust.Keys, isJoint)
		if err != nil {
			return
		}
		id, _ := signature["keyId"].(string)
		limit := w.Limits[id]
		if limit.Types != nil && !slices.Contains(limit.Types, one.Type) {
			return
		}
		digest, isRetired, by[id] = said, isRetired || limit.IsRetired, true
	}
	lifetime := one.ExpiresAt.Sub(one.IssuedAt).Milliseconds()
	skew := time.Duration(w.Trust.MaxClockSkew) * time.Millisecond
	hasBegun := !w.At.Before(one.IssuedAt.Add(-skew)) && (one.NotBefore == nil || !w.At.Before(*one.NotBefore))
	if len(by) < max(1, w.Trust.Signatures[one.Type]) || one.Cluster != w.Trust.Cluster || !hasBegun ||
		lifetime <= 0 || lifetime > w.Trust.MaxLifetime || !slices.Contains(w.Trust.Types, one.Type) ||
		one.Target.Kind != "Node" || slices.Contains(w.ControlPlane, one.Target.Name) {
		return
	}
	isValid := w.At.Before(one.ExpiresAt) && !isRetired
	node, taint := one.Target.Name, one.Parameters.Key+":"+one.Parameters.Effect
	name := func(verb string) string { return verb + "-" + node + "-" + digest }
	begins := func(verb string, what job) {
		if isValid {
			to.jobs[name(verb)] = what
		}
	}
	ends := func(taint string) {
		to.jobs[name("untaintnode")] = job{account: "nodefit-taint", args: "taint node " + node + " " + taint + "-"}
	}
	holds := func(field string) {
		// the document of a node that is given back has no fields
		to.fields[node] = true
		if isValid && field != "" {
			to.fields[node+" "+field] = true
		}
	}
	switch one.Type {
	case "cordonNode":
		holds("unschedulable=true")
	case "uncordonNode":
		holds("unschedulable=false")
	case "labelNode":
		for label, value := range one.Parameters.Labels {
			holds(label + "=" + value)
		}
	case "taintNode":
		text := taint
		if one.Parameters.Value != "" {
			text = one.Parameters.Key + "=" + one.Parameters.Value + ":" + one.Parameters.Effect
		}
		begins("taintnode", job{account: "nodefit-taint", args: "taint node " + node + " " + text + " --overwrite"})
		ends(taint)
	case "untaintNode":
		if isValid {
			ends(taint)
		}
	case "drainNode":
		holds("unschedulable=true")
		begins("drainnode", job{
			account: "nodefit-drain",
			args:    "drain " + node + " --ignore-daemonsets --timeout=600s",
			waits:   "wait node/" + node + " --for=jsonpath={.spec.unschedulable}=true --timeout=600s",
		})
		hold := "nodefit.dev/drain=" + one.ID + ":NoSchedule"
		begins("taintnode", job{account: "nodefit-taint", args: "taint node " + node + " " + hold + " --overwrite"})
		ends("nodefit.dev/drain:NoSchedule")
	}
}

type container struct {
	Name            string   `json:"name"`
	Image           string   `json:"image"`
	Args            []string `json:"args"`
	SecurityContext any      `json:"securityContext"`
}

type rendered struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name, Namespace string
		Labels          map[string]string
		Annotations     map[string]string
	} `json:"metadata"`
	Spec json.RawMessage `json:"spec"`
}

// jobSpec is all that a pod of a Job may have: another field makes the object unexplained.
type jobSpec struct {
	ActiveDeadlineSeconds int `json:"activeDeadlineSeconds"`
	BackoffLimit          int `json:"backoffLimit"`
	Template              struct {
		Spec struct {
			RestartPolicy      string      `json:"restartPolicy"`
			ServiceAccountName string      `json:"serviceAccountName"`
			SecurityContext    any         `json:"securityContext"`
			Affinity           any         `json:"affinity"`
			InitContainers     []container `json:"initContainers"`
			Containers         []container `json:"containers"`
		} `json:"spec"`
	} `json:"template"`
}

// unexplained says what of an object no signed action explains; empty where all of it is.
func (w world) unexplained(raw json.RawMessage, by allowed) string {
	var object rendered
	if err := json.Unmarshal(raw, &object); err != nil {
		return err.Error()
	}
	marks := object.Metadata.Annotations
	if marks["nodefit.dev/owner"] == "" && marks["nodefit.dev/fields"] == "" {
		return ""
	}
	name := object.Metadata.Name
	switch object.Kind {
	case "Job":
		decoder := json.NewDecoder(strings.NewReader(string(object.Spec)))
		decoder.DisallowUnknownFields()
		var spec jobSpec
		if err := decoder.Decode(&spec); err != nil {
			return "Job " + name + ": " + err.Error()
		}
		wanted, ok := by.jobs[name]
		pod := spec.Template.Spec
		said := ""
		for _, one := range append(slices.Clone(pod.InitContainers), pod.Containers...) {
			if !slices.ContainsFunc(w.Trust.Images, func(image string) bool {
				return one.Image == image || strings.HasSuffix(one.Image, image[strings.Index(image, "sha256:"):])
			}) {
				said = "image " + one.Image
			}
		}
		waits := ""
		for _, one := range pod.InitContainers {
			waits += strings.Join(one.Args, " ")
		}
		if !ok || len(pod.Containers) != 1 || strings.Join(pod.Containers[0].Args, " ") != wanted.args || waits != wanted.waits ||
			pod.ServiceAccountName != wanted.account || object.Metadata.Namespace != w.Trust.Namespace || said != "" {
			return "Job " + object.Metadata.Namespace + "/" + name + " " + said
		}
	case "Node":
		var spec map[string]any
		if len(object.Spec) > 0 && json.Unmarshal(object.Spec, &spec) != nil {
			return "Node " + name
		}
		fields := []string{name}
		for field, value := range spec {
			fields = append(fields, fmt.Sprintf("%s %s=%v", name, field, value))
		}
		for label, value := range object.Metadata.Labels {
			fields = append(fields, name+" "+label+"="+value)
		}
		for _, field := range fields {
			if !by.fields[field] {
				return "Node " + field
			}
		}
	}
	return ""
}

// explain prints a line for each list of objects: "explained", or what is not.
func explain() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(make([]byte, 1<<20), 1<<28)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var w world
	if !scanner.Scan() || json.Unmarshal(scanner.Bytes(), &w) != nil {
		fmt.Fprintln(os.Stderr, "the first line is no world")
		os.Exit(2)
	}
	by := allowed{jobs: map[string]job{}, fields: map[string]bool{}}
	for _, one := range w.Signed {
		w.explains(one, by)
	}
	for scanner.Scan() {
		var objects []json.RawMessage
		said := "explained"
		if err := json.Unmarshal(scanner.Bytes(), &objects); err != nil {
			said = err.Error()
		}
		for _, one := range objects {
			if wrong := w.unexplained(one, by); wrong != "" {
				said = "unexplained: " + wrong
			}
		}
		fmt.Fprintln(out, said)
	}
}
