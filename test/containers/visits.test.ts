// Connections and their effects on servers: over each protocol, through nodes, from hooks, and through the API's proxies.
import { editsFor } from "../../worker/containers/run/visits.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { podAsker } from "../../worker/cluster/outside/in-cluster.ts";
import { endpointSlices } from "../../worker/kinds/discovery/endpoint-slice.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { clusterView } from "../../worker/containers/network/cluster-view.ts";
import { execOutput, runOfStatus } from "../../worker/containers/output.ts";
import { readsOf } from "../../worker/registry/registry.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

let cluster: TestCluster;

const image = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";

function createPod(name: string, args: readonly string[], more: object = {}, container: object = {}): void {
  const metadata = { name, namespace: "default", labels: { app: name } };
  const podContainer = { name: "c", image, args: [...args], ...container };
  cluster.apply(pods, { metadata, spec: { nodeName: "node-1", ...more, containers: [podContainer] } });
}

function createService(name: string, ports: readonly object[], more: object = {}): string {
  const spec = { selector: { app: name }, ports, ...more };
  return cluster.apply(services, { metadata: { name, namespace: "default" }, spec }).spec.clusterIP ?? "";
}

const podOf = (name: string) => cluster.get(pods, "default", name);
const addressOf = (name: string) => podOf(name).status.podIP ?? "";

/** Returns the output of a script in a pod, with `[code]` appended if it is not 0. */
function outputOf(script: string, name = "client"): string {
  const nowMs = cluster.clock.nowMs();
  const command = { words: ["sh", "-c", script], nowMs, untilMs: nowMs + 600_000 };
  const [pod, view] = [podOf(name), clusterView(cluster.client)];
  const done = execOutput(pod, "c", view, runOfStatus(pod, "c", view, nowMs, false), command);
  if (!done || "missing" in done) return "not there";
  const text = done.chunks.map((chunk) => chunk.text).join("");
  return done.end?.exitCode === 0 ? text : `${text}[${done.end?.exitCode ?? "runs"}]`;
}

async function logOf(name: string): Promise<string> {
  const printed = await cluster.containers.printed(podOf(name), "c", { previous: false, follows: false });
  return (printed?.lines ?? []).map(({ text }) => `${text}\n`).join("");
}

const get = (path: string) => ({ method: "GET", path, headers: [], body: "" });

beforeAll(() => {
  cluster = newCluster();
  cluster.runUntilQuiet();
  createPod("client", ["pause"]);
  createPod("server", ["netexec", "--http-port=8080", "--udp-port=8081", "--sctp-port=8082"]);
  cluster.step(5000);
});

