// Flags in the manifest of the API server act on the cluster.
import { createDecipheriv } from "node:crypto";
import { expect, test } from "vitest";
import { bytesOfText } from "../../shared/base/byte-text.ts";
import type { AuditEvent } from "../../shared/k8s/audit/event.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { handle } from "../../worker/api/handler.ts";
import { configMap, core, newServer, requestOf, strangerToken, type TestServer } from "../api/server.ts";
import { onNode } from "./on-node.ts";

const manifest = "/etc/kubernetes/manifests/kube-apiserver.yaml";
const pki =
  "--endpoints=https://127.0.0.1:2379 --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key";

function settled(): TestServer {
  const server = newServer({
    base: "layered",
    systemPods: true,
    service: ({ controlPlane }) => ({
      audit: () => controlPlane.audit(),
      downAt: () => controlPlane.downAt(),
      letsAnonymous: true,
    }),
  });
  server.cluster.step(60_000);
  return server;
}

/** Adds flags to the manifest, in place of those of the same name, and waits for the new API server. */
async function withFlags({ cluster }: TestServer, flags: readonly string[]): Promise<void> {
  for (const flag of flags) {
    const name = flag.split("=", 1)[0] ?? "";
    await onNode(
      cluster,
      "node-1",
      `sed -i '/ ${name}=/d; s#^\\( *\\)- kube-apiserver$#&\\n\\1- ${flag}#' ${manifest}`,
    );
  }
  cluster.step(60_000);
}

/** Mounts a folder of the node into the API server at the same path. */
async function withMount({ cluster }: TestServer, folder: string): Promise<void> {
  await onNode(
    cluster,
    "node-1",
    `mkdir -p ${folder}
     sed -i 's#^\\( *\\)volumeMounts:#&\\n\\1- {name: m${folder.length}, mountPath: ${folder}}#; s#^\\( *\\)volumes:#&\\n\\1- {name: m${folder.length}, hostPath: {path: ${folder}, type: DirectoryOrCreate}}#' ${manifest}`,
  );
}

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, users: ["jane"]}
- {level: Metadata, resources: [{group: "", resources: [secrets]}]}
- {level: RequestResponse, resources: [{group: "", resources: [configmaps]}], omitManagedFields: true}
`;

async function audited(text: string): Promise<TestServer> {
  const server = settled();
  await withMount(server, "/etc/kubernetes/audit");
  await withMount(server, "/var/log/audit");
  await onNode(server.cluster, "node-1", `cat > /etc/kubernetes/audit/policy.yaml <<'END'\n${text}END`);
  await withFlags(server, [
    "--audit-policy-file=/etc/kubernetes/audit/policy.yaml",
    "--audit-log-path=/var/log/audit/audit.log",
  ]);
  return server;
}

async function eventsIn({ cluster }: TestServer): Promise<readonly (AuditEvent & Record<string, never>)[]> {
  const text = await onNode(cluster, "node-1", "cat /var/log/audit/audit.log");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as AuditEvent & Record<string, never>);
}

test("an audit policy decides which requests are in the log of the node, and in which form", async () => {
  const server = await audited(policy);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { password: "hidden" } };
  await server.ask("POST", `${core}/secrets`, { body: secret });
  await server.ask("POST", `${core}/configmaps`, { body: configMap("c", { a: "1" }) });
  await server.ask("GET", `${core}/configmaps/none`);
  await server.ask("GET", `${core}/configmaps`, { token: strangerToken });
  await server.ask("GET", `${core}/pods`);
  const events = await eventsIn(server);
  expect(events.map(({ level, stage, verb }) => [level, stage, verb])).toEqual([
    ["Metadata", "ResponseComplete", "create"],
    ["RequestResponse", "ResponseComplete", "create"],
    ["RequestResponse", "ResponseComplete", "get"],
  ]);
  expect(JSON.stringify(events[0])).not.toContain("hidden");
  expect(events[0]).toMatchObject({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    requestURI: "/api/v1/namespaces/default/secrets",
    user: { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
    objectRef: { resource: "secrets", namespace: "default", name: "s", apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 201 },
    annotations: { "authorization.k8s.io/decision": "allow" },
  });
  expect(events[1]).toMatchObject({ requestObject: { data: { a: "1" } }, responseObject: { metadata: { name: "c" } } });
  expect(JSON.stringify(events[1])).not.toContain("managedFields");
  expect(events[2]).toMatchObject({ responseStatus: { code: 404 }, responseObject: { reason: "NotFound" } });
  expect(server.bugs).toEqual([]);
});

test("a long-running request has an event of its start, and one of its end unless it goes on", async () => {
  const server = await audited(`apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: RequestResponse, resources: [{group: "", resources: [pods/log, configmaps]}]}
