// Containers seen with kubectl: logs, commands, and temporary shells.
import { expect } from "vitest";
import { kubectlTest } from "../each-kubectl.ts";

/** Older ones speak SPDY alone, which the platform cannot carry. */
const speaksWebSockets = 30;
const forwardsOverWebSockets = 31;

const counter = `
apiVersion: v1
kind: Pod
metadata: { name: counter }
spec:
  containers:
    - { name: count, image: busybox, command: [sh, -c, "i=0; while true; do echo $i; i=$((i+1)); sleep 1; done"] }
    - { name: web, image: nginx }
`;
const brief = `
apiVersion: v1
kind: Pod
metadata: { name: brief }
spec:
  restartPolicy: Never
  containers:
    - { name: main, image: busybox, command: [sh, -c, "echo one; sleep 6; echo two"] }
`;

kubectlTest("logs of one and of all containers, of the last lines, and followed to the end", async (kubectl) => {
  const { ok, fails, write } = kubectl;
  write("pods.yaml", `${counter}---${brief}`);
  await ok("create -f pods.yaml");
  await ok("wait --for=condition=Ready pod/counter --timeout=60s");
  expect(await ok("logs -f brief --pod-running-timeout=60s")).toBe("one\ntwo\n");
  const last = await ok("logs counter -c count --tail=2");
  expect(last).toMatch(/^\d+\n\d+\n$/);
  expect(await ok("logs counter -c count --tail=1 --timestamps")).toMatch(/^\S+\.\d{9}Z \d+\n$/);
  expect(await ok("logs counter --all-containers --prefix --tail=1")).toMatch(/\[pod\/counter\/web\] /);
  expect(await fails("logs counter -c other")).toContain("container other is not valid for pod counter");
  expect(await fails("logs counter -c web --previous")).toContain(
    'previous terminated container "web" in pod "counter" not found',
  );
  const following = kubectl.start("logs -f counter -c count --tail=1");
  await following.until(/\d+\n\d+\n\d+\n/);
  await following.interrupt();
});

kubectlTest("exec runs commands: output, input, exit code, and what is refused", async (kubectl) => {
  const { ok, fails, run, write, minor } = kubectl;
  write("pod.yaml", counter);
  await ok("create -f pod.yaml");
  await ok("wait --for=condition=Ready pod/counter --timeout=60s");
  if (minor < speaksWebSockets) {
    expect(await fails("exec counter -c count -- hostname")).toContain("this cluster speaks WebSockets and not SPDY");
    return;
  }
  expect(await ok("exec counter -c count -- hostname")).toBe("counter\n");
  expect(await run("exec counter -c count -- sh -c 'echo out; echo err >&2; exit 3'")).toEqual({
    code: 3,
    stdout: "out\n",
    stderr: "err\ncommand terminated with exit code 3\n",
  });
  expect(await ok("exec -i counter -c count -- sh -c 'cat > /tmp/given'", { input: "given\n" })).toBe("");
  expect(await ok("exec counter -c count -- cat /tmp/given")).toBe("given\n");
  expect(await fails("exec counter -c web -- vim")).toContain('exec: "vim": executable file not found in $PATH');
  expect(await fails("exec counter -c other -- ls")).toContain("container other is not valid for pod counter");
});

kubectlTest("a command can be run in a pod of its own, with its input", async ({ run, ok, minor }) => {
  if (minor < speaksWebSockets) return;
  const result = await run("run once --image=busybox --restart=Never --rm -i --quiet -- cat", { input: "hello\n" });
  expect(result).toMatchObject({ code: 0, stdout: "hello\n" });
  expect(await ok("get pods -o name")).toBe("");
});

kubectlTest("port-forward gives a local client what a pod serves, and says where nothing listens", async (kubectl) => {
  const { ok, fails, start, minor } = kubectl;
  await ok("run web --image=nginx --port=80");
  await ok("expose pod web --port=8080 --target-port=80");
  await ok("wait --for=condition=Ready pod/web --timeout=60s");
  if (minor < forwardsOverWebSockets) {
    expect(await fails("port-forward pod/web :80")).toContain("this cluster forwards ports over WebSockets");
    return;
  }
  for (const target of ["pod/web :80", "service/web :8080"]) {
    const forwarding = start(`port-forward --address=127.0.0.1 ${target}`);
    await forwarding.until(/Forwarding from \S+ -> 80\n/);
    const [, address = ""] = /Forwarding from (\S+) ->/.exec(forwarding.output()) ?? [];
    for (const path of ["/", "/index.html"]) {
      const response = await fetch(`http://${address}${path}`);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("Welcome to nginx!");
    }
    expect((await fetch(`http://${address}/absent`)).status).toBe(404);
    expect(await forwarding.interrupt()).toMatchObject({ stderr: "" });
  }
  const refused = start("port-forward --address=127.0.0.1 pod/web :81");
  await refused.until(/Forwarding from \S+ -> 81\n/);
  const [, address = ""] = /Forwarding from (\S+) ->/.exec(refused.output()) ?? [];
  await expect(fetch(`http://${address}/`)).rejects.toThrow();
  const { code, stderr } = await refused.ended;
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("connection refused") as string });
  expect(stderr).toContain("error: lost connection to pod");
});