describe("a connection", () => {
  test("over UDP or SCTP reaches only listeners of that protocol", () => {
    const to = addressOf("server");
    expect(outputOf(`echo hostName | nc -u -w 1 ${to} 8081`)).toBe("server");
    expect(outputOf(`echo hostName | nc -u -w 1 ${to} 8080`)).toBe("[1]");
    expect(outputOf(`/agnhost connect --timeout=3s --protocol=sctp ${to}:8082`)).toBe("");
    expect(outputOf(`/agnhost connect --timeout=3s --protocol=sctp ${to}:8081`)).toBe("REFUSED\n[1]");
    expect(outputOf(`/agnhost connect --timeout=3s ${to}:8080`)).toBe("");
    expect(outputOf(`/agnhost connect --timeout=3s ${to}:81`)).toBe("REFUSED\n[1]");
    expect(outputOf("/agnhost connect --timeout=3s nope:80")).toBe("DNS: lookup nope: no such host\n[1]");
  });

  test("without a request gets 400 from an HTTP server", () => {
    expect(outputOf(`echo hostName | nc -v -t -w 2 ${addressOf("server")} 8080`)).toContain("HTTP/1.1 400 Bad Request");
  });

  test("from a server on behalf of its client reaches other pods", () => {
    const dial = (query: string) => outputOf(`curl -g -q -s '${addressOf("server")}:8080/dial?host=${query}'`);
    createPod("other", ["netexec"]);
    cluster.step(5000);
    expect(dial(`${addressOf("other")}&port=8080&request=hostname`)).toBe('{"responses":["other"]}');
    expect(dial(`${addressOf("other")}&port=8081&request=hostname&protocol=udp`)).toBe('{"responses":["other"]}');
    expect(dial(`${addressOf("server")}&port=8080&request=hostname`)).toBe('{"responses":["server"]}');
    expect(dial(`${addressOf("other")}&port=81&request=hostname`)).toContain("connection refused");
  });

  test("to a node reaches its hostPorts, its host-network pods and NodePorts", () => {
    const node = podOf("server").status.hostIP ?? "";
    const port = { containerPort: 8080, hostPort: 54321, hostIP: "127.0.0.1" };
    const unknown = { image: "example.com/agent:1", ports: [{ containerPort: 9100 }] };
    createPod("agent", [], { hostNetwork: true }, unknown);
    createPod("local", ["netexec"], {}, { ports: [port] });
    createPod(
      "wide",
      ["netexec"],
      {},
      {
        ports: [
          { ...port, hostIP: node },
          { containerPort: 8081, hostPort: 54321, hostIP: node, protocol: "UDP" },
        ],
      },
    );
    createPod("host", ["netexec", "--http-port=9080", "--udp-port=-1"], { hostNetwork: true });
    createService(
      "server",
      [
        { port: 80, targetPort: 8080, nodePort: 30080 },
        { name: "udp", port: 80, targetPort: 8081, nodePort: 30080, protocol: "UDP" },
      ].map((portSpec) => ({ name: "tcp", ...portSpec })),
      { type: "NodePort" },
    );
    cluster.step(5000);
    const ask = (to: string, more = "") => outputOf(`curl -g -q -s ${more} http://${to}/hostname`, "host");
    expect(ask("127.0.0.1:54321", `--interface ${node}`)).toBe("local");
    expect(ask(`${node}:54321`)).toBe("wide");
    expect(outputOf(`echo hostname | nc -u -w 1 ${node} 54321`, "host")).toBe("wide");
    expect(outputOf(`curl -s ${node}:9080/hostname`)).toBe("node-1");
    expect(outputOf(`curl -s ${node}:30080/hostname`)).toBe("server");
    expect(outputOf(`echo hostname | nc -u -w 1 ${node} 30080`)).toBe("server");
    expect(outputOf(`curl -s ${node}:30081/hostname`)).toBe("[7]");
    expect(outputOf(`curl -s ${node}:9100/hostname`)).toBe("example.com/agent:1 answers /hostname\n");
  });

  test("through a Service with hand-written endpoints reaches the pod at that address", () => {
    const to = createService("written", [{ name: "a", port: 80 }], { selector: undefined });
    const labels = { "kubernetes.io/service-name": "written" };
    const ports = [{ name: "a", port: 8080, protocol: "TCP" as const }];
    const endpoints = [{ addresses: [addressOf("server")], conditions: { ready: true } }];
    cluster.apply(endpointSlices, {
      metadata: { name: "written-1", namespace: "default", labels },
      addressType: "IPv4",
      ports,
      endpoints,
    });
    cluster.step(5000);
    expect(outputOf(`curl -s ${to}/hostname`)).toBe("server");
    const headless = { ...labels, "service.kubernetes.io/headless": "" };
    cluster.edit(endpointSlices, "default", "written-1", ({ metadata }) => void (metadata.labels = headless));
    expect(outputOf(`curl -s ${to}/hostname`)).toBe("[7]");
  });

  test("N20: through a Service reaches terminating pods if no other is ready, and the health check port reports none", () => {
    const slow = ["netexec", "--delay-shutdown", "60"];
    createPod("going", slow, { terminationGracePeriodSeconds: 100 });
    const more = { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 32_123 };
    const to = createService("going", [{ port: 80, targetPort: 8080, nodePort: 30_123 }], more);
    cluster.step(5000);
    const node = podOf("going").status.hostIP ?? "";
    const check = () => outputOf(`curl -s -o /dev/null -w '%{http_code}' ${node}:32123`);
    expect([outputOf(`curl -s ${to}/hostname`), check()]).toEqual(["going", "200"]);
    cluster.client.delete(pods, "default", "going");
    cluster.step(5000);
    expect([outputOf(`curl -s ${to}/hostname`), check()]).toEqual(["going", "503"]);
    expect(outputOf(`curl -s ${node}:32123`)).toContain('"localEndpoints": 0');
    createPod("staying", ["netexec"], {}, {});
    cluster.edit(pods, "default", "staying", ({ metadata }) => void (metadata.labels = { app: "going" }));
    cluster.step(5000);
    expect([outputOf(`curl -s ${to}/hostname`), check()]).toEqual(["staying", "200"]);
  });

  test("N20: through a Service follows trafficDistribution and local traffic policies", () => {
    const labels = { app: "near" };
    for (const node of ["node-1", "node-2"]) {
      createPod(`near-${node}`, ["netexec"], { nodeName: node });
      cluster.edit(pods, "default", `near-${node}`, ({ metadata }) => void (metadata.labels = labels));
    }
    createPod("far", ["pause"], { nodeName: "node-2" });
    const port = { port: 80, targetPort: 8080, nodePort: 30_124 };
    const to = createService("near", [port], { type: "NodePort", trafficDistribution: "PreferSameNode" });
    cluster.step(5000);
    const all = () => outputOf(`for i in 1 2 3 4 5 6 7 8; do curl -s ${to}/hostname; echo; sleep 0.1; done`);
    expect(new Set(all().trim().split("\n"))).toEqual(new Set(["near-node-1"]));
    cluster.client.delete(pods, "default", "near-node-1", { gracePeriodSeconds: 0 });
    cluster.step(5000);
    expect(new Set(all().trim().split("\n"))).toEqual(new Set(["near-node-2"]));
    cluster.edit(services, "default", "near", ({ spec }) => void (spec.externalTrafficPolicy = "Local"));
    cluster.step(1000);
    const node = podOf("server").status.hostIP ?? "";
    expect(outputOf(`curl -s --max-time 1 ${node}:30124/hostname`, "far")).toBe("[28]");
    expect(outputOf(`curl -s ${node}:30124/hostname`)).toBe("near-node-2");
  });

  test("to a Service with another service-proxy-name times out", () => {
    const to = cluster.get(services, "default", "server").spec.clusterIP ?? "";
    expect(outputOf(`curl -s ${to}/hostname`)).toBe("server");
    const name = "service.kubernetes.io/service-proxy-name";
    cluster.edit(services, "default", "server", ({ metadata }) => void (metadata.labels = { [name]: "foo" }));
    expect(outputOf(`curl -s --max-time 1 ${to}/hostname`)).toBe("[28]");
    cluster.edit(services, "default", "server", ({ metadata }) => void (metadata.labels = {}));
    expect(outputOf(`curl -s ${to}/hostname`)).toBe("server");
  });

  test("from a client stays with a pod until its ClientIP affinity times out", () => {
    for (const name of ["a", "b", "c"]) createPod(`many-${name}`, ["serve-hostname"]);
    for (const name of ["a", "b", "c"])
      cluster.edit(pods, "default", `many-${name}`, ({ metadata }) => void (metadata.labels = { app: "many" }));
    const sessionAffinityConfig = { clientIP: { timeoutSeconds: 10 } };
    const to = createService("many", [{ port: 80, targetPort: 9376 }], {
      sessionAffinity: "ClientIP",
      sessionAffinityConfig,
    });
    cluster.step(5000);
    const visitedHosts = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const hosts = new Set(outputOf(`for i in 1 2 3 4 5; do curl -s ${to}; echo; done`).split("\n").filter(Boolean));
      expect(hosts.size).toBeLessThanOrEqual(2);
      for (const visitedHost of hosts) visitedHosts.add(visitedHost);
      cluster.step(11_000);
    }
    expect(visitedHosts.size).toBeGreaterThan(1);
  });
});

