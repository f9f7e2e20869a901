// kube-oracle answers questions with Kubernetes' own functions: one JSON case a line on stdin, its answer on stdout.
// testdata/kube/recorded.json was recorded with it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

type question struct {
	Op         string                `json:"op"`
	Text       string                `json:"text"`
	Node       *v1.Node              `json:"node"`
	Pod        *v1.Pod               `json:"pod"`
	Selector   *metav1.LabelSelector `json:"selector"`
	Labels     map[string]string     `json:"labels"`
	Toleration *v1.Toleration        `json:"toleration"`
	Taint      *v1.Taint             `json:"taint"`
	Comparison bool                  `json:"comparison"`
}

func orError(value any, err error) any {
	if err != nil {
		return "error"
	}
	return value
}

func answer(q question) any {
	switch q.Op {
	case "quantity":
		quantity, err := resource.ParseQuantity(q.Text)
		if err != nil {
			return "error"
		}
		number, suffix := quantity.CanonicalizeBytes(make([]byte, 0, 64))
		return fmt.Sprintf("%s%s %d %s", number, suffix, quantity.Value(), quantity.Format)
	case "duration":
		duration, err := time.ParseDuration(q.Text)
		return orError(fmt.Sprint(int64(duration)), err)
	case "label-value":
		return len(validation.IsValidLabelValue(q.Text)) == 0
	case "qualified-name":
		return len(validation.IsQualifiedName(q.Text)) == 0
	case "dns-label":
		return len(validation.IsDNS1123Label(q.Text)) == 0
	case "dns-subdomain":
		return len(validation.IsDNS1123Subdomain(q.Text)) == 0
	case "selector-text":
		selector, err := labels.Parse(q.Text)
		if err != nil {
			return "error"
		}
		return selector.Matches(labels.Set(q.Labels))
	case "label-selector":
		selector, err := metav1.LabelSelectorAsSelector(q.Selector)
		if err != nil {
			return "error"
		}
		return selector.Matches(labels.Set(q.Labels))
	case "affinity":
		match, err := nodeaffinity.GetRequiredNodeAffinity(q.Pod).Match(q.Node)
		return orError(match, err)
	case "toleration":
		return q.Toleration.ToleratesTaint(klog.Background(), q.Taint, q.Comparison)
	}
	return "unknown operation"
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			fmt.Fprintln(out, `"unreadable"`)
			continue
		}
		text, _ := json.Marshal(answer(q))
		fmt.Fprintf(out, "%s\n", text)
	}
}
