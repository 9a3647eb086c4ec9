// Package envtest takes the place of sigs.k8s.io/controller-runtime/pkg/envtest in a test suite: an Environment with the same fields and
// methods, whose control plane is a sandbox. No programs are downloaded. As in envtest no controllers run, unless Sandbox says otherwise.
package envtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	upstream "sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sandbar-dev/sandbar/sdk/go/sandbartest"
)

// Environment is a control plane for a test suite. Its fields are upstream's, and Sandbox.
type Environment struct {
	// Sandbox has the service and further settings of the sandbox. Its nodes are 0 and its controllers off by default.
	Sandbox sandbartest.Options

	// ControlPlane configures the API server: the README lists the flags that a sandbox has. Start returns an error for a flag,
	// an address or an authentication that a sandbox cannot have. Paths of programs, writers and etcd's settings have no effect.
	ControlPlane ControlPlane

	Scheme *runtime.Scheme
	// Config is the configuration of an administrator's client, set by Start. With UseExistingCluster it names the cluster.
	Config *rest.Config
	// KubeConfig is the kubeconfig of Config, set by Start if it is empty.
	KubeConfig            []byte
	CRDInstallOptions     CRDInstallOptions
	WebhookInstallOptions WebhookInstallOptions
	ErrorIfCRDPathMissing bool
	CRDs                  []*apiextensionsv1.CustomResourceDefinition
	CRDDirectoryPaths     []string

	// DownloadBinaryAssets downloads nothing: it makes DownloadBinaryAssetsVersion count.
	DownloadBinaryAssets bool
	// DownloadBinaryAssetsVersion is the version of Kubernetes, such as v1.36.0, of which the minor version counts.
	DownloadBinaryAssetsVersion string
	// DownloadBinaryAssetsIndexURL has no effect.
	DownloadBinaryAssetsIndexURL string
	// BinaryAssetsDirectory has no effect.
	BinaryAssetsDirectory string

	// UseExistingCluster uses the cluster of Config, or of the kubeconfig, instead of a sandbox, as upstream does. Its default is the
	// variable USE_EXISTING_CLUSTER.
	UseExistingCluster *bool
	// ControlPlaneStartTimeout is the time that the creation of the sandbox may take; by default three minutes.
	ControlPlaneStartTimeout time.Duration
	// ControlPlaneStopTimeout has no effect: a deletion takes at most ten seconds.
	ControlPlaneStopTimeout time.Duration
	// AttachControlPlaneOutput has no effect: a sandbox has no processes with an output.
	AttachControlPlaneOutput bool

	cluster *sandbartest.Cluster
	// existing installs definitions and webhooks.
	existing *upstream.Environment
}

// Start makes the sandbox, installs the definitions and webhooks, and returns the configuration of a client.
func (e *Environment) Start() (*rest.Config, error) {
	if e.useExistingCluster() {
		return e.install()
	}
	options, err := e.options()
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if e.ControlPlaneStartTimeout > 0 {
		limited, cancel := context.WithTimeout(ctx, e.ControlPlaneStartTimeout)
		defer cancel()
		ctx = limited
	}
	cluster, err := sandbartest.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	e.cluster = cluster
	e.Config = cluster.Config()
	if len(e.KubeConfig) == 0 {
		if e.KubeConfig, err = kubeconfigOf(e.Config); err != nil {
			return nil, errors.Join(err, cluster.Stop())
		}
	}
	e.describeServer()
	config, err := e.install()
	if err != nil {
		return nil, errors.Join(err, cluster.Stop())
	}
	return config, nil
}

// install installs definitions and webhooks in the cluster of Config with upstream's code.
func (e *Environment) install() (*rest.Config, error) {
	useExisting := true
	e.existing = &upstream.Environment{
		Config:                e.Config,
		KubeConfig:            e.KubeConfig,
		UseExistingCluster:    &useExisting,
		Scheme:                e.Scheme,
		CRDInstallOptions:     e.CRDInstallOptions,
		WebhookInstallOptions: e.WebhookInstallOptions,
		ErrorIfCRDPathMissing: e.ErrorIfCRDPathMissing,
		CRDs:                  e.CRDs,
		CRDDirectoryPaths:     e.CRDDirectoryPaths,
	}
	config, err := e.existing.Start()
	e.Scheme, e.Config, e.KubeConfig = e.existing.Scheme, e.existing.Config, e.existing.KubeConfig
	e.CRDInstallOptions, e.CRDs = e.existing.CRDInstallOptions, e.existing.CRDs
	e.WebhookInstallOptions = e.existing.WebhookInstallOptions
	return config, err
}

func (e *Environment) useExistingCluster() bool {
	if e.UseExistingCluster == nil {
		return os.Getenv("USE_EXISTING_CLUSTER") == "true"
	}
	return *e.UseExistingCluster
}

var minorVersion = regexp.MustCompile(`^v?(\d+\.\d+)(\.\d+)?$`)

// options returns the options of the sandbox: the defaults, then what the fields of upstream's Environment ask for, then Sandbox.
func (e *Environment) options() (sandbartest.Options, error) {
	options := e.Sandbox
	sandbox := map[string]any{"nodes": 0, "controllers": "off"}
	if e.DownloadBinaryAssets && e.DownloadBinaryAssetsVersion != "" {
		match := minorVersion.FindStringSubmatch(e.DownloadBinaryAssetsVersion)
		if match == nil {
			return options, fmt.Errorf("DownloadBinaryAssetsVersion: %q is no version such as v1.36.0", e.DownloadBinaryAssetsVersion)
		}
		sandbox["version"] = match[1]
	}
	fields, err := serverFields(e.ControlPlane.APIServer)
	if err != nil {
		return options, err
	}
	maps.Copy(sandbox, fields)
	maps.Copy(sandbox, options.Sandbox)
	options.Sandbox = sandbox
	return options, nil
}

// AddUser returns another user of the cluster. The configuration of a client begins with the settings of base, which may be nil.
func (e *Environment) AddUser(user User, base *rest.Config) (*AuthenticatedUser, error) {
	if e.cluster == nil {
		return nil, errors.New("the environment has no sandbox: start it, without UseExistingCluster")
	}
	config, err := e.cluster.UserConfig(context.Background(), user.Name, user.Groups...)
	if err != nil {
		return nil, err
	}
	if base != nil {
		copied := rest.CopyConfig(base)
		copied.Host, copied.BearerToken = config.Host, config.BearerToken
		copied.CAData, copied.CAFile = config.CAData, config.CAFile
		config = copied
	}
	return &AuthenticatedUser{config: config, kubectlPath: e.ControlPlane.KubectlPath}, nil
}

// Stop deletes the sandbox. Of an existing cluster it removes the definitions if CRDInstallOptions says so.
func (e *Environment) Stop() error {
	if e.existing == nil {
		return nil
	}
	if e.cluster == nil {
		return e.existing.Stop()
	}
	err := errors.Join(e.existing.WebhookInstallOptions.Cleanup(), e.cluster.Stop())
	if err == nil {
		e.cluster, e.existing = nil, nil
		e.forgetServer()
	}
	return err
}
