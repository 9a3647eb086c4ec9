// A machine that joins a sandbox by the command line, with a kubelet of a few lines.
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../../client/cli/run.ts";
import { findKubectls } from "../binaries.ts";
import { eventually, kubectlFor } from "../kubectl.ts";
import { newSandbox } from "../sandbox.ts";

const [binary] = findKubectls();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  // A server that listens has an address.
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((done) => void server.close(() => done()));
  return port;
}

test.skipIf(!binary)(
  "G5: a machine joins by the command line, and kubectl reaches its kubelet until it leaves",
  async () => {
    if (!binary) return;
    const sandbox = await newSandbox({ nodes: 1 });
    const kubectl = kubectlFor(binary, sandbox);
    const folder = mkdtempSync(join(tmpdir(), "sandbar-node-"));
    const kubelet = join(folder, "kubelet");
    const program = join(import.meta.dirname, "fake-kubelet.ts");
    writeFileSync(kubelet, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o700 });
    const stop = new AbortController();
    const messages: string[] = [];
    const words = ["node", "join", sandbox.id, "--name", "laptop", "--run", "--kubelet", kubelet, "--folder", folder];
    const options = [
      "--port",
      String(await freePort()),
      "--taint",
      "real=true:NoSchedule",
      "--server",
      sandbox.service.http,
    ];
    const exitCode = runCommand([...words, ...options], {
      environment: { SANDBAR_API_KEY: sandbox.service.apiKey },
      folder,
      version: "0",
      print: () => undefined,
      say: (text) => void messages.push(text),
      signal: stop.signal,
    });
    await eventually(
      () => `a served node; ${messages.join("; ")}`,
      async () => {
        const { code } = await kubectl.run("wait --for=condition=Ready node/laptop --timeout=1s");
        return code === 0 && messages.includes("node laptop is served from https://127.0.0.1:" + options[1]);
      },
    );
    expect(await kubectl.ok("get secrets -n kube-system -o jsonpath={.items[*].type}")).toContain(
      "bootstrap.kubernetes.io/token",
    );
    const spec = { nodeName: "laptop", containers: [{ name: "main", image: "busybox:1.36" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "real" }, spec };
    await kubectl.ok("apply -f -", { input: JSON.stringify(pod) });
    expect(await kubectl.ok("logs real --tail=2")).toBe(
      "/containerLogs/default/real/main?tailLines=2 for kube-apiserver-kubelet-client of kubeadm:cluster-admins\n",
    );
    expect(await kubectl.ok("exec -i real -- shout", { input: "hello" })).toBe(
      "/exec/default/real/main?input=1&output=1&error=1&command=shout HELLO",
    );
    expect(await kubectl.ok("top node laptop --no-headers")).toMatch(/^laptop\s+125m\s+\d+%\s+64Mi\s+\d+%/);
    expect(await kubectl.fails("get --raw /api/v1/nodes/laptop/proxy/else")).toContain("could not find the requested");
    stop.abort();
    expect(await exitCode).toBe(0);
    expect(await kubectl.fails("logs real")).toContain("no route to host");
  },
);
