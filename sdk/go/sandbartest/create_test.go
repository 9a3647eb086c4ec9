package sandbartest_test

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sandbar-dev/sandbar/sdk/go/sandbartest"
)

func TestStopOfADeletedClusterSucceeds(t *testing.T) {
	cluster, err := sandbartest.Start(t.Context(), sandbartest.Options{Sandbox: map[string]any{"nodes": 0}})
	if err != nil {
		t.Fatal(err)
	}
	if err := sandbartest.Copy(cluster).Stop(); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Stop(); err != nil {
		t.Fatalf("it was already deleted: %v", err)
	}
}

// service answers as the control API does, but only when a test lets it.
type service struct {
	created   chan struct{}
	deletions chan string
	status    int
}

func (s *service) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if request.Method == http.MethodPost {
		// A server sees that a client has gone only when it has read the body.
		_, _ = io.Copy(io.Discard, request.Body)
		close(s.created)
		<-request.Context().Done()
		return
	}
	s.deletions <- request.URL.RawQuery
	answer.WriteHeader(s.status)
	_, _ = answer.Write([]byte(`{"deleted":["x"],"hasMore":false}`))
}

func TestCancelledCreationIsDeletedByItsLabel(t *testing.T) {
	handler := &service{created: make(chan struct{}), deletions: make(chan string, 9), status: http.StatusOK}
	server := httptest.NewServer(handler)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-handler.created
		cancel()
	}()
	_, err := sandbartest.Start(ctx, sandbartest.Options{URL: server.URL})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if query := <-handler.deletions; !strings.HasPrefix(query, "label=sandbar-test%3D") {
		t.Fatal(query)
	}
}

func TestFailedDeletionIsRepeatedByTheNextStop(t *testing.T) {
	handler := &service{deletions: make(chan string, 9), status: http.StatusServiceUnavailable}
	server := httptest.NewServer(handler)
	defer server.Close()
	cluster := sandbartest.ExistingAt(server.URL)
	var refusal *sandbartest.Error
	if err := cluster.Stop(); !errors.As(err, &refusal) || refusal.Status != http.StatusServiceUnavailable {
		t.Fatal(err)
	}
	handler.status = http.StatusNotFound
	for range 2 {
		if err := cluster.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if len(handler.deletions) != 2 {
		t.Fatalf("%d deletions", len(handler.deletions))
	}
}

func TestServiceOfAPrivateAuthorityIsTrustedByItsFile(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		answer.WriteHeader(http.StatusCreated)
		_, _ = answer.Write([]byte(`{"id":"x","server":"https://localhost/c/x","token":"y"}`))
	}))
	defer server.Close()
	if _, err := sandbartest.Start(t.Context(), sandbartest.Options{URL: server.URL}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SANDBAR_CA_FILE", file)
	cluster, err := sandbartest.Start(t.Context(), sandbartest.Options{URL: server.URL})
	if err != nil || cluster.Config().CAFile != file {
		t.Fatalf("%v %v", cluster, err)
	}
}

func TestProcessInterruptedDuringTheCreationLeavesNoCluster(t *testing.T) {
	handler := &service{created: make(chan struct{}), deletions: make(chan string, 9), status: http.StatusOK}
	server := httptest.NewServer(handler)
	defer server.Close()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "SANDBARTEST_WAITS=1", "SANDBAR_URL="+server.URL)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	<-handler.created
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case query := <-handler.deletions:
		if !strings.HasPrefix(query, "label=sandbar-test%3D") {
			t.Error(query)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing was deleted")
	}
	_ = command.Wait()
}
