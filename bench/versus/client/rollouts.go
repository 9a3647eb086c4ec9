// Deployments until they are available, and a namespace until it is gone.
package main

import (
	"fmt"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

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
