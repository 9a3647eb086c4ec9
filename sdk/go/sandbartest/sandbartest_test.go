package sandbartest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/sandbar-dev/sandbar/sdk/go/sandbartest"
)

func TestClustersOfParallelTestsAreTheirOwn(t *testing.T) {
	for _, name := range []string{"one", "two", "three"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := kubernetes.NewForConfigOrDie(sandbartest.New(t, sandbartest.Options{Sandbox: map[string]any{"nodes": 0}}))
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "mine"}}
			if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			all, err := client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=mine"})
			if err != nil || len(all.Items) != 1 {
				t.Fatalf("%d objects, %v", len(all.Items), err)
			}
		})
	}
}

func TestClusterIsDeletedWhenItsTestEnds(t *testing.T) {
	var cluster *sandbartest.Cluster
	t.Run("inner", func(t *testing.T) {
		cluster = sandbartest.NewCluster(t, sandbartest.Options{Sandbox: map[string]any{"nodes": 0}})
	})
	if _, err := cluster.Kubeconfig(t.Context()); err == nil || !strings.Contains(err.Error(), "not_found") {
		t.Fatalf("the cluster is still there: %v", err)
	}
}

func TestUserConfigHasTheRightsOfTheUser(t *testing.T) {
	cluster := sandbartest.NewCluster(t, sandbartest.Options{Sandbox: map[string]any{"nodes": 0}})
	config, err := cluster.UserConfig(t.Context(), "ada", "readers")
	if err != nil {
		t.Fatal(err)
	}
	_, err = kubernetes.NewForConfigOrDie(config).CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		t.Fatalf("want Forbidden, have %v", err)
	}
}

func TestRefusalSaysWhatIsWrong(t *testing.T) {
	_, err := sandbartest.Start(t.Context(), sandbartest.Options{Sandbox: map[string]any{"nodes": -1}})
	if err == nil || !strings.Contains(err.Error(), "nodes: must be at least 0 (invalid_field)") {
		t.Fatal(err)
	}
}

// The process that TestInterruptedProcessLeavesNoCluster interrupts.
func TestMain(m *testing.M) {
	if os.Getenv("SANDBARTEST_WAITS") == "" {
		os.Exit(m.Run())
	}
	cluster, err := sandbartest.Start(context.Background(), sandbartest.Options{Sandbox: map[string]any{"nodes": 0}})
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString(cluster.ID + "\n")
	time.Sleep(time.Minute)
}

func TestInterruptedProcessLeavesNoCluster(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), "SANDBARTEST_WAITS=1")
		output, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 64)
		count, _ := output.Read(line)
		id := strings.TrimSpace(string(line[:count]))
		if err := command.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait()
		if state, ok := command.ProcessState.Sys().(syscall.WaitStatus); !ok || state.Signal() != sent {
			t.Errorf("%v ended the process as %v", sent, command.ProcessState)
		}
		gone := sandbartest.Existing(id)
		if _, err := gone.Kubeconfig(t.Context()); err == nil || !strings.Contains(err.Error(), "not_found") {
			t.Errorf("%v left cluster %s: %v", sent, id, err)
		}
	}
}
