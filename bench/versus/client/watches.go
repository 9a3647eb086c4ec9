// An update until one watcher, and until the last of 100, has seen its event.
package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

const updates = 300

func measureWatches(client *kubernetes.Clientset, namespace string) {
	for _, count := range []int{1, 100} {
		one := create(client, namespace, "changed-")
		var watchers []watch.Interface
		for range count {
			watchers = append(watchers, watchOf(client, one))
		}
		var times []float64
		before := processorTime()
		for i := range updates {
			one.Data["at"] = fmt.Sprint(i)
			start := time.Now()
			changed, err := client.CoreV1().ConfigMaps(namespace).Update(ctx, one, metav1.UpdateOptions{})
			check(err)
			one = changed
			for _, watcher := range watchers {
				untilModified(watcher)
			}
			times = append(times, float64(time.Since(start).Microseconds())/1000)
		}
		spent := float64((processorTime() - before).Microseconds())
		name := fmt.Sprintf("update_to_event_of_%d_watchers", count)
		figures[name+"_p50_ms"] = median(times)
		figures[name+"_p99_ms"] = quantile(times, 0.99)
		figures[name+"_processor_us"] = spent / updates
		for _, watcher := range watchers {
			watcher.Stop()
		}
	}
}

func watchOf(client *kubernetes.Clientset, one *corev1.ConfigMap) watch.Interface {
	events, err := client.CoreV1().ConfigMaps(one.Namespace).Watch(ctx, metav1.ListOptions{
		FieldSelector: "metadata.name=" + one.Name, ResourceVersion: one.ResourceVersion,
	})
	check(err)
	return events
}

func untilModified(watcher watch.Interface) {
	for event := range watcher.ResultChan() {
		if event.Type == watch.Modified {
			return
		}
	}
}
