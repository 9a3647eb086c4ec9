// The client that measures a cluster, whichever it is: client-go over https, eight requests at a time, without rate limits. Prints one JSON
// object: the name of each figure, and its value. Processor time is that of all processes of the cluster.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	lanes    = 8
	rollouts = 5
	many     = 100
	replicas = 10
)

var (
	ctx     = context.Background()
	figures = map[string]float64{}
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster")
	seconds := flag.Int("seconds", 4, "of each verb")
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
	measureVerbs(plain, namespace, "json", *seconds)
	measureVerbs(typed, namespace, "protobuf", *seconds)
	clear(typed, namespace)
	measureLists(plain, typed, namespace)
	clear(typed, namespace)
	measureWatches(typed, namespace)
	figures["deployment_of_3_available_ms"] = deployments(typed, namespace, rollouts)
	start, before := time.Now(), processorTime()
	available(typed, namespace, many, replicas)
	figures["100_deployments_of_10_available_s"] = time.Since(start).Seconds()
	figures["100_deployments_of_10_processor_s"] = (processorTime() - before).Seconds()
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

func clear(client *kubernetes.Clientset, namespace string) {
	check(client.CoreV1().ConfigMaps(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
}

func median(values []float64) float64 { return quantile(values, 0.5) }

func quantile(values []float64, part float64) float64 {
	sort.Float64s(values)
	return values[int(float64(len(values)-1)*part)]
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
