// Webhooks on this machine, as an operator's author runs them: reached by URL, and through a tunnel; their bundle is trusted.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type HttpsServer, type Say, httpsServer } from "../https-server.ts";
import { findKubectls } from "./binaries.ts";
import { eventually, type Kubectl, kubectlFor } from "./kubectl.ts";
import { control, newSandbox } from "./sandbox.ts";
import { projectRoot } from "./service.ts";

const [binary] = findKubectls();
const servers: HttpsServer[] = [];
const tunnels: ChildProcess[] = [];

afterAll(async () => {
  for (const tunnel of tunnels) tunnel.kill("SIGKILL");
  await Promise.all(servers.map((server) => server.close()));
});

/** `/mutate` sets a label, `/validate` refuses objects named `bad`. */
const review: Say = ({ path, body }) => {
  const { apiVersion, kind, request } = JSON.parse(body) as {
    apiVersion: string;
    kind: string;
    request: { uid: string; object: { metadata: { name: string; labels?: object } } };
  };
  const { uid, object } = request;
  const labels = [{ op: "add", path: "/metadata/labels", value: { ...object.metadata.labels, seen: "yes" } }];
  const patch = { patchType: "JSONPatch", patch: btoa(JSON.stringify(labels)) };
  const response = path.startsWith("/mutate")
    ? { uid, allowed: true, ...patch }
    : { uid, allowed: object.metadata.name !== "bad", status: { message: "it is bad" }, warnings: ["looked at"] };
  return { body: JSON.stringify({ apiVersion, kind, response }) };
};

async function serve(names: readonly string[], say: Say): Promise<HttpsServer> {
  const server = await httpsServer(names, say);
  servers.push(server);
  return server;
}

function configurations(client: (path: string) => object): string {
  const group = { apiVersion: "admissionregistration.k8s.io/v1" };
  const webhook = (path: string) => ({
    name: "hook.example.com",
    clientConfig: client(path),
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
  });
  const of = (kind: string, path: string) => ({
    ...group,
    kind,
    metadata: { name: "hook" },
    webhooks: [webhook(path)],
  });
  const items = [of("MutatingWebhookConfiguration", "/mutate"), of("ValidatingWebhookConfiguration", "/validate")];
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

async function meetsWebhooks(kubectl: Kubectl): Promise<void> {
  expect(await kubectl.ok("create configmap good -o jsonpath={.metadata.labels.seen}")).toBe("yes");
  const refused = await kubectl.fails("create configmap bad");
  expect(refused).toContain('admission webhook "hook.example.com" denied the request: it is bad');
  expect(refused).toContain("Warning: looked at");
}

async function newKubectl(): Promise<Kubectl> {
  if (!binary) throw new Error("no kubectl");
  return kubectlFor(binary, await newSandbox());
}

test.skipIf(!binary)("A6: a tunnel ends with its sandbox, and reports the reason", async () => {
  const kubectl = await newKubectl();
  const output = await openTunnel(kubectl, "default/hook", 9);
  const exited = new Promise<number | null>((done) => tunnels.at(-1)?.once("exit", (code) => done(code)));
  const { status } = await control(kubectl.sandbox.service, `/v1/sandboxes/${kubectl.sandbox.id}`, {
    method: "DELETE",
  });
  expect([status, await exited]).toEqual([204, 1]);
  // The end of the connection may arrive first, and the next attempt is told the reason.
  expect(output()).toMatch(/^(the tunnel is closed: )?the sandbox has expired or was deleted$/m);
});

async function openTunnel(kubectl: Kubectl, service: string, port: number): Promise<() => string> {
  const words = ["--service", service, "--to", `https://localhost:${port}`, "--kubeconfig", kubectl.sandbox.kubeconfig];
  const child = spawn(process.execPath, [join(projectRoot, "scripts/tunnel.ts"), ...words], { stdio: "pipe" });
  tunnels.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => void (output += String(chunk)));
  await eventually(
    () => `a tunnel; it printed ${output}`,
    () => output.includes("is served from"),
  );
  return () => output;
}

