// The proxies of pods, services and nodes, and port-forward: targets, responses and authorization.
import { expect, test } from "vitest";
import { type ForwardOpened, type ForwardStep, internalHeaders } from "../../shared/contract/cluster-object.ts";
import type { OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { core, newServer, refusal, refused, viewToken } from "./server.ts";

async function withWeb() {
  const calls: OutboundCall[] = [];
  const server = newServer({
    answer: (call) => {
      calls.push(call);
      const { request } = JSON.parse(call.body) as { request: { uid: string } };
      const response = { uid: request.uid, allowed: false, status: { message: "nobody connects here" } };
      const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
      return { ok: true, status: 200, body };
    },
  });
  const labels = { app: "web" };
  const containers = [{ name: "main", image: "nginx", ports: [{ containerPort: 80 }] }];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels }, spec: { containers } };
  const ports = [{ name: "http", port: 8080, targetPort: 80 }];
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { selector: labels, ports } };
  for (const [plural, body] of [["pods", pod] as const, ["services", service] as const]) {
    expect((await server.ask("POST", `${core}/${plural}`, { body })).code).toBe(201);
  }
  server.cluster.step(5000);
  return { server, questions: calls };
}

test("links of a proxied page have the path of a preview, but not that of a sandbox, which kubectl proxy adds", async () => {
  const { server } = await withWeb();
  const page = { metadata: { name: "page" }, data: { "index.html": '<a href="/next">next</a>' } };
  await server.ask("POST", `${core}/configmaps`, { body: page });
  const volumeMounts = [{ name: "page", mountPath: "/usr/share/nginx/html" }];
  const spec = {
    containers: [{ name: "main", image: "nginx", ports: [{ containerPort: 80 }], volumeMounts }],
    volumes: [{ name: "page", configMap: { name: "page" } }],
  };
  await server.ask("POST", `${core}/pods`, { body: { metadata: { name: "page" }, spec } });
  server.cluster.step(5000);
  const linkAt = async (base: string) => {
    const headers = { [internalHeaders.server]: `https://localhost${base}` };
    return (await server.ask("GET", `${core}/pods/page/proxy/`, { headers })).text;
  };
  const link = `${core}/pods/page/proxy/next`;
  expect(await linkAt("/c/abc")).toContain(`<a href="${link}">`);
  expect(await linkAt("/preview/a.b.c/c/abc")).toContain(`<a href="/preview/a.b.c/c/abc${link}">`);
});

test("pods/proxy returns the pod's answer, at its first port or another", async () => {
  const { server } = await withWeb();
  for (const id of ["web", "web:80", "http:web:80"]) {
    const { code, text, headers } = await server.ask("GET", `${core}/pods/${id}/proxy/`);
    expect({ code, type: headers.get("content-type") }).toEqual({ code: 200, type: "text/html" });
    expect(text).toContain("Welcome to nginx!");
  }
  expect((await server.ask("GET", `${core}/pods/web/proxy/absent`)).code).toBe(404);
  const { podIP } = (await server.ask("GET", `${core}/pods/web`)).body.status as { podIP: string };
  expect(refusal(await server.ask("GET", `${core}/pods/web:81/proxy/`))).toEqual(
    refused(
      503,
      "ServiceUnavailable",
      `error trying to reach service: dial tcp ${podIP}:81: connect: connection refused`,
    ),
  );
  expect(refusal(await server.ask("GET", `${core}/pods/ftp:web:80/proxy/`))).toEqual(
    refused(400, "BadRequest", 'invalid pod request "ftp:web:80"'),
  );
});

test("a proxy forwards the method, returns no body for HEAD, and redirects to a trailing slash", async () => {
  const { server } = await withWeb();
  const posted = await server.ask("POST", `${core}/pods/web/proxy/`, { body: "a=b" });
  expect([posted.code, posted.text]).toEqual([405, expect.stringContaining("405 Not Allowed")]);
  const head = await server.ask("HEAD", `${core}/pods/web/proxy/`);
  expect([head.code, head.text, head.headers.get("content-type")]).toEqual([200, "", "text/html"]);
  const bare = await server.ask("GET", `${core}/pods/web/proxy?a=b`);
  expect([bare.code, bare.headers.get("location")]).toEqual([301, `${core}/pods/web/proxy/?a=b`]);
});

