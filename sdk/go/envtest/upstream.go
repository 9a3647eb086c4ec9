package envtest

import upstream "sigs.k8s.io/controller-runtime/pkg/envtest"

// StartTimeout and StopTimeout are upstream's.
const (
	StartTimeout = upstream.StartTimeout
	StopTimeout  = upstream.StopTimeout
)

// Types that test suites name together with an Environment.
type (
	APIServer             = upstream.APIServer
	Arg                   = upstream.Arg
	Arguments             = upstream.Arguments
	Authn                 = upstream.Authn
	ControlPlane          = upstream.ControlPlane
	CRDInstallOptions     = upstream.CRDInstallOptions
	Etcd                  = upstream.Etcd
	ListenAddr            = upstream.ListenAddr
	SecureServing         = upstream.SecureServing
	User                  = upstream.User
	WebhookInstallOptions = upstream.WebhookInstallOptions
)

// Functions and variables of upstream that act on any cluster.
var (
	CreateCRDs                               = upstream.CreateCRDs
	DefaultBinaryAssetsIndexURL              = upstream.DefaultBinaryAssetsIndexURL
	DefaultKubeAPIServerFlags                = upstream.DefaultKubeAPIServerFlags //nolint:staticcheck // Suites may still name it.
	EmptyArguments                           = upstream.EmptyArguments
	InstallCRDs                              = upstream.InstallCRDs
	ReadCRDFiles                             = upstream.ReadCRDFiles
	SetupEnvtestDefaultBinaryAssetsDirectory = upstream.SetupEnvtestDefaultBinaryAssetsDirectory
	UninstallCRDs                            = upstream.UninstallCRDs
	WaitForCRDs                              = upstream.WaitForCRDs
	WaitForWebhooks                          = upstream.WaitForWebhooks
)
