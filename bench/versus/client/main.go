// The client that measures a cluster, whichever it is: client-go over https, eight at a time, without rate limits. Prints one JSON object.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	lanes    = 8
	listed   = 1000
	updates  = 200
	rollouts = 5
	many     = 100
	replicas = 10
)

var ctx = context.Background()

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster")
	seconds := flag.Int("seconds", 5, "of creations, and of gets")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	config.QPS = -1
	plain := clientOf(config, "application/json")
	typed := clientOf(config, "application/vnd.kubernetes.protobuf")
	namespace := fmt.Sprintf("versus-%d", time.Now().UnixNano()%1e9)
	_, err = typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	check(err)
	waitForAccount(typed, namespace)
	figures := map[string]float64{}
	for form, client := range map[string]*kubernetes.Clientset{"json": plain, "protobuf": typed} {
		figures["creates_per_second_"+form] = rate(*seconds, func() { create(client, namespace, "made-") })
		one := create(client, namespace, "read-")
		figures["gets_per_second_"+form] = rate(*seconds, func() {
			_, err := client.CoreV1().ConfigMaps(namespace).Get(ctx, one.Name, metav1.GetOptions{})
			check(err)
		})
	}
	check(typed.CoreV1().ConfigMaps(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	for i := 0; i < listed; i++ {
		create(typed, namespace, "listed-")
	}
	figures["list_json_us_per_object"] = list(plain, namespace)
	figures["list_protobuf_us_per_object"] = list(typed, namespace)
	figures["update_to_event_p50_ms"] = updateToEvent(typed, namespace)
	figures["deployment_of_3_available_ms"] = deployments(typed, namespace, rollouts)
	start := time.Now()
	available(typed, namespace, many, replicas)
	figures["100_deployments_of_10_available_s"] = time.Since(start).Seconds()
	start = time.Now()
	gone(typed, namespace)
	figures["namespace_of_all_that_gone_s"] = time.Since(start).Seconds()
	check(json.NewEncoder(os.Stdout).Encode(figures))
}

func clientOf(config *rest.Config, contentType string) *kubernetes.Clientset {
	own := rest.CopyConfig(config)
	own.ContentType = contentType
	own.AcceptContentTypes = contentType
	client, err := kubernetes.NewForConfig(own)
	check(err)
	return client
}

func waitForAccount(client *kubernetes.Clientset, namespace string) {
	for {
		if _, err := client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{}); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func create(client *kubernetes.Clientset, namespace, prefix string) *corev1.ConfigMap {
	text := ""
	for i := 0; i < 30; i++ {
		text += "level: info\n"
	}
	made, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{GenerateName: prefix, Labels: map[string]string{"app": "bench"}},
		Data:       map[string]string{"config.yaml": text},
	}, metav1.CreateOptions{})
	check(err)
	return made
}

// rate is how often it is done in a second, in all lanes.
func rate(seconds int, once func()) float64 {
	for i := 0; i < 200; i++ {
		once()
	}
	var count atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	end := start.Add(time.Duration(seconds) * time.Second)
	for i := 0; i < lanes; i++ {
		all.Go(func() {
			for time.Now().Before(end) {
				once()
				count.Add(1)
			}
		})
	}
	all.Wait()
	return float64(count.Load()) / time.Since(start).Seconds()
}

// list is microseconds for each object, the median of ten.
func list(client *kubernetes.Clientset, namespace string) float64 {
	var times []float64
	for i := 0; i < 11; i++ {
		start := time.Now()
		all, err := client.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
		check(err)
		times = append(times, float64(time.Since(start).Microseconds())/float64(len(all.Items)))
	}
	return median(times[1:])
}

func updateToEvent(client *kubernetes.Clientset, namespace string) float64 {
	one := create(client, namespace, "changed-")
	events, err := client.CoreV1().ConfigMaps(namespace).Watch(ctx, metav1.ListOptions{
		FieldSelector: "metadata.name=" + one.Name, ResourceVersion: one.ResourceVersion,
	})
	check(err)
	defer events.Stop()
	var times []float64
	for i := 0; i < updates; i++ {
		one.Data["at"] = fmt.Sprint(i)
		start := time.Now()
		one, err = client.CoreV1().ConfigMaps(namespace).Update(ctx, one, metav1.UpdateOptions{})
		check(err)
		for event := range events.ResultChan() {
			if event.Type == watch.Modified {
				break
			}
		}
		times = append(times, float64(time.Since(start).Microseconds())/1000)
	}
	return median(times)
}

func deployments(client *kubernetes.Clientset, namespace string, count int) float64 {
	var times []float64
	for i := 0; i < count; i++ {
		start := time.Now()
		available(client, namespace, 1, 3)
		times = append(times, float64(time.Since(start).Microseconds())/1000)
	}
	return median(times)
}

var made atomic.Int64

// available makes so many Deployments and waits until a watch has shown all of them available.
func available(client *kubernetes.Clientset, namespace string, count int, replicas int32) {
	round := fmt.Sprint(made.Add(1))
	labels := map[string]string{"round": round}
	events, err := client.AppsV1().Deployments(namespace).Watch(ctx, metav1.ListOptions{LabelSelector: "round=" + round})
	check(err)
	defer events.Stop()
	go func() {
		for i := 0; i < count; i++ {
			name := fmt.Sprintf("web-%s-%d", round, i)
			_, err := client.AppsV1().Deployments(namespace).Create(ctx, deployment(name, labels, replicas), metav1.CreateOptions{})
			check(err)
		}
	}()
	done := map[string]bool{}
	for event := range events.ResultChan() {
		if one, ok := event.Object.(*appsv1.Deployment); ok && one.Status.AvailableReplicas == replicas {
			done[one.Name] = true
		}
		if len(done) == count {
			return
		}
	}
	check(fmt.Errorf("the watch ended after %d of %d", len(done), count))
}

func deployment(name string, labels map[string]string, replicas int32) *appsv1.Deployment {
	own := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: own},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: own},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
			},
		},
	}
}

func gone(client *kubernetes.Clientset, namespace string) {
	check(client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
	for {
		_, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return
		}
		check(err)
		time.Sleep(50 * time.Millisecond)
	}
}

func median(values []float64) float64 {
	sort.Float64s(values)
	return values[len(values)/2]
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
