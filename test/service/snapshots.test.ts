// Snapshots as users have them: the recipes of docs/snapshots.md, and kubectl in sandboxes that began with another's state.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { buildClient } from "../../scripts/client/build.ts";
import { type CreateSandbox, type SandboxWithToken, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { snapshot, stateMediaType } from "../../shared/contract/snapshot.ts";
import { findKubectls } from "./binaries.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { control, newSandbox, testSandbox } from "./sandbox.ts";
import { projectRoot, type ServiceAddress } from "./service.ts";
import { tour } from "./tour.ts";

const [first] = findKubectls();
const [page, timePage, recordingsPage, faultPage] = [
  "docs/snapshots.md",
  "docs/time.md",
  "docs/recordings.md",
  "docs/faults.md",
].map((path) => readFileSync(join(projectRoot, path), "utf8"));

beforeAll(async () => {
  if (!existsSync(join(projectRoot, "dist/client/sandbar.js"))) await buildClient(projectRoot);
});

/** Runs a block of the page after the prelude and returns its output. */
function recipe(name: string, before = "", of = page, preludeOf = of): string {
  const { http, apiKey, data } = inject("service");
  const prelude = blockOf("prelude", preludeOf).replace(/^SANDBAR=.*$/m, `SANDBAR=${http} KEY=${apiKey}`);
  const folder = mkdtempSync(join(data, "recipe-"));
  const command = join(folder, "sandbar");
  writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${projectRoot}/dist/client/sandbar.js "$@"\n`, {
    mode: 0o755,
  });
  const script = ["set -eu", prelude, before, blockOf(name, of)].join("\n");
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: `${folder}:${process.env.PATH ?? ""}` },
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

function blockOf(name: string, of = page): string {
  const begin = `\`\`\`sh ${name}\n`;
  const at = of?.indexOf(begin) ?? -1;
  expect(at, name).toBeGreaterThan(0);
  return of?.slice(at + begin.length, of.indexOf("\n```", at)) ?? "";
}

describe.skipIf(!first)("recipes of docs/faults.md", () => {
  const faulty = (name: string) => recipe(name, blockOf("faults-prelude", faultPage), faultPage, timePage);

  test("a request is refused once", () => {
    expect(faulty("busy")).toBe("refused\nconfigmap/a created\n");
  });

  test("a write's answer is lost, and the write is committed", () => {
    expect(faulty("lost")).toBe("no answer\nsecret/s\n");
  });

  test("a watch does not receive a frozen change", () => {
    const events = faulty("frozen")
      .split("\n")
      .flatMap((line) => /^(ADDED|MODIFIED|DELETED) +(\w+) /.exec(line)?.slice(1, 3).join(" ") ?? []);
    expect(events).toContain("ADDED b");
    expect(events.filter((event) => !["ADDED a", "ADDED b", "DELETED a"].includes(event))).toEqual([]);
  });

  test("a client is disconnected after its second write, until the fault ends", () => {
    expect(faulty("disconnect")).toBe("configmap/a created\ncut\nstill cut\nconfigmap/b\n");
  });

  test("the timeline marks the effects of a fault", () => {
    expect(faulty("marked")).toMatch(/⚡ fault slow: delayed by 1000 ms \(kubernetes-admin get nodes node-1\)$/m);
  });
});

describe.skipIf(!first)("recipes of docs/time.md", () => {
  test("a CronJob's week takes seconds", () => {
    const out = recipe("week", "", timePage);
    expect(out).toMatch(/"simulatedMs":604800000,.*"end":"time",.*"Completed":2[78]/);
    expect(out.match(/^job\.batch\/backup-\d+ +Complete +1\/1/gm)).toHaveLength(3);
    expect(out).toMatch(/^cronjob\.batch\/backup .* 7d$/m);
  });

  test("a paused clock advances until an object has its expected condition", () => {
    const out = recipe("condition", "", timePage);
    expect(out).toMatch(/"state":"paused",.*"end":"condition"/);
    expect(out).toMatch(/^once +Complete +1\/1 +9\ds +9\ds/m);
  });

  test("a token expires", () => {
    const [before, answer, after] = recipe("token", "", timePage).trim().split("\n");
    expect([before, after]).toEqual(["system:serviceaccount:default:default", "expired"]);
    expect(answer).toContain('"simulatedMs":7200000');
  });

  test("a certificate expires", () => {
    const lines = recipe("certificate", "", timePage).trim().split("\n");
    expect(lines.at(-3)).toBe("jane");
    expect(lines.at(-1)).toBe("expired");
  });

  test("a lease is lost", () => {
    const out = recipe("lease", "", timePage);
    expect(out).toMatch(/^my-operator +replica-b /m);
    expect(out.trim().split("\n").at(-1)).toBe('"holderIdentity":"replica-a"');
  });

  test("the timeline is followed", () => {
    const out = recipe("follow", "", timePage);
    expect(out).toMatch(/kubernetes-admin \(create\) created deployments\.apps default\/web$/m);
    expect(out).toMatch(/└ kubelet changed pods default\/web-/);
  });

  test("a log ends at the revision, even if its pod is deleted", () => {
    expect(recipe("log", "", timePage).trim().split("\n").at(-1)).toMatch(/^tick \d+$/);
  });

  test("a rollout is listed from the request to the kubelet", () => {
    const out = recipe("rollout", "", timePage);
    expect(out).toMatch(
      /kubernetes-admin \(patch\) changed deployments\.apps\/scale default\/web: spec\.replicas: 1 → 2$/m,
    );
    expect(out).toMatch(/└ kubelet created events default\/web-\S+: Started: /m);
  });

  test("the cluster's past is read and compared, and cannot be changed", () => {
    const out = recipe("past", "", timePage);
    expect(out).toMatch(/^1\n(.|\n)*^-  replicas: 3\n\+  replicas: 1$(.|\n)*^refused$/m);
  });

  test("a seed repeats a history with the same names, uids and addresses", () => {
    const out = recipe("seed", "", timePage);
    expect(out.match(/^web-\S+ \S{36} +10\.244\.\d+\.\d+$/gm)).toHaveLength(3);
    expect(out).toMatch(/^web \S{36} 10\.\d+\.\d+\.\d+ *$/m);
  });

  test("an explanation says why a Deployment waits", () => {
    expect(recipe("why", "", timePage)).toMatch(
      /^Deployment default\/web waits: .*; Pod default\/web-\S+: no node takes it: 0\/3 nodes are available: 3 Insufficient cpu/m,
    );
  });
});

describe.skipIf(!first)("recipes of docs/recordings.md", () => {
  test("a bug report is replayed", () => {
    const out = recipe("record", "", recordingsPage);
    expect(out).toMatch(/^web-\S+ +0\/1 +(ImagePullBackOff|ErrImagePull)/m);
    expect(out.match(/^web-\S+ +1\/1 +Running/gm)).toHaveLength(2);
  });

  test("an incident of a real cluster is inspected, diverges in a fork, and continues", () => {
    const out = recipe("capture", "", recordingsPage);
    const [, before = "", after = ""] = out.split(/^NAME .*$/m);
    expect(before).toMatch(/^web-\S+ +0\/1 +(ErrImagePull|ImagePullBackOff)/m);
    expect(before).toContain('deployment "web" successfully rolled out');
    expect(after).not.toMatch(/ErrImagePull|ImagePullBackOff/);
    expect(after.match(/^web-\S+ +1\/1 +Running/gm)).toHaveLength(2);
  });
});

describe.skipIf(!first)("recipes of docs/snapshots.md", () => {
  test("every test starts with the same prepared cluster, independent of other tests", () => {
    const out = recipe("prepared");
    expect(out.match(/^web +1\/1 /gm)).toHaveLength(2);
    expect(out.match(/^deployment.apps "web" deleted$/gm)).toHaveLength(2);
  });

  test("a mistake is reverted by an undo and by a revision", () => {
    const out = recipe("mistake");
    expect(out.match(/"verb":"delete"/g)).toHaveLength(2);
    expect(out.match(/"objects":\[\{"change":"deleted","resource":"namespaces"/g)).toHaveLength(2);
    expect(out.match(/^web-\S+ +1\/1 +Running/gm)).toHaveLength(2);
    const [both = "", single = ""] = out.split(/^\{"revision":\d+\}/m).slice(1);
    expect([both, single].map((table) => [...table.matchAll(/^(web|other) /gm)].map((match) => match[1]))).toEqual([
      ["other", "web"],
      ["web"],
    ]);
  });

  test("a chart's changes are a readable diff", () => {
    const out = recipe("chart");
    expect(out).toContain("--- from/apps.v1.Deployment.default.web\n+++ to/apps.v1.Deployment.default.web\n");
    expect(out).toMatch(/^- +- image: nginx:1\.28$/m);
    expect(out).toMatch(/^\+ +- image: nginx:1\.29$/m);
  });

  test("a real cluster's state is imported for inspection", async () => {
    const { kubeconfig, service } = await newSandbox();
    const source = `export KUBECONFIG=${kubeconfig}
kubectl create deployment web --image=nginx --replicas=2
kubectl rollout status deployment/web`;
    const out = recipe("real", source);
    expect(out.match(/^default +web-\S+ +1\/1 +Running .* node-\d /gm)).toHaveLength(2);
    expect(service.http).toBe(inject("service").http);
  });
});

async function createdSandbox(answer: Promise<Response>): Promise<SandboxWithToken> {
  const { status } = await answer;
  const text = await (await answer).text();
  expect(status, text).toBe(201);
  return sandboxWithToken.parse(JSON.parse(text));
}

/** Ways to create a sandbox with another one's state. */
const ways: Readonly<Record<string, (service: ServiceAddress, from: SandboxWithToken) => Promise<SandboxWithToken>>> = {
  forked: (service, { id }) => createdSandbox(control(service, `/v1/sandboxes/${id}/fork`, { method: "POST" })),
  restored: async (service, from) => {
    const path = `/v1/sandboxes/${from.id}`;
    const { id } = snapshot.parse(await (await control(service, `${path}/snapshots`, { method: "POST" })).json());
    const { http, token } = { http: `${service.http}/c/${from.id}`, token: from.token };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const url = `${http}/api/v1/namespaces/default/configmaps`;
    await fetch(url, { method: "POST", headers, body: JSON.stringify({ metadata: { name: "later" } }) });
    const body = JSON.stringify({ snapshot: id });
    expect((await control(service, `${path}/restore`, { method: "POST", body })).status).toBe(200);
    return from;
  },
  "written out": async (service, { id }) => {
    const file = await (await control(service, `/v1/sandboxes/${id}/export?format=state`)).arrayBuffer();
    const headers = { "content-type": stateMediaType };
    return createdSandbox(control(service, "/v1/sandboxes", { method: "POST", body: file, headers }));
  },
};

describe.skipIf(!first)("kubectl in a restored sandbox", () => {
  test.each(Object.keys(ways))("%s has the same results as in any sandbox", async (way) => {
    if (!first) return;
    const service = inject("service");
    const from = await newSandbox({ ttlSeconds: 3600 });
    const sandbox = await ways[way]?.(service, from);
    if (!sandbox) throw new Error(`no way ${way}`);
    const kubectl = kubectlFor(first, await testSandbox(service, sandbox));
    await tour(kubectl);
    expect(await kubectl.ok("get configmaps -o name")).toBe("configmap/kube-root-ca.crt\n");
  });

  test("an export as YAML recreates the objects, and they run", async () => {
    const from = await kubectlIn({});
    await from.ok("create namespace shop");
    await from.ok("create deployment web --image=nginx --replicas=2 -n shop");
    await from.ok("expose deployment web --port=80 -n shop");
    await from.ok("rollout status deployment/web -n shop");
    const yaml = await (await control(from.sandbox.service, `/v1/sandboxes/${from.sandbox.id}/export`)).text();
    const to = await kubectlIn({});
    to.write("all.yaml", yaml);
    expect(await to.ok("apply -f all.yaml")).toBe(
      "namespace/shop created\ndeployment.apps/web created\nservice/web created\n",
    );
    await to.ok("rollout status deployment/web -n shop");
    expect(await to.ok("diff -f all.yaml")).toBe("");
  });
});

async function kubectlIn(options: CreateSandbox): Promise<Kubectl> {
  if (!first) throw new Error("there is no kubectl");
  return kubectlFor(first, await newSandbox(options));
}
