// Package sandbartest gives each test a Kubernetes cluster of its own from a Sandbar service.
//
//	func TestReconcile(t *testing.T) {
//		config := sandbartest.New(t)
//		...
//	}
//
// SANDBAR_URL and SANDBAR_API_KEY name the service and the key; SANDBAR_CA_FILE names the authority of a service whose certificate the
// system does not trust. A cluster is deleted when its test ends, also when the process is interrupted, even during the creation; a cluster
// of a process that is killed ends when its time is up.
package sandbartest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

const (
	defaultURL     = "http://localhost:8787"
	deleteTimeout  = 10 * time.Second
	createTimeout  = 3 * time.Minute
	defaultSeconds = 600
)

// Options say how a cluster begins and which service makes it. The zero value is a cluster of three nodes that lives ten minutes.
type Options struct {
	// URL of the service; by default SANDBAR_URL, or http://localhost:8787.
	URL string
	// Key is the API key; by default SANDBAR_API_KEY.
	Key string
	// CAFile is a file of PEM with authorities that the service's certificate may have besides the system's; by default SANDBAR_CA_FILE.
	CAFile string
	// Wait makes the creation end when all workloads of the manifests are available.
	Wait bool
	// Sandbox has further fields of the body of POST /v1/sandboxes, such as "nodes", "manifests" or "controllers".
	// "version" is SANDBAR_KUBERNETES_VERSION by default, so that a CI job can run the tests with several versions.
	Sandbox map[string]any
}

// Cluster is a sandbox.
type Cluster struct {
	ID string `json:"id"`
	// Server is the address of the Kubernetes API.
	Server string `json:"server"`
	// CA is the authority of the server's certificate in PEM; empty if it is a public one.
	CA string `json:"ca"`
	// Token is the administrator's.
	Token string `json:"token"`
	// NotReady has the workloads that are not available, if the creation waited for them.
	NotReady []NotReady `json:"notReady"`

	options Options
	// label is the value of the label by which the cluster is deleted while its id is unknown.
	label string
	// answered is closed when the service has answered the creation.
	answered chan struct{}
	// stopping is held during a deletion.
	stopping  sync.Mutex
	isStopped bool
}

// NotReady is a workload that is not available, and why.
type NotReady struct {
	Kind, Namespace, Name, Reason string
}

// New returns the configuration of a client of a fresh cluster, which is deleted when the test has ended.
func New(t testing.TB, options ...Options) *rest.Config {
	t.Helper()
	return NewCluster(t, options...).Config()
}

// NewCluster is New for tests that need more of the cluster than a client's configuration.
func NewCluster(t testing.TB, options ...Options) *Cluster {
	t.Helper()
	var chosen Options
	if len(options) > 0 {
		chosen = options[0]
	}
	cluster, err := Start(t.Context(), chosen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Errorf("the cluster is left until its time is up: %v", err)
		}
	})
	return cluster
}

// Start makes a cluster, which the caller stops.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	options = options.withDefaults()
	cluster := &Cluster{options: options, label: newLabel(), answered: make(chan struct{})}
	body, err := cluster.creation()
	if err != nil {
		return nil, err
	}
	path := "/v1/sandboxes"
	if options.Wait {
		path += "?wait=ready"
	}
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	keep(cluster)
	err = options.send(ctx, http.MethodPost, path, body, cluster)
	if err == nil {
		close(cluster.answered)
		return cluster, nil
	}
	if mayExist(err) {
		cluster.abandon()
	}
	forget(cluster)
	return nil, fmt.Errorf("no cluster: %w", err)
}

func (o Options) withDefaults() Options {
	if o.URL == "" {
		o.URL = os.Getenv("SANDBAR_URL")
	}
	if o.URL == "" {
		o.URL = defaultURL
	}
	o.URL = strings.TrimRight(o.URL, "/")
	if o.Key == "" {
		o.Key = os.Getenv("SANDBAR_API_KEY")
	}
	if o.CAFile == "" {
		o.CAFile = os.Getenv("SANDBAR_CA_FILE")
	}
	return o
}

// creation returns the body of POST /v1/sandboxes.
func (c *Cluster) creation() (map[string]any, error) {
	body := map[string]any{"ttlSeconds": defaultSeconds, "kubeletSpeed": "zero"}
	maps.Copy(body, c.options.Sandbox)
	if body["snapshot"] != nil || body["template"] != nil {
		if _, isSet := c.options.Sandbox["kubeletSpeed"]; !isSet {
			delete(body, "kubeletSpeed")
		}
	} else if version := os.Getenv("SANDBAR_KUBERNETES_VERSION"); version != "" && body["version"] == nil {
		body["version"] = version
	}
	labels := map[string]string{}
	if body["labels"] != nil {
		text, err := json.Marshal(body["labels"])
		if err != nil {
			return nil, fmt.Errorf("labels: %w", err)
		}
		if err := json.Unmarshal(text, &labels); err != nil {
			return nil, fmt.Errorf("labels: %w", err)
		}
	}
	labels[labelKey] = c.label
	body["labels"] = labels
	return body, nil
}

// Stop deletes the cluster. Calls after a deletion do nothing. A cluster that the service no longer has counts as deleted.
func (c *Cluster) Stop() error {
	c.stopping.Lock()
	defer c.stopping.Unlock()
	if c.isStopped {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	err := c.options.send(ctx, http.MethodDelete, "/v1/sandboxes/"+c.ID, nil, nil)
	var refusal *Error
	if errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
		err = nil
	}
	if err == nil {
		c.isStopped = true
		forget(c)
	}
	return err
}

// Config returns the configuration of a client of the cluster's administrator. The caller may change it.
func (c *Cluster) Config() *rest.Config {
	security := rest.TLSClientConfig{CAData: []byte(c.CA)}
	if c.CA == "" && strings.HasPrefix(c.Server, "https:") {
		security = rest.TLSClientConfig{CAFile: c.options.CAFile}
	}
	return &rest.Config{
		Host:            c.Server,
		BearerToken:     c.Token,
		TLSClientConfig: security,
		// Tests are not to wait for the limits of a client that lives long.
		QPS:   1000,
		Burst: 2000,
	}
}

// UserConfig returns the configuration of a client of another user.
func (c *Cluster) UserConfig(ctx context.Context, name string, groups ...string) (*rest.Config, error) {
	if groups == nil {
		groups = []string{}
	}
	var made struct {
		Token string `json:"token"`
	}
	path := "/v1/sandboxes/" + c.ID + "/tokens"
	if err := c.options.send(ctx, http.MethodPost, path, map[string]any{"user": name, "groups": groups}, &made); err != nil {
		return nil, err
	}
	config := c.Config()
	config.BearerToken = made.Token
	return config, nil
}

// Kubeconfig returns the kubeconfig of the cluster's administrator.
func (c *Cluster) Kubeconfig(ctx context.Context) ([]byte, error) {
	var text bytes.Buffer
	err := c.options.send(ctx, http.MethodGet, "/v1/sandboxes/"+c.ID+"/kubeconfig", nil, &text)
	return text.Bytes(), err
}
