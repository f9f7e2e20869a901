// karpenter-counts says what Karpenter itself counts for DaemonSets on a new node: one case a line on stdin as JSON, on
// stdout for each NodePool and instance type that it allows the sum of requests. It makes Karpenter's scheduler and reads
// the overhead that it holds, by instance type, before any pod is placed. With pods in the case it has the scheduler place
// them instead, and says the machines that it would make, each with its pods.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"unsafe"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	controllerruntime "sigs.k8s.io/controller-runtime"

	"github.com/go-logr/logr"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	requirements "sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/daemonset"
)

type offering struct {
	Zone         string `json:"zone"`
	CapacityType string `json:"capacityType"`
}

type instanceType struct {
	Name         string                           `json:"name"`
	Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
	Offerings    []offering                       `json:"offerings"`
	Capacity     corev1.ResourceList              `json:"capacity"`
}

type question struct {
	WellKnown     []string            `json:"wellKnown"`
	NodePools     []*v1.NodePool      `json:"nodePools"`
	InstanceTypes []instanceType      `json:"instanceTypes"`
	DaemonSets    []*appsv1.DaemonSet `json:"daemonSets"`
	Pods          []*corev1.Pod       `json:"pods"`
}

type machine struct {
	NodePool string   `json:"nodePool"`
	Pods     []string `json:"pods"`
}

type count struct {
	NodePool string              `json:"nodePool"`
	Type     string              `json:"type"`
	Sum      corev1.ResourceList `json:"sum"`
}

type silent struct{}

func (silent) Publish(...events.Event) {}

func (one instanceType) toKarpenter() *cloudprovider.InstanceType {
	made := &cloudprovider.InstanceType{
		Name:         one.Name,
		Requirements: requirements.NewNodeSelectorRequirements(one.Requirements...),
		Capacity:     one.Capacity,
		Overhead:     &cloudprovider.InstanceTypeOverhead{},
	}
	for _, offered := range one.Offerings {
		made.Offerings = append(made.Offerings, &cloudprovider.Offering{
			Available: true,
			Price:     1,
			Requirements: requirements.NewLabelRequirements(map[string]string{
				v1.CapacityTypeLabelKey:  offered.CapacityType,
				corev1.LabelTopologyZone: offered.Zone,
			}),
		})
	}
	return made
}

func answer(ctx context.Context, q question) (any, error) {
	v1.WellKnownLabels.Insert(q.WellKnown...)
	types := map[string][]*cloudprovider.InstanceType{}
	for _, pool := range q.NodePools {
		for _, one := range q.InstanceTypes {
			types[pool.Name] = append(types[pool.Name], one.toKarpenter())
		}
	}
	var pods []*corev1.Pod
	for _, one := range q.DaemonSets {
		pods = append(pods, daemonset.PodForDaemonSet(one))
	}
	cluster := state.NewCluster(clock.RealClock{}, nil, nil)
	topology, err := scheduling.NewTopology(ctx, nil, cluster, nil, q.NodePools, types, q.Pods)
	if err != nil {
		return nil, err
	}
	scheduler := scheduling.NewScheduler(
		ctx, nil, q.NodePools, cluster, nil, topology, types, pods, silent{}, clock.RealClock{}, nil, nil,
	)
	if q.Pods != nil {
		return place(ctx, scheduler, q.Pods)
	}
	return counts(scheduler), nil
}

func place(ctx context.Context, scheduler *scheduling.Scheduler, pods []*corev1.Pod) ([]machine, error) {
	results, err := scheduler.Solve(ctx, pods)
	if err != nil {
		return nil, err
	}
	machines := []machine{}
	for _, claim := range results.NewNodeClaims {
		made := machine{NodePool: claim.NodePoolName}
		for _, pod := range claim.Pods {
			made.Pods = append(made.Pods, pod.Name)
		}
		machines = append(machines, made)
	}
	return machines, nil
}

func counts(scheduler *scheduling.Scheduler) []count {
	field := reflect.ValueOf(scheduler).Elem().FieldByName("daemonOverheadGroups")
	groups := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().
		Interface().(map[*scheduling.NodeClaimTemplate][]scheduling.DaemonOverheadGroup)
	counts := []count{}
	for template, own := range groups {
		for _, group := range own {
			for _, one := range group.InstanceTypes {
				counts = append(counts, count{NodePool: template.NodePoolName, Type: one.Name, Sum: group.DaemonOverhead})
			}
		}
	}
	sort.Slice(counts, func(i, j int) bool {
		return counts[i].NodePool+" "+counts[i].Type < counts[j].NodePool+" "+counts[j].Type
	})
	return counts
}

func main() {
	ctx := controllerruntime.LoggerInto(options.ToContext(context.Background(), &options.Options{}), logr.Discard())
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<28)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answered, err := answer(ctx, q)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		text, err := json.Marshal(answered)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(out, string(text))
	}
}
