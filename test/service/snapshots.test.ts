// Snapshots as users have them: the recipes of docs/snapshots.md, and kubectl in sandboxes that began with another's state.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { type CreateSandbox, type SandboxWithToken, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { snapshot, stateMediaType } from "../../shared/contract/snapshot.ts";
import { findKubectls } from "./binaries.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { control, newSandbox, testSandbox } from "./sandbox.ts";
import { projectRoot, type ServiceAddress } from "./service.ts";
import { tour } from "./tour.ts";

const [first] = findKubectls();
const page = readFileSync(join(projectRoot, "docs/snapshots.md"), "utf8");

/** What a block of the page prints, run with the prelude before it. */
function recipe(name: string, before = ""): string {
  const { http, apiKey, data } = inject("service");
  const prelude = blockOf("prelude").replace(/^SANDBAR=.*$/m, `SANDBAR=${http} KEY=${apiKey}`);
  const folder = mkdtempSync(join(data, "recipe-"));
  const script = ["set -eu", prelude, before, blockOf(name)].join("\n");
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: folder, encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

function blockOf(name: string): string {
  const begin = `\`\`\`sh ${name}\n`;
  const at = page.indexOf(begin);
  expect(at, name).toBeGreaterThan(0);
  return page.slice(at + begin.length, page.indexOf("\n```", at));
}

describe.skipIf(!first)("the recipes of docs/snapshots.md", () => {
  test("every test begins with the same prepared cluster, whatever another has done", () => {
    const out = recipe("prepared");
    expect(out.match(/^web +1\/1 /gm)).toHaveLength(2);
    expect(out.match(/^deployment.apps "web" deleted$/gm)).toHaveLength(2);
  });

  test("back to before the mistake, by an undo and by a revision", () => {
    const out = recipe("mistake");
    expect(out.match(/"verb":"delete"/g)).toHaveLength(2);
    expect(out.match(/"objects":\[\{"change":"deleted","resource":"namespaces"/g)).toHaveLength(2);
    expect(out.match(/^web-\S+ +1\/1 +Running/gm)).toHaveLength(2);
    const [both = "", one = ""] = out.split(/^\{"revision":\d+\}/m).slice(1);
    expect([both, one].map((table) => [...table.matchAll(/^(web|other) /gm)].map((match) => match[1]))).toEqual([
      ["other", "web"],
      ["web"],
    ]);
  });

  test("what a chart changed is a readable text", () => {
    const out = recipe("chart");
    expect(out).toContain("--- from/apps.v1.Deployment.default.web\n+++ to/apps.v1.Deployment.default.web\n");
    expect(out).toMatch(/^- +- image: nginx:1\.28$/m);
    expect(out).toMatch(/^\+ +- image: nginx:1\.29$/m);
  });

  test("a real cluster's state is there to look at", async () => {
    const { kubeconfig, service } = await newSandbox();
    const source = `export KUBECONFIG=${kubeconfig}
kubectl create deployment web --image=nginx --replicas=2
kubectl rollout status deployment/web`;
    const out = recipe("real", source);
    expect(out.match(/^default +web-\S+ +1\/1 +Running .* node-\d /gm)).toHaveLength(2);
    expect(service.http).toBe(inject("service").http);
  });
});

async function made(answer: Promise<Response>): Promise<SandboxWithToken> {
  const { status } = await answer;
  const text = await (await answer).text();
  expect(status, text).toBe(201);
  return sandboxWithToken.parse(JSON.parse(text));
}

/** Ways to a sandbox that holds what another began with. */
const ways: Readonly<Record<string, (service: ServiceAddress, from: SandboxWithToken) => Promise<SandboxWithToken>>> = {
  forked: (service, { id }) => made(control(service, `/v1/sandboxes/${id}/fork`, { method: "POST" })),
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
    return made(control(service, "/v1/sandboxes", { method: "POST", body: file, headers }));
  },
};

describe.skipIf(!first)("kubectl in a sandbox that is", () => {
  test.each(Object.keys(ways))("%s sees what it sees in any", async (way) => {
    if (!first) return;
    const service = inject("service");
    const from = await newSandbox({ ttlSeconds: 3600 });
    const sandbox = await ways[way]?.(service, from);
    if (!sandbox) throw new Error(`no way ${way}`);
    const kubectl = kubectlFor(first, await testSandbox(service, sandbox));
    await tour(kubectl);
    expect(await kubectl.ok("get configmaps -o name")).toBe("configmap/kube-root-ca.crt\n");
  });

  test("made of the YAML that another was written out as has its objects, and they run", async () => {
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