`);
  await server.ask("GET", "/api/v1/namespaces/kube-system/pods/kube-apiserver-node-1/log");
  await server.ask("GET", `${core}/pods/none/log`);
  const watch = await handle(server.service, requestOf("GET", `${core}/configmaps?watch=true`, {}));
  await watch.body?.cancel();
  const events = await eventsIn(server);
  expect(
    events.map(({ stage, verb, responseStatus }) => [verb, stage, (responseStatus as { code?: number }).code]),
  ).toEqual([
    ["get", "ResponseStarted", 200],
    ["get", "ResponseComplete", 200],
    ["get", "ResponseStarted", 404],
    ["get", "ResponseComplete", 404],
    ["watch", "ResponseStarted", 200],
  ]);
});

test("the writes of controllers, the scheduler and kubelets are audited with the names of their users", async () => {
  const server = await audited(`apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: None, users: [kubernetes-admin]}
- {level: RequestResponse, resources: [{group: apps, resources: [replicasets]}]}
- {level: Metadata, resources: [{group: "", resources: [pods, pods/binding, pods/status]}]}
`);
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx:1.27" }] } };
  const body = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { selector: { matchLabels: labels }, template },
  };
  expect((await server.ask("POST", "/apis/apps/v1/namespaces/default/deployments", { body })).code).toBe(201);
  server.cluster.step(5000);
  const events = await eventsIn(server);
  const node = server.cluster.client.list(pods, { namespace: "default" })[0]?.spec.nodeName ?? "";
  const writes = new Set(
    events.map(
      ({ user, verb, objectRef }) => `${user.username} ${verb} ${objectRef?.resource}/${objectRef?.subresource ?? ""}`,
    ),
  );
  expect([...writes]).toEqual(
    expect.arrayContaining([
      "system:serviceaccount:kube-system:deployment-controller create replicasets/",
      "system:serviceaccount:kube-system:replicaset-controller create pods/",
      "system:kube-scheduler create pods/binding",
      `system:node:${node} update pods/status`,
    ]),
  );
  expect(
    [...writes].filter((text) => text.startsWith("system:node:sandbar") || text.startsWith("kubernetes-admin")),
  ).toEqual([]);
  const stages = new Map<string, string[]>();
  for (const { auditID, stage } of events) stages.set(auditID, [...(stages.get(auditID) ?? []), stage]);
  expect(new Set([...stages.values()].map((list) => list.join()))).toEqual(
    new Set(["RequestReceived,ResponseComplete"]),
  );
  const created = events.find(
    ({ verb, objectRef, stage }) =>
      verb === "create" && objectRef?.resource === "replicasets" && stage === "ResponseComplete",
  );
  expect(created).toMatchObject({
    user: { groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"] },
    sourceIPs: [expect.stringMatching(/^[\d.]+$/)],
    requestURI: "/apis/apps/v1/namespaces/default/replicasets",
    responseStatus: { code: 201 },
    requestObject: { spec: { replicas: 1 } },
    responseObject: { kind: "ReplicaSet" },
  });
  expect(server.bugs).toEqual([]);
});

test("writes of controllers cost nothing more without an audit policy", () => {
  const server = settled();
  expect(server.cluster.registry.apiServer?.auditOfWrites()).toBeUndefined();
});

test("a line of the log escapes the characters that Go escapes", async () => {
  const server = await audited(policy);
  await server.ask("GET", `${core}/secrets?limit=1&labelSelector=a`);
  const text = await onNode(server.cluster, "node-1", "cat /var/log/audit/audit.log");
  expect(text).toContain('"requestURI":"/api/v1/namespaces/default/secrets?limit=1\\u0026labelSelector=a"');
});

test("a changed policy acts after the API server restarts, and a log that is emptied goes on", async () => {
  const server = await audited(policy);
  await server.ask("GET", `${core}/secrets`);
  await onNode(server.cluster, "node-1", "sed -i 's/level: Metadata/level: None/' /etc/kubernetes/audit/policy.yaml");
  await server.ask("GET", `${core}/secrets`);
  expect((await eventsIn(server)).length).toBe(2);
  await onNode(server.cluster, "node-1", ": > /var/log/audit/audit.log");
  await server.ask("GET", `${core}/secrets`);
  expect((await eventsIn(server)).length).toBe(1);
  await withFlags(server, ["--v=2"]);
  await server.ask("GET", `${core}/secrets`);
  expect((await eventsIn(server)).length).toBe(1);
});

test("the log keeps its newest megabyte, and an event that is too long loses its bodies", async () => {
  const server = await audited(policy);
  const long = "x".repeat(60_000);
  await server.ask("POST", `${core}/configmaps`, { body: configMap("long", { long: long + long }) });
  for (let at = 0; at < 20; at++)
    await server.ask("POST", `${core}/configmaps`, { body: configMap(`c${at}`, { long: long.slice(0, 40_000) }) });
  const first = await onNode(server.cluster, "node-1", "head -n 1 /var/log/audit/audit.log");
  const size = Number(await onNode(server.cluster, "node-1", "wc -c < /var/log/audit/audit.log"));
  expect(size).toBeGreaterThan(800_000);
  expect(size).toBeLessThan(1_100_000);
  expect(first).not.toContain('"name":"long"');
});

test.each([
  ["no such file", "", "failed to read file path"],
  ["another kind", "apiVersion: v1\nkind: Pod\n", 'no kind \\"Pod\\" is registered for version \\"v1\\"'],
  ["no rules", "apiVersion: audit.k8s.io/v1\nkind: Policy\n", "loaded illegal policy with 0 rules"],
  [
    "a wrong level",
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]\n",
    'rules[0].level: Unsupported value: \\"All\\": supported values: \\"Metadata\\", \\"None\\", \\"Request\\", \\"RequestResponse\\": from file',
  ],
  ["a text that is no YAML", "{", "failed decoding: couldn't get version/kind"],
  ["too many rules", `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [${"{level: None},".repeat(600)}]\n`, "500"],
])("a policy file with %s ends the API server with upstream's error", async (_, text, error) => {
  const server = await audited(text || policy);
  if (text === "") {
    await onNode(server.cluster, "node-1", "rm /etc/kubernetes/audit/policy.yaml");
    await withFlags(server, ["--v=2"]);
  }
  expect(server.cluster.controlPlane.downAt()).toBeDefined();
  expect((await server.ask("GET", `${core}/pods`)).code).toBe(503);
  const logs = "crictl logs $(crictl ps -a -q --name kube-apiserver | head -n 1)";
  expect(await onNode(server.cluster, "node-1", logs)).toContain(error);
});

test("a policy outside of the API server's mounts is not found", async () => {
  const server = settled();
  await onNode(server.cluster, "node-1", `cat > /etc/policy.yaml <<'END'\n${policy}END`);
  await withFlags(server, ["--audit-policy-file=/etc/policy.yaml"]);
  expect(server.cluster.controlPlane.downAt()).toBeDefined();
});

const encryption = (key: string) => `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aescbc: {keys: [{name: key1, secret: ${key}}]}
  - identity: {}
