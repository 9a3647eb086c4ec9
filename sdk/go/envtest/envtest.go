// Package envtest takes the place of sigs.k8s.io/controller-runtime/pkg/envtest in a test suite: an Environment with the same fields and
// methods, whose control plane is a sandbox. No programs are downloaded. As in envtest no controllers run, unless Sandbox says otherwise.
package envtest

import (
	"context"
	"errors"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	upstream "sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/sandbar-dev/sandbar/sdk/go/sandbartest"
)

// Types that test suites name together with an Environment.
type (
	CRDInstallOptions     = upstream.CRDInstallOptions
	WebhookInstallOptions = upstream.WebhookInstallOptions
	User                  = upstream.User
)

// InstallCRDs and UninstallCRDs are upstream's.
var (
	InstallCRDs   = upstream.InstallCRDs
	UninstallCRDs = upstream.UninstallCRDs
)

// Environment is a control plane for a test suite.
type Environment struct {
	// Sandbox has the service and further settings of the sandbox. Its nodes are 0 and its controllers off by default.
	Sandbox sandbartest.Options

	// The fields of upstream's Environment.
	Scheme                *runtime.Scheme
	Config                *rest.Config
	CRDInstallOptions     CRDInstallOptions
	WebhookInstallOptions WebhookInstallOptions
	ErrorIfCRDPathMissing bool
	CRDs                  []*apiextensionsv1.CustomResourceDefinition
	CRDDirectoryPaths     []string

	cluster  *sandbartest.Cluster
	existing *upstream.Environment
}

// Start makes the sandbox, installs the definitions and webhooks, and returns the configuration of a client.
func (e *Environment) Start() (*rest.Config, error) {
	options := e.Sandbox
	sandbox := map[string]any{"nodes": 0, "controllers": "off"}
	for name, value := range options.Sandbox {
		sandbox[name] = value
	}
	options.Sandbox = sandbox
	cluster, err := sandbartest.Start(context.Background(), options)
	if err != nil {
		return nil, err
	}
	e.cluster = cluster
	useExisting := true
	e.existing = &upstream.Environment{
		Config:                cluster.Config(),
		UseExistingCluster:    &useExisting,
		Scheme:                e.Scheme,
		CRDInstallOptions:     e.CRDInstallOptions,
		WebhookInstallOptions: e.WebhookInstallOptions,
		ErrorIfCRDPathMissing: e.ErrorIfCRDPathMissing,
		CRDs:                  e.CRDs,
		CRDDirectoryPaths:     e.CRDDirectoryPaths,
	}
	config, err := e.existing.Start()
	e.WebhookInstallOptions = e.existing.WebhookInstallOptions
	e.CRDs = e.existing.CRDs
	if err != nil {
		return nil, errors.Join(err, cluster.Stop())
	}
	e.Config = config
	return config, nil
}

// AddUser returns the configuration of a client of another user.
func (e *Environment) AddUser(user User, _ *rest.Config) (*rest.Config, error) {
	if e.cluster == nil {
		return nil, errors.New("the environment is not started")
	}
	return e.cluster.UserConfig(context.Background(), user.Name, user.Groups...)
}

// Stop deletes the sandbox.
func (e *Environment) Stop() error {
	if e.cluster == nil {
		return nil
	}
	return errors.Join(e.existing.WebhookInstallOptions.Cleanup(), e.cluster.Stop())
}
