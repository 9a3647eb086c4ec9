// The output of `kubectl logs` and `kubectl exec`: lines with their times, exit codes, files.
import { describe, expect, test } from "vitest";
import { zeroDelays } from "../../worker/machine/delays.ts";
import { execOutput, runOfStatus } from "../../worker/containers/output.ts";
import { emptyView } from "../../worker/containers/run/world.ts";
import { container, containerOutput, podOf, runPod, startMs } from "../kubelet/pod-run.ts";

const sh = (script: string, name = "web") => ({ ...container("busybox", { command: ["sh", "-c", script] }), name });

describe("container logs", () => {
  test("have a dated line for each second of a counter, up to now", () => {
    const counter = sh('i=0; while true; do echo "$i: $(date)"; i=$((i+1)); sleep 1; done');
    const run = runPod(podOf({ containers: [counter] }), zeroDelays);
    run.pass(3);
    expect(containerOutput(run.pod, "web", emptyView, run.nowMs)?.lines).toEqual([
      { atMs: startMs, stream: "stdout", text: "0: Thu Jan  1 00:00:00 UTC 2026" },
      { atMs: startMs + 1000, stream: "stdout", text: "1: Thu Jan  1 00:00:01 UTC 2026" },
      { atMs: startMs + 2000, stream: "stdout", text: "2: Thu Jan  1 00:00:02 UTC 2026" },
      { atMs: startMs + 3000, stream: "stdout", text: "3: Thu Jan  1 00:00:03 UTC 2026" },
    ]);
  });

  test("include the end of the previous run", () => {
    const run = runPod(podOf({ containers: [sh("echo starting; sleep 2; echo failed >&2; exit 3")] }), zeroDelays);
    run.pass(3);
    const before = containerOutput(run.pod, "web", emptyView, run.nowMs, true);
    expect(before?.lines.map((line) => `${line.stream} ${line.text}`)).toEqual(["stdout starting", "stderr failed"]);
    expect(before?.end).toEqual({ atMs: startMs + 2000, exitCode: 3 });
    expect(containerOutput(run.pod, "web", emptyView, run.nowMs)?.lines.map((line) => line.text)).toEqual(["starting"]);
  });

  test("are complete for a container that ends within its first second", () => {
    const quick = sh("usleep 5000; echo one; usleep 400000; echo two");
    const run = runPod(podOf({ restartPolicy: "Never", containers: [quick] }), zeroDelays);
    run.pass(3);
    const output = containerOutput(run.pod, "web", emptyView, run.nowMs);
    expect(output?.lines.map((line) => line.text)).toEqual(["one", "two"]);
    expect(output?.end).toEqual({ atMs: startMs + 405, exitCode: 0 });
  });

  test("follow a file in a sidecar that another container writes", () => {
    const volumeMounts = [{ name: "log", mountPath: "/var/log" }];
    const writer = { ...sh("while true; do echo hi >> /var/log/1.log; sleep 5; done", "count"), volumeMounts };
    const reader = {
      ...container("busybox", { args: ["/bin/sh", "-c", "tail -n+1 -F /var/log/1.log"] }),
      volumeMounts,
    };
    const run = runPod(podOf({ volumes: [{ name: "log", emptyDir: {} }], containers: [writer, reader] }), zeroDelays);
    run.pass(12);
    const lines = containerOutput(run.pod, "web", emptyView, run.nowMs)?.lines ?? [];
    expect(lines.map((line) => (line.atMs - startMs) / 1000)).toEqual([0, 5, 10]);
  });

  test("contain the digits of pi for a job", () => {
    const pi = container("perl:5.34.0", { command: ["perl", "-Mbignum=bpi", "-wle", "print bpi(50)"] });
    const run = runPod(podOf({ restartPolicy: "Never", containers: [pi] }), zeroDelays);
    run.pass(10);
    expect(containerOutput(run.pod, "web", emptyView, run.nowMs)?.lines[0]?.text).toBe(
      "3.1415926535897932384626433832795028841971693993751",
    );
  });
});

describe("exec", () => {
  const words = (...all: string[]) => ({ words: all, nowMs: startMs + 5000, untilMs: startMs + 60_000 });

  test("reads the container's files and environment, and reports the files that it changes", () => {
    const firstContainer = { ...sh("echo secret > /tmp/a; sleep 3600"), env: [{ name: "GREETING", value: "hello" }] };
    const run = runPod(podOf({ containers: [firstContainer] }), zeroDelays);
    run.pass(5);
    const execution = execOutput(
      run.pod,
      "web",
      emptyView,
      runOfStatus(run.pod, "web", emptyView, startMs + 5000, false),
      words("sh", "-c", 'cat /tmp/a; echo "$GREETING $HOSTNAME"; touch /tmp/b'),
    );
    if (!execution || "missing" in execution) throw new Error("it should run");
    expect(execution.chunks.map((chunk) => chunk.text).join("")).toBe("secret\nhello web-1\n");
    expect(execution.end).toMatchObject({ exitCode: 0 });
    expect(execution.edits.map((edit) => edit.path)).toEqual(["/tmp/b"]);
    const later = { ...emptyView, edits: () => execution.edits };
    expect(containerOutput(run.pod, "web", later, run.nowMs + 1000)?.files.has("/tmp/b")).toBe(true);
  });

  test("curl in the same shell gets the page that the shell wrote", () => {
    const run = runPod(podOf({ containers: [container("nginx")] }), zeroDelays);
    run.pass(5);
    const page = "/usr/share/nginx/html/index.html";
    const script = `echo hi > ${page}; curl -s localhost; curl -s 127.0.0.1:9000; echo $?`;
    const execution = execOutput(
      run.pod,
      "web",
      emptyView,
      runOfStatus(run.pod, "web", emptyView, startMs + 5000, false),
      words("sh", "-c", script),
    );
    if (!execution || "missing" in execution) throw new Error("it should run");
    expect(execution.chunks.map((chunk) => chunk.text).join("")).toBe("hi\n7\n");
  });

  test("reports a missing program", () => {
    const run = runPod(podOf({ containers: [container("nginx")] }), zeroDelays);
    run.pass(5);
    expect(
      execOutput(
        run.pod,
        "web",
        emptyView,
        runOfStatus(run.pod, "web", emptyView, startMs + 5000, false),
        words("vim"),
      ),
    ).toEqual({
      missing: 'exec: "vim": executable file not found in $PATH',
    });
  });
});
