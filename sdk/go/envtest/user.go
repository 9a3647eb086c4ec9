package envtest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	kubeconfigapi "k8s.io/client-go/tools/clientcmd/api"
)

// AuthenticatedUser is a user of the cluster, with upstream's methods.
type AuthenticatedUser struct {
	config      *rest.Config
	kubectlPath string
	kubectl     *KubeCtl
}

// Config returns the configuration of a client of this user.
func (u *AuthenticatedUser) Config() *rest.Config {
	return u.config
}

// KubeConfig returns the kubeconfig of this user.
func (u AuthenticatedUser) KubeConfig() ([]byte, error) {
	return kubeconfigOf(u.config)
}

// Kubectl returns kubectl as this user. The kubeconfig is a file in the system's folder for temporary files.
func (u *AuthenticatedUser) Kubectl() (*KubeCtl, error) {
	if u.kubectl != nil {
		return u.kubectl, nil
	}
	contents, err := u.KubeConfig()
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "*.kubecfg")
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig: %w", err)
	}
	defer file.Close()
	if _, err := file.Write(contents); err != nil {
		return nil, fmt.Errorf("the kubeconfig: %w", err)
	}
	u.kubectl = &KubeCtl{Path: u.kubectlPath, Opts: []string{"--kubeconfig=" + file.Name()}}
	return u.kubectl, nil
}

// KubeCtl runs kubectl.
type KubeCtl struct {
	// Path is the program; by default TEST_ASSET_KUBECTL, or kubectl of the PATH.
	Path string
	// Opts are arguments of each call.
	Opts []string
}

// Run runs kubectl and returns its output and its error output.
func (k *KubeCtl) Run(args ...string) (stdout, stderr io.Reader, err error) {
	if k.Path == "" {
		k.Path = os.Getenv("TEST_ASSET_KUBECTL")
	}
	if k.Path == "" {
		k.Path = "kubectl"
	}
	var output, errorOutput bytes.Buffer
	command := exec.Command(k.Path, append(append([]string{}, k.Opts...), args...)...)
	command.Stdout, command.Stderr = &output, &errorOutput
	err = command.Run()
	return &output, &errorOutput, err
}

// kubeconfigOf returns the kubeconfig of a client's configuration. Unlike upstream's it keeps the path of the server's address.
func kubeconfigOf(config *rest.Config) ([]byte, error) {
	const name = "envtest"
	file := kubeconfigapi.NewConfig()
	file.Clusters[name] = &kubeconfigapi.Cluster{
		Server:                   config.Host,
		CertificateAuthority:     config.CAFile,
		CertificateAuthorityData: config.CAData,
	}
	file.AuthInfos[name] = &kubeconfigapi.AuthInfo{Token: config.BearerToken}
	file.Contexts[name] = &kubeconfigapi.Context{Cluster: name, AuthInfo: name}
	file.CurrentContext = name
	return clientcmd.Write(*file)
}