describe("N3: effects of a visit on its server", () => {
  test("are logged once, for any client and any number of recomputed commands", async () => {
    const path = `${addressOf("server")}:8080/echo?msg=once`;
    const command = {
      words: ["curl", "-s", path],
      startMs: cluster.clock.nowMs(),
      untilMs: cluster.clock.nowMs() + 1000,
      input: { typed: [], hasEnded: true, isTerminal: false },
    };
    await cluster.containers.execute(podOf("client"), "c", command);
    await cluster.containers.execute(podOf("client"), "c", command);
    await cluster.containers.answer(podOf("server"), 8080, get("/echo?msg=proxied"));
    cluster.step(1000);
    const log = await logOf("server");
    expect(log.match(/GET \/echo\?msg=once&code=$/gm)).toHaveLength(1);
    expect(log).toMatch(/GET \/echo\?msg=proxied&code=$/m);
  });

  test("include what a command writes to the first process's output", async () => {
    const words = ["sh", "-c", "echo out > /proc/1/fd/1; echo own > /proc/self/fd/1"];
    const nowMs = cluster.clock.nowMs();
    const input = { typed: [], hasEnded: true, isTerminal: false };
    const done = await cluster.containers.execute(podOf("client"), "c", {
      words,
      startMs: nowMs,
      untilMs: nowMs + 1000,
      input,
    });
    if (!done || "missing" in done) throw new Error("not there");
    expect(done.chunks.map(({ text }) => text).join("")).toBe("own\n");
    cluster.containers.keep(podOf("client"), "c", done.changes);
    cluster.step(1000);
    expect(await logOf("client")).toBe("Paused\nSignals registered\nout\n");
  });

  test("may end the server", async () => {
    createPod("mortal", ["netexec"], { restartPolicy: "Never" });
    cluster.step(5000);
    await cluster.containers.answer(podOf("mortal"), 8080, get("/exit?code=3"));
    cluster.step(5000);
    expect(podOf("mortal").status.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(3);
  });

  test("come from hooks as well, both exec and httpGet", async () => {
    const to = addressOf("server");
    const lifecycle = {
      postStart: { exec: { command: ["sh", "-c", `curl http://${to}:8080/echo?msg=begun`] } },
      preStop: { httpGet: { path: `/dial?host=${to}&port=8080&request=echo%3Fmsg%3Dstopped`, port: 8080 } },
    };
    const sidecar = { name: "beside", image, args: ["netexec"], restartPolicy: "Always" };
    createPod("hooked", ["pause"], { initContainers: [sidecar] }, { lifecycle });
    cluster.step(5000);
    expect(podOf("hooked").status.phase).toBe("Running");
    expect(await logOf("server")).toMatch(/GET \/echo\?msg=begun&code=$/m);
    cluster.client.delete(pods, "default", "hooked");
    cluster.step(10_000);
    expect(await logOf("server")).toMatch(/GET \/echo\?msg=stopped&code=$/m);
  });
});

test("N3: a visit's work in a server is bounded, and its client pays for it", async () => {
  const endless = encodeURIComponent("i=0; while :; do i=$((i+1)); done");
  const shell = `shell%3Fcmd%3D${encodeURIComponent(endless)}`;
  const path = `/dial?host=${addressOf("server")}&port=8080&tries=100&request=${shell}`;
  const answer = await cluster.containers.answer(podOf("server"), 8080, get(path));
  const { errors = [] } = JSON.parse(answer?.body ?? "") as { errors?: string[] };
  expect(errors.length).toBeGreaterThan(95);
  const ask = `curl -s '${addressOf("server")}:8080/shell?cmd=${endless}'`;
  expect(outputOf(ask)).toContain("exit status 137");
  expect(outputOf(`while :; do ${ask}; done > /dev/null`)).toMatch(/^sandbar: [^\n]* is not shown\n\[runs\]$/);
});

test.each([
  ["agnhost", image, ["test-webserver"], "", "localhost.crt"],
  ["httpd", "docker.io/library/httpd:2.4.38-4", undefined, "/usr/local/apache2/htdocs", "index.html"],
] as const)("a probe fails while a file of %s is moved away, and succeeds when it is back", async (...row) => {
  const [name, image, args, folder, file] = row;
  const readinessProbe = { httpGet: { path: `/${file}`, port: 80 }, periodSeconds: 1, failureThreshold: 1 };
  createPod(name, args ?? [], {}, { image, readinessProbe });
  cluster.step(5000);
  const isReady = () => podOf(name).status.containerStatuses?.[0]?.ready;
  const moves = async (script: string) => {
    const nowMs = cluster.clock.nowMs();
    const input = { typed: [], hasEnded: true, isTerminal: false };
    const command = { words: ["sh", "-c", script], startMs: nowMs, untilMs: nowMs + 1000, input };
    const done = await cluster.containers.execute(podOf(name), "c", command);
    if (done && "changes" in done) cluster.containers.keep(podOf(name), "c", done.changes);
    cluster.step(5000);
  };
  expect(isReady()).toBe(true);
  await moves(`mv -v ${folder}/${file} /tmp/ || true`);
  expect(isReady()).toBe(false);
  await moves(`mv -v /tmp/${file} ${folder}/ || true`);
  expect(isReady()).toBe(true);
});

describe("a Service of an unknown image", () => {
  const ask = async (path: string, body: object | undefined) => {
    const asker = podAsker(readsOf(cluster.registry), cluster.containers);
    const request = {
      to: { url: "https://operator.default.svc/" },
      method: body ? "POST" : "GET",
      headers: [["content-type", "application/json"]] as const,
      timeoutMs: 50,
      body: new TextEncoder().encode(body ? JSON.stringify(body) : ""),
    };
    const answer = must(await asker({ namespace: "default", name: "operator", port: 443 }, path, request), "answer");
    if ("error" in answer) throw new Error(answer.error);
    return new TextDecoder().decode(answer.body);
  };

  beforeAll(() => {
    createPod("operator", [], {}, { image: "my-company/operator:1" });
    createService("operator", [{ port: 443, targetPort: 9443 }]);
    cluster.step(5000);
  });

  test("allows every request as a webhook", async () => {
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: { uid: "u" } };
    expect(JSON.parse(await ask("/validate", review))).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: "u", allowed: true },
    });
  });

  test("changes only the version as a conversion webhook", async () => {
    const objects = [{ apiVersion: "a.example/v1", kind: "A", spec: { size: 1 } }];
    const request = { uid: "u", desiredAPIVersion: "a.example/v2", objects };
    const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
    expect(JSON.parse(await ask("/convert", review))).toMatchObject({
      response: {
        uid: "u",
        result: { status: "Success" },
        convertedObjects: [{ apiVersion: "a.example/v2", kind: "A", spec: { size: 1 } }],
      },
    });
  });

  test("has no resources as an aggregated API, and answers other requests with a page", async () => {
    expect(JSON.parse(await ask("/apis/metrics.example/v1beta1", undefined))).toEqual({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "metrics.example/v1beta1",
      resources: [],
    });
    expect(await ask("/", undefined)).toBe("my-company/operator:1 answers /\n");
    expect(await ask("/", { kind: "Other" })).toBe("my-company/operator:1 answers POST /\n");
  });
});

