// A container runtime (CRI) for trying kubelets where no containers can run: its containers are processes of this machine. Sandboxes and
// containers are upstream's fake ones; logs, exec, attach, port-forward and statistics are real, served by upstream's streaming server.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	fakeremote "k8s.io/cri-client/pkg/fake"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	log     *os.File
	mutex   sync.Mutex
	readers map[chan []byte]bool
	ended   chan struct{}
	code    int32
}

type container struct {
	config  *runtimeapi.ContainerConfig
	logPath string
	process *process
}

type runtime struct {
	*fakeremote.RemoteRuntime
	server     streaming.Server
	mutex      sync.Mutex
	containers map[string]*container
}

func (r *runtime) find(id string) (*container, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if found := r.containers[id]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("container %q not found", id)
}

func (r *runtime) CreateContainer(ctx context.Context, request *runtimeapi.CreateContainerRequest) (*runtimeapi.CreateContainerResponse, error) {
	response, err := r.RemoteRuntime.CreateContainer(ctx, request)
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.containers[response.ContainerId] = &container{
		config:  request.Config,
		logPath: filepath.Join(request.SandboxConfig.LogDirectory, request.Config.LogPath),
	}
	return response, nil
}

func (r *runtime) StartContainer(ctx context.Context, request *runtimeapi.StartContainerRequest) (*runtimeapi.StartContainerResponse, error) {
	found, err := r.find(request.ContainerId)
	if err != nil {
		return nil, err
	}
	words := append(append([]string{}, found.config.Command...), found.config.Args...)
	if len(words) == 0 {
		words = []string{"sleep", "infinity"}
	}
	if err := os.MkdirAll(filepath.Dir(found.logPath), 0o755); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(found.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	command := exec.Command(words[0], words[1:]...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Env = os.Environ()
	for _, variable := range found.config.Envs {
		command.Env = append(command.Env, variable.Key+"="+string(variable.Value))
	}
	stdin, _ := command.StdinPipe()
	stdout, _ := command.StdoutPipe()
	stderr, _ := command.StderrPipe()
	if err := command.Start(); err != nil {
		return nil, err
	}
	started := &process{command: command, stdin: stdin, log: log, readers: map[chan []byte]bool{}, ended: make(chan struct{})}
	found.process = started
	var copies sync.WaitGroup
	copies.Add(2)
	go started.write("stdout", stdout, &copies)
	go started.write("stderr", stderr, &copies)
	go func() {
		copies.Wait()
		_ = command.Wait()
		started.code = int32(command.ProcessState.ExitCode())
		close(started.ended)
		_, _ = r.RemoteRuntime.StopContainer(context.Background(), &runtimeapi.StopContainerRequest{ContainerId: request.ContainerId})
	}()
	return r.RemoteRuntime.StartContainer(ctx, request)
}

// Writes lines to the log in the format of the CRI, and to those who are attached.
func (p *process) write(stream string, from io.Reader, copies *sync.WaitGroup) {
	defer copies.Done()
	reader := bufio.NewReader(from)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			p.mutex.Lock()
			text := line
			if text[len(text)-1] != '\n' {
				text = append(append([]byte{}, text...), '\n')
			}
			fmt.Fprintf(p.log, "%s %s F %s", time.Now().Format(time.RFC3339Nano), stream, text)
			for attached := range p.readers {
				select {
				case attached <- append([]byte{}, line...):
				default:
				}
			}
			p.mutex.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (r *runtime) StopContainer(ctx context.Context, request *runtimeapi.StopContainerRequest) (*runtimeapi.StopContainerResponse, error) {
	if found, err := r.find(request.ContainerId); err == nil && found.process != nil {
		_ = syscall.Kill(-found.process.command.Process.Pid, syscall.SIGKILL)
		<-found.process.ended
	}
	return r.RemoteRuntime.StopContainer(ctx, request)
}

func (r *runtime) ContainerStatus(ctx context.Context, request *runtimeapi.ContainerStatusRequest) (*runtimeapi.ContainerStatusResponse, error) {
	response, err := r.RemoteRuntime.ContainerStatus(ctx, request)
	if err != nil {
		return nil, err
	}
	if found, err := r.find(request.ContainerId); err == nil {
		response.Status.LogPath = found.logPath
		if found.process != nil && response.Status.State == runtimeapi.ContainerState_CONTAINER_EXITED {
			response.Status.ExitCode = found.process.code
		}
	}
	return response, nil
}

// Images are all there: nothing is pulled.
func (r *runtime) ImageStatus(_ context.Context, request *runtimeapi.ImageStatusRequest) (*runtimeapi.ImageStatusResponse, error) {
	name := request.Image.Image
	return &runtimeapi.ImageStatusResponse{Image: &runtimeapi.Image{Id: name, RepoTags: []string{name}, Size: 1, Spec: request.Image}}, nil
}

func (r *runtime) stats(id string) *runtimeapi.ContainerStats {
	found, err := r.find(id)
	if err != nil || found.process == nil {
		return nil
	}
	usage := memoryOf(found.process.command.Process.Pid)
	now := time.Now().UnixNano()
	return &runtimeapi.ContainerStats{
		Attributes: &runtimeapi.ContainerAttributes{Id: id, Metadata: found.config.Metadata, Labels: found.config.Labels},
		Cpu: &runtimeapi.CpuUsage{
			Timestamp:            now,
			UsageCoreNanoSeconds: &runtimeapi.UInt64Value{Value: uint64(processorOf(found.process.command.Process.Pid))},
			UsageNanoCores:       &runtimeapi.UInt64Value{Value: 1_000_000},
		},
		Memory: &runtimeapi.MemoryUsage{Timestamp: now, WorkingSetBytes: &runtimeapi.UInt64Value{Value: usage}},
	}
}

func (r *runtime) ListContainerStats(_ context.Context, _ *runtimeapi.ListContainerStatsRequest) (*runtimeapi.ListContainerStatsResponse, error) {
	r.mutex.Lock()
	ids := []string{}
	for id := range r.containers {
		ids = append(ids, id)
	}
	r.mutex.Unlock()
	response := &runtimeapi.ListContainerStatsResponse{}
	for _, id := range ids {
		if stats := r.stats(id); stats != nil {
			response.Stats = append(response.Stats, stats)
		}
	}
	return response, nil
}

func memoryOf(pid int) uint64 {
	var size, resident uint64
	if file, err := os.Open(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		defer file.Close()
		fmt.Fscan(file, &size, &resident)
	}
	return resident * uint64(os.Getpagesize())
}

func processorOf(pid int) time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (r *runtime) Exec(_ context.Context, request *runtimeapi.ExecRequest) (*runtimeapi.ExecResponse, error) {
	return r.server.GetExec(request)
}

func (r *runtime) Attach(_ context.Context, request *runtimeapi.AttachRequest) (*runtimeapi.AttachResponse, error) {
	return r.server.GetAttach(request)
}

func (r *runtime) PortForward(_ context.Context, request *runtimeapi.PortForwardRequest) (*runtimeapi.PortForwardResponse, error) {
	return r.server.GetPortForward(request)
}

// The streams of a session, as upstream's streaming server gives them.
type streams struct{ runtime *runtime }

func (s streams) Exec(ctx context.Context, id string, words []string, in io.Reader, out, errors io.WriteCloser, _ bool, resize <-chan remotecommand.TerminalSize) error {
	if _, err := s.runtime.find(id); err != nil {
		return err
	}
	go func() {
		for size := range resize {
			fmt.Fprintf(os.Stderr, "terminal of %d columns\n", size.Width)
		}
	}()
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	if in != nil {
		pipe, err := command.StdinPipe()
		if err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(pipe, in)
			_ = pipe.Close()
		}()
	}
	if out != nil {
		command.Stdout = out
	}
	if errors != nil {
		command.Stderr = errors
	}
	err := command.Run()
	if exit, ok := err.(*exec.ExitError); ok {
		return utilexec.CodeExitError{Err: fmt.Errorf("exit status %d", exit.ExitCode()), Code: exit.ExitCode()}
	}
	return err
}

func (s streams) Attach(_ context.Context, id string, in io.Reader, out, _ io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize) error {
	found, err := s.runtime.find(id)
	if err != nil || found.process == nil {
		return fmt.Errorf("container %q does not run", id)
	}
	lines := make(chan []byte, 100)
	found.process.mutex.Lock()
	found.process.readers[lines] = true
	found.process.mutex.Unlock()
	if in != nil {
		go func() { _, _ = io.Copy(found.process.stdin, in) }()
	}
	for {
		select {
		case line := <-lines:
			if _, err := out.Write(line); err != nil {
				return err
			}
		case <-found.process.ended:
			return nil
		}
	}
}

func (s streams) PortForward(_ context.Context, _ string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer connection.Close()
	go func() { _, _ = io.Copy(connection, stream) }()
	_, err = io.Copy(stream, connection)
	return err
}

func main() {
	socket := os.Args[1]
	ready := []*runtimeapi.RuntimeCondition{{Type: runtimeapi.RuntimeReady, Status: true}, {Type: runtimeapi.NetworkReady, Status: true}}
	fake := fakeremote.NewFakeRemoteRuntime()
	fake.RuntimeService.FakeStatus = &runtimeapi.RuntimeStatus{Conditions: ready}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	config := streaming.DefaultConfig
	config.Addr = address
	served := &runtime{RemoteRuntime: fake, containers: map[string]*container{}}
	served.server, err = streaming.NewServer(config, streams{served})
	if err != nil {
		panic(err)
	}
	go func() { panic(served.server.Start(true)) }()
	_ = os.Remove(socket)
	unix, err := net.Listen("unix", socket)
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer()
	runtimeapi.RegisterRuntimeServiceServer(server, served)
	runtimeapi.RegisterImageServiceServer(server, served)
	fmt.Fprintf(os.Stderr, "serving %s\n", socket)
	panic(server.Serve(unix))
}