`;
const key32 = btoa("0123456789abcdef0123456789abcdef");

test("secrets that are written after the API server has an encryption key are encrypted in etcd, and others once they are replaced", async () => {
  const server = settled();
  const secret = (name: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name }, data: { a: "c2VjcmV0" } });
  await server.ask("POST", `${core}/secrets`, { body: secret("old") });
  await withMount(server, "/etc/kubernetes/enc");
  await onNode(server.cluster, "node-1", `cat > /etc/kubernetes/enc/enc.yaml <<'END'\n${encryption(key32)}END`);
  await withFlags(server, ["--encryption-provider-config=/etc/kubernetes/enc/enc.yaml"]);
  expect((await server.ask("POST", `${core}/secrets`, { body: secret("new") })).code).toBe(201);
  const stored = (name: string) =>
    onNode(server.cluster, "node-1", `etcdctl ${pki} get /registry/secrets/default/${name}`);
  expect(await stored("new")).toMatch(/^\/registry\/secrets\/default\/new\nk8s:enc:aescbc:v1:key1:/);
  expect(await stored("new")).not.toContain("c2VjcmV0");
  const bytes = bytesOfText((await stored("new")).slice(0, -1)).subarray(
    "/registry/secrets/default/new\nk8s:enc:aescbc:v1:key1:".length,
  );
  const decipher = createDecipheriv("aes-256-cbc", "0123456789abcdef0123456789abcdef", bytes.subarray(0, 16));
  const plain = decipher.update(bytes.subarray(16), undefined, "utf8") + decipher.final("utf8");
  expect(JSON.parse(plain.slice("k8s\0\n".length))).toMatchObject({
    metadata: { name: "new" },
    data: { a: "c2VjcmV0" },
  });
  expect(await stored("old")).toContain("c2VjcmV0");
  const { body } = await server.ask("GET", `${core}/secrets/old`);
  expect((await server.ask("PUT", `${core}/secrets/old`, { body })).code).toBe(200);
  expect(await stored("old")).toMatch(/\nk8s:enc:aescbc:v1:key1:/);
  const again = await server.ask("PUT", `${core}/secrets/old`, {
    body: { ...body, metadata: { ...body.metadata, resourceVersion: "" } },
  });
  const read = await server.ask("GET", `${core}/secrets/old`);
  expect(again.body.metadata.resourceVersion).toBe(read.body.metadata.resourceVersion);
  expect(read.body.data).toEqual({ a: "c2VjcmV0" });
});

test.each([
  [encryption("c2hvcnQ="), "secret is not of the expected length, got 5, expected one of [16 24 32]"],
  [encryption("'%'"), "secrets must be base64 encoded"],
  ["apiVersion: v1\nkind: Secret\n", 'no kind \\"Secret\\"'],
])("an encryption configuration with an error ends the API server: %#", async (text, error) => {
  const server = settled();
  await withMount(server, "/etc/kubernetes/enc");
  await onNode(server.cluster, "node-1", `cat > /etc/kubernetes/enc/enc.yaml <<'END'\n${text}END`);
  await withFlags(server, ["--encryption-provider-config=/etc/kubernetes/enc/enc.yaml"]);
  expect(server.cluster.controlPlane.downAt()).toBeDefined();
  const logs = "crictl logs $(crictl ps -a -q --name kube-apiserver | head -n 1)";
  expect(await onNode(server.cluster, "node-1", logs)).toContain(error);
});

test("admission plugins are enabled and disabled by flags", async () => {
  const server = settled();
  const pod = (name: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "c", image: "nginx:1.27", imagePullPolicy: "IfNotPresent" }] },
  });
  const created = async (name: string) => (await server.ask("POST", `${core}/pods`, { body: pod(name) })).body.spec;
  expect(await created("before")).toMatchObject({
    containers: [{ imagePullPolicy: "IfNotPresent" }],
    tolerations: [{}, {}],
  });
  await withFlags(server, [
    "--enable-admission-plugins=NodeRestriction,AlwaysPullImages",
    "--disable-admission-plugins=DefaultTolerationSeconds",
  ]);
  const spec = await created("after");
  expect(spec).toMatchObject({ containers: [{ imagePullPolicy: "Always" }] });
  expect(spec).not.toHaveProperty("tolerations");
});

test("without RBAC among the modes of authorization roles grant nothing, and AlwaysAllow grants everything", async () => {
  const server = settled();
  const may = async () => (await server.ask("GET", `${core}/secrets`, { token: strangerToken })).code;
  expect(await may()).toBe(403);
  await withFlags(server, ["--authorization-mode=AlwaysAllow"]);
  expect(await may()).toBe(200);
  await withFlags(server, ["--authorization-mode=Node,RBAC"]);
  expect(await may()).toBe(403);
});

test("an API server without anonymous requests refuses the probes of its kubelet, so it is not ready", async () => {
  const server = settled();
  expect((await server.ask("GET", "/version", { token: null })).code).toBe(200);
  await withFlags(server, ["--anonymous-auth=false"]);
  expect(server.cluster.controlPlane.downAt()).toBeDefined();
});