describe("a webhook's Service", () => {
  const ask = (more: object = {}) => {
    const asker = podAsker(readsOf(cluster.registry), cluster.containers);
    const to = { url: "https://hook.default.svc/always-deny", caBundle: "QQ==" };
    const request = {
      to,
      method: "POST",
      headers: [["content-type", "application/json"]] as const,
      timeoutMs: 50,
      ...more,
    };
    const body = new TextEncoder().encode(JSON.stringify({ kind: "AdmissionReview", request: { uid: "u" } }));
    return (path: string, port = 443, name = "hook") =>
      asker({ namespace: "default", name, port }, path, { ...request, body });
  };

  beforeAll(() => {
    createPod("hook", ["webhook", "--port=8444"]);
    createService("hook", [{ port: 443, targetPort: 8444 }]);
    cluster.step(5000);
  });

  test("is answered by its own pods", async () => {
    const answer = must(await ask()("/always-deny"), "answer");
    if ("error" in answer) throw new Error(answer.error);
    expect(answer.status).toBe(200);
    expect(JSON.parse(new TextDecoder().decode(answer.body))).toMatchObject({ response: { uid: "u", allowed: false } });
  });

  test("fails if the pods take too long, are not trusted by the CA bundle, or do not speak TLS", async () => {
    expect(await ask()("/always-allow-delay-5s")).toMatchObject({
      error: expect.stringContaining("deadline exceeded"),
    });
    expect(await ask({ to: { url: "https://hook.default.svc/" } })("/always-deny")).toMatchObject({
      error: expect.stringContaining("x509"),
    });
    expect(await ask()("/", 80, "server")).toBeUndefined();
    expect(await ask()("/", 443, "nope")).toBeUndefined();
  });
});

