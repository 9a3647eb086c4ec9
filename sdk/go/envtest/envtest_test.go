package envtest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sandbar-dev/sandbar/sdk/go/envtest"
	"github.com/sandbar-dev/sandbar/sdk/go/sandbartest"
)

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ships.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { plural: ships, singular: ship, kind: Ship, listKind: ShipList }
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`

func TestSuiteOfAnOperatorRuns(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "ships.yaml"), []byte(definition), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{folder}, ErrorIfCRDPathMissing: true}
	config := started(t, environment)
	cluster, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ship := &unstructured.Unstructured{}
	ship.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Ship"})
	ship.SetNamespace("default")
	ship.SetName("albatross")
	if err := cluster.Create(t.Context(), ship); err != nil {
		t.Fatal(err)
	}
	found := ship.NewEmptyInstance().(*unstructured.Unstructured)
	found.SetGroupVersionKind(ship.GroupVersionKind())
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(ship), found); err != nil || found.GetUID() == "" {
		t.Fatalf("%v %v", found, err)
	}
	user, err := environment.AddUser(envtest.User{Name: "ada"}, &rest.Config{QPS: 7})
	if err != nil || user.Config().BearerToken == config.BearerToken || user.Config().QPS != 7 {
		t.Fatalf("%v %v", user, err)
	}
	for _, text := range [][]byte{environment.KubeConfig, must(user.KubeConfig())} {
		read, err := clientcmd.RESTConfigFromKubeConfig(text)
		if err != nil || read.Host != config.Host {
			t.Fatalf("%v %v", read, err)
		}
		if _, err := discovery.NewDiscoveryClientForConfigOrDie(read).ServerVersion(); err != nil {
			t.Fatal(err)
		}
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

func TestMissingFolderOfDefinitionsIsAnError(t *testing.T) {
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"nowhere"}, ErrorIfCRDPathMissing: true}
	if _, err := environment.Start(); err == nil {
		t.Fatal("it started")
	}
}

func TestDownloadedVersionIsTheVersionOfTheSandbox(t *testing.T) {
	environment := &envtest.Environment{DownloadBinaryAssets: true, DownloadBinaryAssetsVersion: "v1.35.2", BinaryAssetsDirectory: "nowhere"}
	config := started(t, environment)
	version, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerVersion()
	if err != nil || version.Minor != "35" {
		t.Fatalf("%v %v", version, err)
	}
}

func TestExistingClusterIsUsedAndRemains(t *testing.T) {
	cluster := sandbartest.NewCluster(t, sandbartest.Options{Sandbox: map[string]any{"nodes": 0}})
	isUsed := true
	environment := &envtest.Environment{Config: cluster.Config(), UseExistingCluster: &isUsed}
	config, err := environment.Start()
	if err != nil || config.Host != cluster.Server {
		t.Fatalf("%v %v", config, err)
	}
	if err := environment.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Kubeconfig(t.Context()); err != nil {
		t.Fatalf("the existing cluster is gone: %v", err)
	}
}

func TestFlagsOfTheServerAreThoseOfTheSandbox(t *testing.T) {
	environment := &envtest.Environment{}
	flags := environment.ControlPlane.GetAPIServer().Configure()
	flags.Set("service-cluster-ip-range", "10.43.0.0/16").Append("feature-gates", "WatchList=false").Set("v", "2")
	config := started(t, environment)
	cluster, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := &corev1.Service{}
	if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "kubernetes"}, service); err != nil {
		t.Fatal(err)
	}
	if service.Spec.ClusterIP != "10.43.0.1" || environment.ControlPlane.APIURL().String() != config.Host {
		t.Fatalf("%s %s", service.Spec.ClusterIP, environment.ControlPlane.APIURL())
	}
}

func TestSettingThatASandboxCannotHaveIsAnError(t *testing.T) {
	for words, set := range map[string]func(*envtest.APIServer){
		"--encryption-provider-config=x: a sandbox does not have this flag": func(server *envtest.APIServer) {
			server.Configure().Set("encryption-provider-config", "x")
		},
		"--authorization-mode=AlwaysAllow: a sandbox has only RBAC or Node,RBAC": func(server *envtest.APIServer) {
			server.Configure().Set("authorization-mode", "AlwaysAllow")
		},
		"the service chooses the address": func(server *envtest.APIServer) { server.SecureServing.Port = "6443" },
	} {
		environment := &envtest.Environment{}
		set(environment.ControlPlane.GetAPIServer())
		if _, err := environment.Start(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("want %q, have %v", words, err)
		}
	}
}

func TestTimeoutOfTheStartIsTheCreations(t *testing.T) {
	environment := &envtest.Environment{ControlPlaneStartTimeout: time.Nanosecond}
	if _, err := environment.Start(); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func started(t *testing.T, environment *envtest.Environment) *rest.Config {
	t.Helper()
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	return config
}
