package controller

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/sandbar-dev/sandbar/sdk/go/envtest"
	fleetv1 "github.com/sandbar-dev/sandbar/sdk/go/envtest/internal/operator/api/v1"
)

// This suite has the shape of kubebuilder's scaffold: the same statements, with envtest imported from here.

var (
	ctx       context.Context
	cancel    context.CancelFunc
	testEnv   *envtest.Environment
	cfg       *rest.Config
	k8sClient client.Client
)

func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)

	RunSpecs(t, "Controller Suite")
}

var _ = BeforeSuite(func() {
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))

	ctx, cancel = context.WithCancel(context.TODO())

	var err error
	err = fleetv1.AddToScheme(scheme.Scheme)
	Expect(err).NotTo(HaveOccurred())

	By("bootstrapping test environment")
	testEnv = &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
	}
	if binaries := findBinaries(); binaries != "" {
		testEnv.BinaryAssetsDirectory = binaries
	}

	cfg, err = testEnv.Start()
	Expect(err).NotTo(HaveOccurred())
	Expect(cfg).NotTo(BeNil())

	k8sClient, err = client.New(cfg, client.Options{Scheme: scheme.Scheme})
	Expect(err).NotTo(HaveOccurred())
	Expect(k8sClient).NotTo(BeNil())
})

var _ = AfterSuite(func() {
	By("tearing down the test environment")
	cancel()
	err := testEnv.Stop()
	Expect(err).NotTo(HaveOccurred())
})

// findBinaries returns the folder of programs that setup-envtest would have filled.
func findBinaries() string {
	folder := filepath.Join("..", "..", "bin", "k8s")
	entries, err := os.ReadDir(folder)
	if err != nil {
		logf.Log.Error(err, "Failed to read directory", "path", folder)
		return ""
	}
	for _, entry := range entries {
		if entry.IsDir() {
			return filepath.Join(folder, entry.Name())
		}
	}
	return ""
}