test.skipIf(!binary)("a webhook is called by URL, and its CA bundle is trusted", async () => {
  const kubectl = await newKubectl();
  const { port, caBundle, certificate } = await serve(["localhost"], review);
  const client = (bundle: string) => (path: string) => ({
    url: `https://localhost:${port}${path}`,
    caBundle: bundle,
  });
  await kubectl.ok("apply -f -", { input: configurations(client(caBundle)) });
  await meetsWebhooks(kubectl);
  await kubectl.ok("delete configmap good");
  await kubectl.ok("apply -f -", { input: configurations(client(certificate)) });
  await meetsWebhooks(kubectl);
  const otherServer = await serve(["localhost"], review);
  const wrong = (path: string) => ({ url: `https://localhost:${otherServer.port}${path}`, caBundle });
  await kubectl.ok("apply -f -", { input: configurations(wrong) });
  expect(await kubectl.fails("create configmap more")).toContain(
    `failed calling webhook "hook.example.com": failed to call webhook: Post "https://localhost:${otherServer.port}/mutate?timeout=10s": ` +
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  );
});

/** An aggregated API with one object, which shows the headers about its user. */
const serveThings: Say = ({ path, headers }) => {
  const groupVersion = "things.example.com/v1";
  if (path === `/apis/${groupVersion}`) {
    const resource = { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get", "list"] };
    return { body: JSON.stringify({ kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [resource] }) };
  }
  const metadata = { name: "one", namespace: "default", annotations: { user: String(headers["x-remote-user"]) } };
  const items = [{ apiVersion: groupVersion, kind: "Thing", metadata }];
  if (path.includes("watch=")) return { body: `${JSON.stringify({ type: "ADDED", object: items[0] })}\n` };
  return { body: JSON.stringify({ apiVersion: groupVersion, kind: "ThingList", metadata: {}, items }) };
};

test.skipIf(!binary)(
  "an aggregated API is served through a tunnel, and is available while the tunnel is open",
  async () => {
    const kubectl = await newKubectl();
    const { port, certificate: caBundle } = await serve(["api.default.svc"], serveThings);
    await kubectl.ok("create service clusterip api --tcp=443:9443");
    const spec = {
      group: "things.example.com",
      version: "v1",
      service: { namespace: "default", name: "api" },
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      caBundle,
    };
    const metadata = { name: "v1.things.example.com" };
    const service = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata, spec };
    await kubectl.ok("apply -f -", { input: JSON.stringify(service) });
    const available = () => kubectl.ok("get apiservice v1.things.example.com --no-headers");
    await eventually(
      () => "a reason",
      async () => (await available()).includes("False (MissingEndpoints)"),
    );
    await openTunnel(kubectl, "default/api", port);
    await kubectl.ok("wait --for=condition=Available apiservice/v1.things.example.com --timeout=60s");
    expect(await kubectl.ok("api-resources --api-group=things.example.com -o name")).toBe(
      "things.things.example.com\n",
    );
    const user = "{.items[0].metadata.annotations.user}";
    expect(await kubectl.ok(`get things -o jsonpath=${user}`)).toBe("kubernetes-admin");
    const watched = await kubectl.ok("get --raw /apis/things.example.com/v1/namespaces/default/things?watch=1");
    expect(JSON.parse(watched)).toMatchObject({ type: "ADDED", object: { metadata: { name: "one" } } });
    expect(await kubectl.ok("get apiservices")).toMatch(/^v1\.apps +Local +True/m);
    tunnels.at(-1)?.kill("SIGKILL");
    await eventually(
      () => "unavailable",
      async () => (await available()).includes("False (MissingEndpoints)"),
    );
    expect(await kubectl.fails("get --raw /apis/things.example.com/v1/things")).toContain("currently unable to handle");
  },
);

test.skipIf(!binary)("a webhook behind a Service is served through a tunnel with the Service's name", async () => {
  const kubectl = await newKubectl();
  const { port, intermediate: caBundle } = await serve(["hook.default.svc"], review);
  await kubectl.ok("create service clusterip hook --tcp=443:9443");
  const service = (path: string) => ({ service: { namespace: "default", name: "hook", path }, caBundle });
  await kubectl.ok("apply -f -", { input: configurations(service) });
  expect(await kubectl.fails("create configmap early")).toContain('no endpoints available for service "hook"');
  const output = await openTunnel(kubectl, "default/hook", port);
  await meetsWebhooks(kubectl);
  expect(output()).toContain("POST /mutate?timeout=10s 200");
});
