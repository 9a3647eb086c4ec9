// Lists of 1,000 and 5,000 ConfigMaps as JSON, protobuf and Table: microseconds for each object, elapsed and of processor time.
package main

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// processorTicks is how much processor time a measurement must have, because it is counted in ticks.
const processorTicks = 50 * tick

func measureLists(plain, typed *kubernetes.Clientset, namespace string) {
	made := 0
	for _, count := range []int{1000, 5000} {
		inLanes(func(at int) {
			for i := made + at; i < count; i += lanes {
				create(typed, namespace, "listed-")
			}
		})
		made = count
		list("json", count, func() {
			_, err := plain.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
			check(err)
		})
		list("protobuf", count, func() {
			_, err := typed.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
			check(err)
		})
		list("table", count, func() {
			_, err := plain.CoreV1().RESTClient().Get().Namespace(namespace).Resource("configmaps").
				SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx)
			check(err)
		})
	}
}

func list(form string, count int, once func()) {
	once()
	var times []float64
	before := processorTime()
	for len(times) < 10 || processorTime()-before < processorTicks {
		start := time.Now()
		once()
		times = append(times, float64(time.Since(start).Microseconds())/float64(count))
	}
	name := fmt.Sprintf("list_of_%d_%s", count, form)
	figures[name+"_us"] = median(times)
	figures[name+"_processor_us"] = float64((processorTime() - before).Microseconds()) / float64(len(times)*count)
}