describe("L7: recorded changes that a run reads", () => {
  const edit = (from?: string, atMs = 1) => ({
    atMs,
    path: "/data",
    text: "",
    ...(from === undefined ? {} : { from }),
  });
  const pod = { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: [] }, status: {} };
  const foundBy = (visitor: string, recordedMs: number, ...edits: ReturnType<typeof edit>[]) =>
    editsFor({ of: () => edits, typed: () => undefined, version: () => 0 }, visitor, recordedMs).of(pod, "main");

  test("exclude its own changes, which it repeats", () => {
    expect(foundBy("pod/main/2", 0, edit("pod/main/1"), edit("pod/main/2"), edit())).toEqual([
      edit("pod/main/1"),
      edit(),
    ]);
  });

  test("include earlier changes before its own of the same moment, and later ones after them", () => {
    const [before, podEdit, after] = [edit("pod/main/3"), edit("pod/main/2"), edit("pod/main/1")];
    expect(foundBy("pod/main/2", 1, before, podEdit, after)).toEqual([before, { ...after, atMs: 1.5 }]);
  });

  test("include changes of runs that are followed before it, if it changed nothing in that moment", () => {
    const [first, last] = [edit("pod/main/1"), edit("pod/main/3")];
    expect(foundBy("pod/main/2", 1, last, first)).toEqual([{ ...last, atMs: 1.5 }, first]);
  });

  test("include all changes of a moment up to which it was not followed before", () => {
    const last = edit("pod/main/3");
    expect(foundBy("pod/main/2", 0, last)).toEqual([last]);
  });
});
