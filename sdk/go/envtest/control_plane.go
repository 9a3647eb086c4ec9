package envtest

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"
)

// serverFields returns the fields of POST /v1/sandboxes for the settings of an API server. It returns an error for a setting that a
// sandbox cannot have.
func serverFields(server *APIServer) (map[string]any, error) {
	fields := map[string]any{}
	if server == nil {
		return fields, nil
	}
	address := server.SecureServing.ListenAddr
	//nolint:staticcheck // Deprecated fields are upstream's, too.
	if server.URL != nil || server.SecurePort != 0 || server.InsecureServing != nil || address.Address != "" || address.Port != "" {
		return nil, errors.New("ControlPlane.APIServer: the service chooses the address of a sandbox, so it cannot be set")
	}
	if server.SecureServing.Authn != nil {
		return nil, errors.New("ControlPlane.APIServer.SecureServing.Authn: a sandbox authenticates users itself: use AddUser")
	}
	//nolint:staticcheck // Deprecated fields are upstream's, too.
	if len(server.Args) > 0 {
		return nil, errors.New("ControlPlane.APIServer.Args: a sandbox takes flags from Configure only")
	}
	for _, flag := range server.Configure().AsStrings(nil) {
		name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		if err := addFlag(fields, name, value); err != nil {
			return nil, fmt.Errorf("ControlPlane.APIServer: --%s=%s: %w", name, value, err)
		}
	}
	return fields, nil
}

// settled are the flags whose values a sandbox has anyway. A nil list stands for a flag of any value that changes nothing that a client sees.
var settled = map[string][]string{
	"allow-privileged":          {"true"},
	"authorization-mode":        {"RBAC", "Node,RBAC"},
	"disable-admission-plugins": {"ServiceAccount"},
	"v":                         nil,
	"vmodule":                   nil,
}

func addFlag(fields map[string]any, name, value string) error {
	switch name {
	case "service-cluster-ip-range":
		fields["serviceCidr"] = value
		return nil
	case "feature-gates":
		return addGates(fields, value)
	}
	values, isSettled := settled[name]
	if !isSettled {
		return errors.New("a sandbox does not have this flag")
	}
	if values == nil {
		return nil
	}
	for _, allowed := range values {
		if value == allowed {
			return nil
		}
	}
	return fmt.Errorf("a sandbox has only %s", strings.Join(values, " or "))
}

func addGates(fields map[string]any, text string) error {
	gates, _ := fields["featureGates"].(map[string]bool)
	if gates == nil {
		gates = map[string]bool{}
	}
	for gate := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(gate), "=")
		isOn, err := strconv.ParseBool(value)
		if err != nil {
			return errors.New("feature gates are names with true or false")
		}
		gates[name] = isOn
	}
	fields["featureGates"] = gates
	return nil
}

// describeServer sets the fields by which a suite reads the address and the authority of the API server.
func (e *Environment) describeServer() {
	server := e.ControlPlane.GetAPIServer()
	server.SecureServing.CA = e.Config.CAData
	server.SecureServing.Authn = onlyByEnvironment{}
	// A parsed address is set even if the text is not one, because clients report that better.
	server.URL, _ = url.Parse(e.Config.Host) //nolint:staticcheck // Upstream's APIURL returns this field.
}

// forgetServer takes back what describeServer set, so that the Environment can start again.
func (e *Environment) forgetServer() {
	server := e.ControlPlane.GetAPIServer()
	server.SecureServing.CA, server.SecureServing.Authn = nil, nil
	server.URL = nil //nolint:staticcheck // See describeServer.
}

// onlyByEnvironment explains why ControlPlane.AddUser has no user to return.
type onlyByEnvironment struct{}

func (onlyByEnvironment) Configure(string, *Arguments) error { return nil }
func (onlyByEnvironment) Start() error                       { return nil }
func (onlyByEnvironment) Stop() error                        { return nil }
func (onlyByEnvironment) AddUser(User, *rest.Config) (*rest.Config, error) {
	return nil, errors.New("users of a sandbox are added with AddUser of the Environment, not of its ControlPlane")
}
