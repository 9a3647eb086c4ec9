package envtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sandbar-dev/sandbar/sdk/go/envtest"
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
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
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
	user, err := environment.AddUser(envtest.User{Name: "ada"}, nil)
	if err != nil || user.BearerToken == config.BearerToken {
		t.Fatalf("%v %v", user, err)
	}
}

func TestMissingFolderOfDefinitionsIsAnError(t *testing.T) {
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"nowhere"}, ErrorIfCRDPathMissing: true}
	if _, err := environment.Start(); err == nil {
		t.Fatal("it started")
	}
}
