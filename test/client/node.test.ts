// Tests the plan of a machine that becomes a node: certificates, token, configuration and script.
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Secret } from "../../shared/k8s/api/core-v1.ts";
import { bootstrapGroups, bootstrapTokenOf } from "../../shared/k8s/token-secrets.ts";
import { newBootstrapToken } from "../../client/node/bootstrap-token.ts";
import { newKubeletClient } from "../../client/node/certificates.ts";
import { joinPlan, type JoinOptions } from "../../client/node/plan.ts";
import { writeFiles } from "../../client/node/run.ts";
import { askSandbox } from "../../client/node/sandbox-api.ts";
import { joinScript } from "../../client/node/script.ts";

const nowMs = Date.UTC(2026, 0, 1);

const options: JoinOptions = {
  node: "laptop",
  folder: "/var/lib/sandbar/laptop",
  target: { server: "https://h/c/id", token: "admin", ca: "pem", insecure: false },
  nodeToken: "node-token",
  bootstrapToken: "abcdef.0123456789abcdef",
  kubeletClient: { authority: "authority", certificate: "certificate", key: "key" },
  dns: "10.96.0.10",
  labels: { tier: "edge" },
  taints: [{ key: "real", value: "true", effect: "NoSchedule" }],
  hasServingCertificate: true,
  port: 10_250,
  runtime: "unix:///run/containerd/containerd.sock",
};

describe("the API server's certificate for a kubelet", () => {
  test("names kubeadm's user, for clients alone, and is signed by an authority of the machine", () => {
    const { authority, certificate, key } = newKubeletClient(nowMs);
    const [ca, client] = [new X509Certificate(authority), new X509Certificate(certificate)];
    expect([client.verify(ca.publicKey), client.checkIssued(ca), ca.ca, client.ca]).toEqual([true, true, true, false]);
    expect(client.subject).toBe("O=kubeadm:cluster-admins\nCN=kube-apiserver-kubelet-client");
    expect(client.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(key).toContain("BEGIN PRIVATE KEY");
    expect(newKubeletClient(nowMs).authority).not.toBe(authority);
  });
});

test("a bootstrap token is one that joins as kubeadm's, for a day", () => {
  const { text, secret } = newBootstrapToken("laptop", nowMs);
  const { stringData, metadata, type } = secret as {
    stringData: Record<string, string>;
    metadata: object;
    type: string;
  };
  const data = Object.fromEntries(Object.entries(stringData).map(([key, value]) => [key, btoa(value)]));
  const stored = { apiVersion: "v1", kind: "Secret", metadata, type, data } as Secret;
  const token = bootstrapTokenOf(text);
  const groups = (atMs: number) => token && bootstrapGroups(stored, token, atMs);
  expect(groups(nowMs)).toEqual(["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token"]);
  expect(groups(nowMs + 24 * 3_600_000)).toBeUndefined();
});

describe("a plan", () => {
  const { files, kubelet } = joinPlan(options);

  test("gives the kubelet the bootstrap token, and the tunnel the node's own", () => {
    const tokenIn = (name: string) =>
      (parse(files[name] ?? "") as { users: { user: { token: string } }[] }).users[0]?.user.token;
    expect([tokenIn("bootstrap-kubelet.conf"), tokenIn("tunnel.conf")]).toEqual([
      "abcdef.0123456789abcdef",
      "node-token",
    ]);
    expect(Object.values(files).some((text) => text.includes("admin\n"))).toBe(false);
  });

  test("configures a kubelet that trusts the machine's authority and asks the sandbox", () => {
    expect(parse(files["kubelet.yaml"] ?? "")).toEqual({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: "/var/lib/sandbar/laptop/api-server-ca.crt" },
      },
      authorization: { mode: "Webhook" },
      clusterDomain: "cluster.local",
      clusterDNS: ["10.96.0.10"],
      containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
      port: 10_250,
      rotateCertificates: true,
      serverTLSBootstrap: true,
      registerWithTaints: [{ key: "real", value: "true", effect: "NoSchedule" }],
    });
    expect(kubelet).toEqual([
      "--config=/var/lib/sandbar/laptop/kubelet.yaml",
      "--bootstrap-kubeconfig=/var/lib/sandbar/laptop/bootstrap-kubelet.conf",
      "--kubeconfig=/var/lib/sandbar/laptop/kubelet.conf",
      "--cert-dir=/var/lib/sandbar/laptop/pki",
      "--hostname-override=laptop",
      "--node-labels=tier=edge",
    ]);
  });

  test("without a bootstrap token has the kubelet use the node's token", () => {
    const withToken = joinPlan({ ...options, bootstrapToken: undefined });
    expect(Object.keys(withToken.files)).not.toContain("bootstrap-kubelet.conf");
    expect(withToken.files["kubelet.conf"]).toBe(withToken.files["tunnel.conf"]);
    expect(withToken.kubelet.some((word) => word.includes("bootstrap"))).toBe(false);
  });

  test("as a script writes each file, starts the kubelet and serves it", () => {
    const script = joinScript({ files, kubelet, sandbox: "id", node: "laptop", folder: "/my dir", port: 10_250 });
    for (const name of Object.keys(files)) expect(script).toContain(`cat > '/my dir/${name}' <<'END_OF_FILE'\n`);
    expect(script).toContain("umask 077");
    expect(script).toMatch(/\nkubelet --config=\S+ .* &\n/);
    expect(script).toContain("sandbar node serve laptop --folder '/my dir' --port 10250 &\n");
  });

  test.each([
    { ending: "kubelet", remaining: "sandbar" },
    { ending: "sandbar", remaining: "kubelet" },
  ])("as a script ends $remaining if $ending ends", ({ ending, remaining }) => {
    const folder = mkdtempSync(join(tmpdir(), "node-"));
    const program = (name: string, body: string) =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    program(ending, "exit 1");
    program(remaining, `echo $$ > '${folder}/pid'; exec sleep 60`);
    const script = joinScript({ files, kubelet, sandbox: "id", node: "laptop", folder, port: 10_250 });
    const ran = spawnSync("sh", ["-c", script], {
      env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` },
      encoding: "utf8",
      timeout: 20_000,
    });
    expect([ran.status, ran.stderr]).toEqual([1, "the kubelet or its connection to the sandbox has ended\n"]);
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  test("writes files that only the user reads", () => {
    const folder = join(mkdtempSync(join(tmpdir(), "node-")), "new");
    writeFiles(folder, { files, kubelet });
    expect(readFileSync(join(folder, "api-server.key"), "utf8")).toBe("key");
    expect([statSync(folder).mode & 0o777, statSync(join(folder, "tunnel.conf")).mode & 0o777]).toEqual([0o700, 0o600]);
  });
});

describe("a request of a joining machine", () => {
  test.each([404, 502])("reports a proxy's page with the status %i as what it is", async (status) => {
    const server = createServer((_, answer) => answer.writeHead(status).end("<h1>proxy</h1>"));
    await once(server.listen(0, "127.0.0.1"), "listening");
    // A server that listens on a port has an address.
    const { port } = server.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    const target = { server: `${origin}/c/id`, token: "x", ca: undefined, insecure: false };
    await expect(askSandbox(target, "GET", "/api")).rejects.toThrow(
      `${origin} answers ${status} without JSON: <h1>proxy</h1>`,
    );
    server.close();
  });
});
