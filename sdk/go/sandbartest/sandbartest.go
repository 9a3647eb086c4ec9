// Package sandbartest gives each test a Kubernetes cluster of its own from a Sandbar service.
//
//	func TestReconcile(t *testing.T) {
//		config := sandbartest.New(t)
//		...
//	}
//
// SANDBAR_URL and SANDBAR_API_KEY name the service and the key. A cluster is deleted when its test ends, also when the process is
// interrupted; a cluster of a process that is killed ends when its time is up.
package sandbartest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
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
	once    sync.Once
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
	if options.URL == "" {
		options.URL = os.Getenv("SANDBAR_URL")
	}
	if options.URL == "" {
		options.URL = defaultURL
	}
	options.URL = strings.TrimRight(options.URL, "/")
	if options.Key == "" {
		options.Key = os.Getenv("SANDBAR_API_KEY")
	}
	body := map[string]any{"ttlSeconds": defaultSeconds, "kubeletSpeed": "zero"}
	for name, value := range options.Sandbox {
		body[name] = value
	}
	if body["snapshot"] != nil || body["template"] != nil {
		delete(body, "kubeletSpeed")
	} else if version := os.Getenv("SANDBAR_KUBERNETES_VERSION"); version != "" && body["version"] == nil {
		body["version"] = version
	}
	path := "/v1/sandboxes"
	if options.Wait {
		path += "?wait=ready"
	}
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	cluster := &Cluster{options: options}
	if err := options.send(ctx, http.MethodPost, path, body, cluster); err != nil {
		return nil, fmt.Errorf("no cluster: %w", err)
	}
	keep(cluster)
	return cluster, nil
}

// Stop deletes the cluster. Later calls do nothing.
func (c *Cluster) Stop() error {
	var err error
	c.once.Do(func() {
		forget(c)
		ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
		defer cancel()
		err = c.options.send(ctx, http.MethodDelete, "/v1/sandboxes/"+c.ID, nil, nil)
	})
	return err
}

// Config returns the configuration of a client of the cluster's administrator. The caller may change it.
func (c *Cluster) Config() *rest.Config {
	return &rest.Config{
		Host:            c.Server,
		BearerToken:     c.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: []byte(c.CA)},
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

// send sends a request to the control API. into is a pointer for JSON, a *bytes.Buffer for a text, or nil.
func (o Options) send(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, o.URL+path, content)
	if err != nil {
		return err
	}
	if o.Key != "" {
		request.Header.Set("Authorization", "Bearer "+o.Key)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return failure(answer.Status, text)
	}
	switch target := into.(type) {
	case nil:
		return nil
	case *bytes.Buffer:
		_, err = target.Write(text)
		return err
	default:
		return json.Unmarshal(text, target)
	}
}

func failure(status string, text []byte) error {
	var body struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(text, &body) == nil && body.Error.Code != "" {
		return fmt.Errorf("%s (%s)", body.Error.Message, body.Error.Code)
	}
	return fmt.Errorf("the service answered %s: %.200s", status, text)
}

var (
	liveLock  sync.Mutex
	live      = map[*Cluster]struct{}{}
	listening sync.Once
)

func keep(cluster *Cluster) {
	liveLock.Lock()
	live[cluster] = struct{}{}
	liveLock.Unlock()
	listening.Do(func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		go func() {
			received := <-signals
			stopAll()
			signal.Reset(received)
			// The process ends as it would have without this package.
			if number, ok := received.(syscall.Signal); ok {
				_ = syscall.Kill(os.Getpid(), number)
			}
		}()
	})
}

func forget(cluster *Cluster) {
	liveLock.Lock()
	delete(live, cluster)
	liveLock.Unlock()
}

func stopAll() {
	liveLock.Lock()
	all := make([]*Cluster, 0, len(live))
	for cluster := range live {
		all = append(all, cluster)
	}
	liveLock.Unlock()
	var group sync.WaitGroup
	for _, cluster := range all {
		group.Add(1)
		go func() {
			defer group.Done()
			_ = cluster.Stop()
		}()
	}
	group.Wait()
}
