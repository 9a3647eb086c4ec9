// The past of a container: its log does not change when the cluster changes.
import { expect, test } from "vitest";
import { core, newServer } from "../api/server.ts";

type Server = ReturnType<typeof newServer>;

async function create(server: Server, path: string, body: object) {
  expect((await server.ask("POST", path, { body })).code).toBe(201);
}

async function patch(server: Server, path: string, body: object) {
  const headers = { "content-type": "application/merge-patch+json" };
  expect((await server.ask("PATCH", path, { body, headers })).code).toBe(200);
}

async function logOf(server: Server, pod: string) {
  const { code, text } = await server.ask("GET", `${core}/pods/${pod}/log`);
  expect(code).toBe(200);
  return text;
}

function pod(name: string, script: string, more: object = {}, spec: object = {}) {
  const containers = [{ name: "main", image: "busybox:1.36", command: ["sh", "-c", script], ...more }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { restartPolicy: "Never", containers, ...spec } };
}

/** Returns a cluster in which a Deployment answers behind the Service `web`, each version with its own text. */
async function withWeb() {
  const server = newServer();
  const labels = { app: "web" };
  const container = { name: "main", image: "hashicorp/http-echo", args: ["-text=v1", "-listen=:80"] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  await create(server, "/apis/apps/v1/namespaces/default/deployments", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec,
  });
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: labels, ports: [{ port: 80 }] },
  };
  await create(server, `${core}/services`, service);
  server.cluster.step(30_000);
  return server;
}

const loop = 'while true; do echo "$(date +%T) $(wget -q -T 1 -O- http://web/ 2>&1 || echo fail)"; sleep 3; done';

test("L5: the log of a client in a loop keeps its lines when the server is scaled to zero", async () => {
  const server = await withWeb();
  await create(server, `${core}/pods`, pod("loop", loop));
  server.cluster.step(10_000);
  const before = await logOf(server, "loop");
  expect(before).toMatch(/v1\n/);
  await patch(server, "/apis/apps/v1/namespaces/default/deployments/web", { spec: { replicas: 0 } });
  server.cluster.step(60_000);
  const after = await logOf(server, "loop");
  expect(after.startsWith(before)).toBe(true);
  expect(after.slice(before.length)).toMatch(/Connection refused/);
  expect(after.slice(before.length).split("\n").at(-2)).not.toMatch(/v1/);
});

test("L5: the log keeps those lines even if no client has read it before", async () => {
  const [read, unread] = [await withWeb(), await withWeb()];
  for (const server of [read, unread]) {
    await create(server, `${core}/pods`, pod("loop", loop));
    server.cluster.step(10_000);
    if (server === read) await logOf(server, "loop");
    await patch(server, "/apis/apps/v1/namespaces/default/deployments/web", { spec: { replicas: 0 } });
    server.cluster.step(60_000);
  }
  const log = await logOf(unread, "loop");
  expect(log).toBe(await logOf(read, "loop"));
  expect(log).toMatch(/v1\n/);
});

test("L5: a deleted name resolves until its deletion", async () => {
  const server = await withWeb();
  await create(
    server,
    `${core}/pods`,
    pod("look", "while true; do nslookup web >/dev/null && echo there || echo gone; sleep 5; done"),
  );
  server.cluster.step(12_000);
  const before = await logOf(server, "look");
  expect(before).toMatch(/^(there\n)+$/);
  expect((await server.ask("DELETE", `${core}/services/web`)).code).toBe(200);
  server.cluster.step(20_000);
  const after = await logOf(server, "look");
  expect(after.startsWith(before)).toBe(true);
  expect(after).toMatch(/^(there\n)+(gone\n)+$/);
});

test("L5: a ConfigMap's change reaches the mounted file at its time, and never the environment", async () => {
  const server = newServer();
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "colour" }, data: { value: "red" } };
  await create(server, `${core}/configmaps`, map);
  const env = [{ name: "COLOUR", valueFrom: { configMapKeyRef: { name: "colour", key: "value" } } }];
  const volumeMounts = [{ name: "colour", mountPath: "/etc/colour" }];
  const volumes = [{ name: "colour", configMap: { name: "colour" } }];
  const script = 'while true; do echo "$COLOUR $(cat /etc/colour/value)"; sleep 4; done';
  await create(server, `${core}/pods`, pod("paint", script, { env, volumeMounts }, { volumes }));
  server.cluster.step(10_000);
  const before = await logOf(server, "paint");
  expect(before).toMatch(/^(red red\n)+$/);
  await patch(server, `${core}/configmaps/colour`, { data: { value: "blue" } });
  server.cluster.step(12_000);
  const after = await logOf(server, "paint");
  expect(after.startsWith(before)).toBe(true);
  expect(after).toMatch(/^(red red\n)+(red blue\n)+$/);
});

test("a request to the API was allowed or forbidden by the roles of its time", async () => {
  const server = newServer();
  const url = "https://kubernetes.default/api/v1/namespaces/default/pods";
  const token = "$(cat /var/run/secrets/kubernetes.io/serviceaccount/token)";
  const ask = `curl -s -o /dev/null -w '%{http_code}\\n' --cacert /var/run/secrets/kubernetes.io/serviceaccount/ca.crt -H "Authorization: Bearer ${token}" ${url}`;
  const script = `while true; do ${ask}; sleep 5; done`;
  await create(server, `${core}/pods`, pod("ask", script, { image: "curlimages/curl:8.11.0" }));
  server.cluster.step(12_000);
  const rbac = "rbac.authorization.k8s.io";
  await create(server, `/apis/${rbac}/v1/namespaces/default/rolebindings`, {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { name: "readers" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
  });
  server.cluster.step(12_000);
  const granted = await logOf(server, "ask");
  expect(granted).toMatch(/^(403\n)+(200\n)+$/);
  expect((await server.ask("DELETE", `/apis/${rbac}/v1/namespaces/default/rolebindings/readers`)).code).toBe(200);
  server.cluster.step(12_000);
  const revoked = await logOf(server, "ask");
  expect(revoked.startsWith(granted)).toBe(true);
  expect(revoked).toMatch(/^(403\n)+(200\n)+(403\n)+$/);
});

test("L5: a NetworkPolicy blocks a client from its creation until its deletion", async () => {
  const server = await withWeb();
  await create(server, `${core}/pods`, pod("loop", loop));
  server.cluster.step(9_000);
  const policy = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "none" },
    spec: { podSelector: {} },
  };
  await create(server, "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", policy);
  server.cluster.step(9_000);
  const during = await logOf(server, "loop");
  expect((await server.ask("DELETE", "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/none")).code).toBe(
    200,
  );
  server.cluster.step(9_000);
  const after = await logOf(server, "loop");
  expect(after.startsWith(during)).toBe(true);
  expect(after.replace(/^\S+ /gm, "").replace(/wget: [^\n]*\n/g, "")).toMatch(/^(v1\n)+(fail\n)+(v1\n)+$/);
});

test("L5: a log that is no longer followed ends with one notice", async () => {
  const server = newServer();
  const script = 'i=0; while true; do i=$((i+1)); echo "$i $(echo $i | sha256sum)"; sleep 1; done';
  await create(server, `${core}/pods`, pod("busy", script));
  server.cluster.step(2 * 3_600_000);
  const log = await logOf(server, "busy");
  const notices = log.split("\n").filter((line) => line.startsWith("sandbar: "));
  expect(notices).toEqual([
    "sandbar: this program did more than a simulated container can; it still runs, but what it does from here on is not shown",
  ]);
  server.cluster.step(3_600_000);
  expect(await logOf(server, "busy")).toBe(log);
});
