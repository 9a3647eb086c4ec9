package sandbartest

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// labelKey is the key of the label that each cluster has from its creation on.
const labelKey = "sandbar-test"

// abandonPauses are the pauses before each attempt to delete a cluster whose creation was in progress.
var abandonPauses = []time.Duration{0, time.Second, 5 * time.Second}

func newLabel() string {
	return strings.ToLower(rand.Text())
}

// abandon deletes the cluster by its label, because its creation may still be in progress.
func (c *Cluster) abandon() {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	for _, pause := range abandonPauses {
		select {
		case <-time.After(pause):
		case <-c.answered:
		case <-ctx.Done():
			return
		}
		isAnswered := isClosed(c.answered)
		var deletion struct {
			Deleted []string `json:"deleted"`
		}
		path := "/v1/sandboxes?label=" + url.QueryEscape(labelKey+"="+c.label)
		err := c.options.send(ctx, http.MethodDelete, path, nil, &deletion)
		if err == nil && (isAnswered || len(deletion.Deleted) > 0) {
			return
		}
	}
}

func isClosed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}

var (
	liveLock  sync.Mutex
	live      = map[*Cluster]struct{}{}
	listening sync.Once
)

// keep registers a cluster that is deleted if the process is interrupted.
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
			endProcess(received)
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
		group.Go(cluster.abandon)
	}
	group.Wait()
}
