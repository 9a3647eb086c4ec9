// Each verb on a ConfigMap of 700 bytes, in all lanes at once: how often in a second, the latency, and the processor time of one.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
)

// warmUps is how often each lane does it before it is measured.
const warmUps = 50

// lane is a ConfigMap that one lane alone changes.
type lane struct {
	object *corev1.ConfigMap
	count  int
}

func measureVerbs(client *kubernetes.Clientset, namespace, form string, seconds int) {
	maps := client.CoreV1().ConfigMaps(namespace)
	var all [lanes]lane
	for at := range all {
		all[at].object = create(client, namespace, fmt.Sprintf("%s-%d-", form, at))
	}
	var names [lanes][]string
	measure("create_"+form, seconds, func(at int) bool {
		names[at] = append(names[at], create(client, namespace, "made-").Name)
		return true
	})
	measure("get_"+form, seconds, func(at int) bool {
		_, err := maps.Get(ctx, all[at].object.Name, metav1.GetOptions{})
		check(err)
		return true
	})
	measure("update_"+form, seconds, func(at int) bool {
		own := &all[at]
		own.count++
		own.object.Data["at"] = fmt.Sprint(own.count)
		changed, err := maps.Update(ctx, own.object, metav1.UpdateOptions{})
		check(err)
		own.object = changed
		return true
	})
	measure("patch_"+form, seconds, func(at int) bool {
		own := &all[at]
		own.count++
		patch := fmt.Appendf(nil, `{"data":{"at":"%d"}}`, own.count)
		_, err := maps.Patch(ctx, own.object.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		check(err)
		return true
	})
	measure("apply_"+form, seconds, func(at int) bool {
		own := &all[at]
		own.count++
		applied := applycorev1.ConfigMap(own.object.Name+"-applied", namespace).
			WithLabels(map[string]string{"app": "bench"}).
			WithData(map[string]string{"config.yaml": content, "at": fmt.Sprint(own.count)})
		_, err := maps.Apply(ctx, applied, metav1.ApplyOptions{FieldManager: "versus"})
		check(err)
		return true
	})
	measure("delete_"+form, seconds, func(at int) bool {
		own := names[at]
		if len(own) == 0 {
			return false
		}
		check(maps.Delete(ctx, own[0], metav1.DeleteOptions{}))
		names[at] = own[1:]
		return true
	})
}

// measure does it in all lanes until the time is over, or until a lane says that it has no more.
func measure(name string, seconds int, once func(lane int) bool) {
	inLanes(func(at int) {
		for i := 0; i < warmUps && once(at); i++ {
		}
	})
	var count atomic.Int64
	var latencies [lanes][]float64
	start, before := time.Now(), processorTime()
	end := start.Add(time.Duration(seconds) * time.Second)
	inLanes(func(at int) {
		for time.Now().Before(end) {
			begun := time.Now()
			if !once(at) {
				return
			}
			latencies[at] = append(latencies[at], float64(time.Since(begun).Microseconds())/1000)
			count.Add(1)
		}
	})
	spent, elapsed, done := processorTime()-before, time.Since(start), float64(count.Load())
	var together []float64
	for _, own := range latencies {
		together = append(together, own...)
	}
	figures[name+"_per_second"] = done / elapsed.Seconds()
	figures[name+"_p99_ms"] = quantile(together, 0.99)
	figures[name+"_processor_us"] = float64(spent.Microseconds()) / done
}

func inLanes(each func(lane int)) {
	var all sync.WaitGroup
	for at := range lanes {
		all.Go(func() { each(at) })
	}
	all.Wait()
}

var content = func() string {
	text := ""
	for range 30 {
		text += "level: info\n"
	}
	return text
}()

func create(client *kubernetes.Clientset, namespace, prefix string) *corev1.ConfigMap {
	made, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{GenerateName: prefix, Labels: map[string]string{"app": "bench"}},
		Data:       map[string]string{"config.yaml": content},
	}, metav1.CreateOptions{})
	check(err)
	return made
}