test("services/proxy finds a pod behind the port, by its name or its number", async () => {
  const { server } = await withWeb();
  for (const id of ["web:http", "web:8080"]) {
    expect((await server.ask("GET", `${core}/services/${id}/proxy/`)).text).toContain("Welcome to nginx!");
  }
  expect(refusal(await server.ask("GET", `${core}/services/web:9/proxy/`))).toEqual(
    refused(503, "ServiceUnavailable", 'no service port 9 found for service "web"'),
  );
  expect(refusal(await server.ask("GET", `${core}/services/web:other/proxy/`))).toEqual(
    refused(503, "ServiceUnavailable", 'no endpoints available for service "web:other"'),
  );
});

test("services/proxy without endpoints names the requested Service", async () => {
  const { ask } = newServer({ nodes: 0 });
  const { code, body } = await ask("GET", `${core}/services/none:http/proxy/`);
  expect([code, body.message]).toEqual([404, 'services "none" not found']);
});

test("nodes/proxy serves the kubelet's health, pods and configuration, read-only", async () => {
  const { server } = await withWeb();
  const node = ((await server.ask("GET", `${core}/pods/web`)).body as { spec?: { nodeName?: string } }).spec?.nodeName;
  const proxy = `/api/v1/nodes/${node ?? ""}:10250/proxy`;
  const pods = await server.ask<{ items: { metadata: { name: string } }[] }>("GET", `${proxy}/pods`);
  expect([pods.code, pods.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(pods.body.items.map(({ metadata }) => metadata.name)).toContain("web");
  const running = await server.ask<{ items: object[] }>("GET", `${proxy}/runningpods/`);
  expect(running.body.items).toContainEqual(
    expect.objectContaining({ spec: { containers: [{ name: "main", image: "nginx", resources: {} }] }, status: {} }),
  );
  const { body } = await server.ask<object>("GET", `${proxy}/configz`);
  expect(body).toMatchObject({ kubeletconfig: { clusterDomain: "cluster.local" } });
  expect(await server.ask("GET", `${proxy}/logs/`)).toMatchObject({
    code: 200,
    text: expect.stringContaining("pods/"),
  });
  expect((await server.ask("GET", `${proxy}/nothing`)).code).toBe(404);
  expect((await server.ask("POST", `${proxy}/run/default/web/main`)).code).toBe(405);
  expect(await server.ask("GET", "/api/v1/nodes/node-1/proxy/healthz")).toMatchObject({ code: 200, text: "ok" });
});

test("nodes/proxy serves the kubelet's metrics of running and ended containers and their usage", async () => {
  const { server } = await withWeb();
  const containers = [{ name: "main", image: "busybox", command: ["sh", "-c", "exit 139"] }];
  const ended = { metadata: { name: "ended" }, spec: { nodeName: "node-1", restartPolicy: "Never", containers } };
  await server.ask("POST", `${core}/pods`, { body: ended });
  server.cluster.runUntilQuiet();
  const metrics = async (node: string, path: string) => {
    const { code, text, headers } = await server.ask("GET", `/api/v1/nodes/${node}:10250/proxy/${path}`);
    expect([code, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    return text;
  };
  expect(await metrics("node-1", "metrics")).toContain(
    'kubelet_terminated_containers_total{container_type="container",exit_code="139",reason="Error"} 1\n',
  );
  const node = ((await server.ask("GET", `${core}/pods/web`)).body as { spec?: { nodeName?: string } }).spec?.nodeName;
  expect(await metrics(node ?? "", "metrics")).toMatch(
    /^kubelet_running_containers\{container_state="running"\} [1-9]/m,
  );
  const text = await metrics(node ?? "", "metrics/resource");
  const labels = 'container="main",namespace="default",pod="web"';
  const valueOf = (name: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(name))
        ?.split(" ")
        .at(-1),
    );
  expect(valueOf(`container_memory_working_set_bytes{${labels}}`)).toBeGreaterThan(8_000_000);
  expect(valueOf(`container_cpu_usage_seconds_total{${labels}}`)).toBeGreaterThanOrEqual(0);
  expect(valueOf("node_memory_working_set_bytes")).toBeGreaterThan(400_000_000);
});

test("port-forward is opened only by the edge, and other requests get an explanation", async () => {
  const { server } = await withWeb();
  const path = `${core}/pods/web/portforward`;
  expect(refusal(await server.ask("POST", path))).toMatchObject({ status: 400, reason: "BadRequest" });
  const spdy = await server.ask("POST", path, { headers: { upgrade: "SPDY/3.1" } });
  expect(refusal(spdy)).toMatchObject({ status: 400, reason: "BadRequest" });
  expect(spdy.body.message).toContain("use kubectl 1.31 or later");
});

test("port-forward opens a tunnel if the client offers it, otherwise its first known channel protocol", async () => {
  const { server } = await withWeb();
  const pod = `${core}/pods/web`;
  const { uid } = (await server.ask("GET", pod)).body.metadata as { uid: string };
  const open = (query: string, protocol?: string) => {
    const headers: Record<string, string> = { [internalHeaders.session]: "open" };
    if (protocol !== undefined) headers["sec-websocket-protocol"] = protocol;
    return server.ask("GET", `${pod}/portforward${query}`, { headers });
  };
  const tunnel = "SPDY/3.1+portforward.k8s.io";
  expect((await open("", tunnel)).body).toEqual({ uid, ports: [], protocol: tunnel });
  expect((await open("?ports=80", `v4.channel.k8s.io, ${tunnel}`)).body).toMatchObject({ protocol: tunnel });
  const offered = "v5.channel.k8s.io, v4.channel.k8s.io, v4.base64.channel.k8s.io, channel.k8s.io";
  expect((await open("?ports=80,443&ports=8080", offered)).body).toEqual({
    uid,
    ports: [80, 443, 8080],
    protocol: "v4.channel.k8s.io",
  });
  expect((await open("?ports=80", "v4.base64.channel.k8s.io")).body).toMatchObject({
    protocol: "v4.base64.channel.k8s.io",
  });
  expect((await open("?ports=80")).body).toMatchObject({ protocol: "" });
  for (const protocol of ["channel.k8s.io", "portforward.k8s.io"])
    expect(await open("?ports=80", protocol)).toMatchObject({ code: 403, text: "" });
});

test("port-forward over channels names its ports, with the API server's and the kubelet's messages", async () => {
  const { server } = await withWeb();
  const refusedAs = async (query: string, protocol = "v4.channel.k8s.io") => {
    const headers = { [internalHeaders.session]: "open", "sec-websocket-protocol": protocol };
    const { code, text, body } = await server.ask("GET", `${core}/pods/web/portforward${query}`, { headers });
    return [code, typeof body?.message === "string" ? body.message : text];
  };
  const parsing = "cannot convert to []int32: strconv.ParseUint: parsing";
  expect(await refusedAs("?ports=80,http")).toEqual([400, `${parsing} "http": invalid syntax`]);
  expect(await refusedAs("?ports=")).toEqual([400, `${parsing} "": invalid syntax`]);
  expect(await refusedAs("?ports=-1")).toEqual([400, `${parsing} "-1": invalid syntax`]);
  expect(await refusedAs("?ports=65536")).toEqual([400, `${parsing} "65536": value out of range`]);
  expect(await refusedAs("")).toEqual([400, 'query parameter "port" is required']);
  expect(await refusedAs("?ports=80&ports=0")).toEqual([400, 'port "80,0" must be > 0']);
  const many = Array.from({ length: 128 }, (_, at) => at + 1).join(",");
  expect(await refusedAs(`?ports=${many}`)).toEqual([400, "at most 127 ports can be forwarded over one connection"]);
  expect(await refusedAs("", "SPDY/3.1+portforward.k8s.io")).toMatchObject([200, expect.anything()]);
});

test("port-forward answers from the pod's ports, and not from another pod with the same name", async () => {
  const { server } = await withWeb();
  const pod = `${core}/pods/web`;
  const { uid } = (await server.ask("GET", pod)).body.metadata as { uid: string };
  const sandbox = uid.replaceAll("-", "").repeat(2);
  const step = async (forwardStep: Partial<ForwardStep & ForwardOpened>) => {
    const headers = { [internalHeaders.session]: "step" };
    const answer = await server.ask("POST", `${pod}/portforward`, { headers, body: { port: 80, uid, ...forwardStep } });
    return JSON.parse(answer.text) as { readonly refused?: string };
  };
  expect(await step({ path: "/" })).toMatchObject({ status: 200, contentType: "text/html" });
  expect(await step({ path: "/absent" })).toMatchObject({ status: 404 });
  expect((await step({ port: 81 })).refused).toBe(
    `error forwarding port 81 to pod ${sandbox}, uid : failed to execute portforward in network namespace ` +
      `"/var/run/netns/cni-${uid}": failed to connect to localhost:81 inside namespace "${sandbox}", ` +
      "IPv4: dial tcp4 127.0.0.1:81: connect: connection refused IPv6 dial tcp6 [::1]:81: connect: connection refused ",
  );
  expect((await step({ uid: "another" })).refused).toContain("in store: not found");
});

test("port-forward serves Redis with the same keys as a command in the container", async () => {
  const server = newServer();
  const containers = [{ name: "main", image: "redis:8", ports: [{ containerPort: 6379 }] }];
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "store" }, spec: { containers } };
  const pod = `${core}/pods/store`;
  const { uid } = (await server.ask("POST", `${core}/pods`, { body })).body.metadata as { uid: string };
  server.cluster.step(5000);
  const step = async (command?: readonly string[]) => {
    const headers = { [internalHeaders.session]: "step" };
    const answer = await server.ask("POST", `${pod}/portforward`, { headers, body: { port: 6379, uid, command } });
    return JSON.parse(answer.text) as { readonly body: string; readonly language?: string };
  };
  const say = async (...command: string[]) => (await step(command)).body;
  expect((await step()).language).toBe("resp");
  expect(await say("PING")).toBe("+PONG\r\n");
  expect(await say("get", "a")).toBe("$-1\r\n");
  expect(await say("SET", "a", "é")).toBe("+OK\r\n");
  server.cluster.step(10);
  expect(await say("GET", "a")).toBe("$2\r\né\r\n");
  expect(await say("INCR", "n")).toBe(":1\r\n");
  server.cluster.step(10);
  expect(await say("KEYS", "*")).toBe("*2\r\n$1\r\na\r\n$1\r\nn\r\n");
  // All in one instant.
  for (const value of ["1", "2", "1"]) expect(await say("SET", "m", value)).toBe("+OK\r\n");
  expect(await say("GET", "m")).toBe("$1\r\n1\r\n");
  expect(await say("INCR", "a")).toBe("-ERR value is not an integer or out of range\r\n");
  expect(await say("NOPE\r\n+OK")).toMatch(/^-ERR unknown command 'NOPE \+OK'[^\r\n]*\r\n$/);
});

test("A4: a view token cannot connect", async () => {
  const { server } = await withWeb();
  for (const path of ["pods/web/proxy/", "services/web:http/proxy/", "pods/web/portforward"]) {
    expect((await server.ask("GET", `${core}/${path}`, { token: viewToken })).code).toBe(403);
  }
});

test("webhooks receive connect requests with their options", async () => {
  const { server, questions: calls } = await withWeb();
  const rules = [{ operations: ["CONNECT"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods/exec"] }];
  const webhook = {
    name: "deny.example.com",
    clientConfig: { url: "https://example.com/deny" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    rules,
  };
  const body = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "deny" },
    webhooks: [webhook],
  };
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  expect((await server.ask("POST", path, { body })).code).toBe(201);
  const rejected = await server.ask("POST", `${core}/pods/web/exec?stdout=true&command=ls&command=-l`, {
    headers: { "sandbar-session": "open" },
  });
  expect(refusal(rejected).message).toBe(
    'admission webhook "deny.example.com" denied the request: nobody connects here',
  );
  const { request } = JSON.parse(calls[0]?.body ?? "") as { request: object };
  expect(request).toMatchObject({
    kind: { group: "", version: "v1", kind: "PodExecOptions" },
    resource: { group: "", version: "v1", resource: "pods" },
    subResource: "exec",
    name: "web",
    namespace: "default",
    operation: "CONNECT",
    object: { kind: "PodExecOptions", apiVersion: "v1", stdout: true, command: ["ls", "-l"] },
    options: null,
  });
  expect((request as { object: object }).object).not.toHaveProperty("metadata");
});
