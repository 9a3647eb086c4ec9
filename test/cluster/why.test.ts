// The reasons why an object waits, as a sentence and a tree, from conditions, events and the scheduler's record.
import { describe, expect, test } from "vitest";
import type { Reason } from "../../shared/contract/cluster/past.ts";
import { whyText } from "../../shared/state/why-text.ts";
import { whyOf } from "../../worker/cluster/time/past/why/why.ts";
import { apps, core, deployment, newServer, type TestServer } from "../api/server.ts";

const ask = (server: TestServer, resource: string, name: string, namespace = "default") =>
  whyOf(server.cluster, { resource, name, namespace });

async function createObject(
  path: string,
  body: object,
  options: Parameters<typeof newServer>[0] = {},
): Promise<TestServer> {
  const server = newServer({ base: "layered", ...options });
  const { code, text } = await server.ask("POST", path, { body });
  if (code >= 300) throw new Error(text);
  server.cluster.step(5_000);
  return server;
}

function pod(name: string, spec: object = {}, metadata: object = {}) {
  return { metadata: { name, ...metadata }, spec: { containers: [{ name: "c", image: "nginx" }], ...spec } };
}

const hungry = { containers: [{ name: "c", image: "nginx", resources: { requests: { cpu: "500" } } }] };

function all(tree: Reason): Reason[] {
  return [tree, ...(tree.reasons ?? []).flatMap(all)];
}

describe("an explanation of an object", () => {
  test("names each node and the plugin that refused it for a pod without a node", async () => {
    const server = await createObject(`${core}/pods`, pod("web", hungry));
    const { sentence, tree } = ask(server, "pod", "web");
    expect(sentence).toMatch(/^Pod default\/web waits: no node takes it: 0\/3 nodes are available: 3 Insufficient cpu/);
    expect(tree.see).toBe("kubectl get --raw /api/v1/namespaces/default/pods/web/scheduling");
    expect(tree.reasons).toEqual(
      ["node-1", "node-2", "node-3"].map((name) => ({
        what: `node ${name}`,
        state: "waits",
        because: "Insufficient cpu (NodeResourcesFit)",
        see: `kubectl describe node ${name}`,
      })),
    );
  });

  test("names the scheduling gates of a pod, and a container's last message", async () => {
    const gated = await createObject(`${core}/pods`, pod("web", { schedulingGates: [{ name: "example.com/wait" }] }));
    expect(ask(gated, "po", "web").sentence).toBe(
      "Pod default/web waits: it is not scheduled before its gates are taken away: example.com/wait.",
    );
    const crashing = { containers: [{ name: "c", image: "busybox", command: ["sh", "-c", "exit 3"] }] };
    const server = await createObject(`${core}/pods`, pod("web", crashing));
    const { sentence, tree } = ask(server, "pods", "web");
    expect(sentence).toMatch(/^Pod default\/web fails: its container c fails; container c: CrashLoopBackOff: back-off/);
    expect(sentence).toMatch(/after it ended with code 3 \(Error\)\.$/);
    expect(all(tree).map(({ what }) => what)).toEqual(["Pod default/web", "container c", "event BackOff"]);
  });

  test("names the pods that block a Deployment", async () => {
    const body = deployment("web", 2);
    body.spec.template.spec = hungry;
    const server = await createObject(`${apps}/deployments`, body);
    const { sentence, tree } = ask(server, "deploy", "web");
    expect(sentence).toMatch(
      /^Deployment default\/web waits: 0 of 2 pods are up to date and available; Pod default\/web-/,
    );
    expect(sentence).toMatch(/no node takes it: 0\/3 nodes are available: 3 Insufficient cpu/);
    expect(all(tree).map(({ what }) => what.split(" ")[0])).toEqual([
      ...["Deployment", "ReplicaSet"],
      ...["Pod", "node", "node", "node", "Pod", "node", "node", "node"],
    ]);
  });

  test("names the quota that blocks a Deployment", async () => {
    const server = await createObject(`${core}/resourcequotas`, {
      metadata: { name: "few" },
      spec: { hard: { pods: "0" } },
    });
    await server.ask("POST", `${apps}/deployments`, { body: deployment("web") });
    server.cluster.step(5_000);
    const { sentence } = ask(server, "deployments.apps", "web");
    expect(sentence).toMatch(/ReplicaSet default\/web-\w+: its pods cannot be created: .*exceeded quota: few/);
  });

  test("says whether a Service has pods and ready pods", async () => {
    const service = { metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } };
    const server = await createObject(`${core}/services`, service);
    expect(ask(server, "svc", "web").sentence).toBe(
      "Service default/web fails: it has no endpoints: no pod in default has the labels app=web.",
    );
    await server.ask("POST", `${core}/pods`, { body: pod("web", hungry, { labels: { app: "web" } }) });
    server.cluster.step(5_000);
    expect(ask(server, "svc", "web").sentence).toMatch(
      /none of its 1 pods is ready; Pod default\/web: no node takes it/,
    );
    await server.ask("POST", `${core}/pods`, { body: pod("ready", {}, { labels: { app: "web" } }) });
    server.cluster.step(5_000);
    expect(ask(server, "svc", "web").sentence).toBe("Service default/web is fine: 1 of 1 endpoints are ready.");
  });

  test("names the finalizers that block the deletion of a namespace or an object", async () => {
    const server = await createObject("/api/v1/namespaces", { metadata: { name: "team" } });
    const terminating = { metadata: { name: "kept", finalizers: ["example.com/held"] } };
    await server.ask("POST", "/api/v1/namespaces/team/configmaps", { body: terminating });
    await server.ask("DELETE", "/api/v1/namespaces/team");
    server.cluster.step(30_000);
    expect(ask(server, "ns", "team").sentence).toMatch(
      /^Namespace team waits: it is being deleted: .*example\.com\/held in 1 resource instances/,
    );
    expect(ask(server, "cm", "kept", "team").sentence).toBe(
      "ConfigMap team/kept waits: it is being deleted, and stays until its finalizers are taken away: example.com/held.",
    );
  });

  test.each([
    [{ storageClassName: "none" }, /fails: there is no storage class none\.$/],
    [{}, /waits: it is provisioned when a pod that uses it is scheduled, and none does\.$/],
  ])("says about a PersistentVolumeClaim %j", async (spec, sentence) => {
    const resources = { requests: { storage: "1Gi" } };
    const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources, ...spec } };
    const server = await createObject(`${core}/persistentvolumeclaims`, claim);
    expect(ask(server, "pvc", "data").sentence).toMatch(sentence);
  });

  test("says whether a Job is suspended, failed or complete", async () => {
    const job = (command: string, spec: object = {}) => ({
      metadata: { name: "once" },
      spec: {
        backoffLimit: 0,
        ...spec,
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "c", image: "busybox", command: ["sh", "-c", command] }],
          },
        },
      },
    });
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    const sentenceOf = async (body: object) => ask(await createObject(jobs, body), "job", "once").sentence;
    expect(await sentenceOf(job("true"))).toBe("Job default/once is fine: it is complete: 1 pods succeeded.");
    expect(await sentenceOf(job("true", { suspend: true }))).toBe("Job default/once waits: it is suspended.");
    expect(await sentenceOf(job("exit 1"))).toMatch(
      /^Job default\/once fails: Job has reached the specified backoff limit; Pod default\/once-\w+, container c: it ended with code 1 \(Error\)\.$/,
    );
  });

  test("names the missing Service of an Ingress", async () => {
    const backend = { service: { name: "shop", port: { number: 80 } } };
    const http = { paths: [{ path: "/", pathType: "Prefix", backend }] };
    const ingress = { metadata: { name: "site" }, spec: { rules: [{ http }] } };
    const server = await createObject("/apis/networking.k8s.io/v1/namespaces/default/ingresses", ingress);
    const { tree } = ask(server, "ing", "site");
    expect(tree.state).toBe("fails");
    expect(tree.reasons?.map(({ what, because }) => `${what}: ${because}`)).toContain(
      "Service default/shop: it does not exist",
    );
  });

  test("is formatted with the commands that show the evidence", async () => {
    const server = await createObject(`${core}/pods`, pod("web", { nodeName: "node-1" }));
    expect(whyText(ask(server, "pod", "web"))).toBe(
      [
        "Pod default/web is fine: it runs on node-1 and is ready.",
        "✓ Pod default/web: it runs on node-1 and is ready",
        "    kubectl describe pods web -n default",
        "",
      ].join("\n"),
    );
  });

  test("is refused with 404 for a missing object", async () => {
    const server = newServer({ base: "layered" });
    expect(() => ask(server, "pod", "nobody")).toThrow('pods "nobody" not found');
    expect(() => ask(server, "unheardof", "x")).toThrow('the cluster has no resource "unheardof"');
  });

  test("takes at most 20 ms of work, and its tree is bounded", async () => {
    const body = deployment("web", 60);
    body.spec.template.spec = hungry;
    const server = await createObject(`${apps}/deployments`, body, { nodes: 50 });
    const { meter } = server.cluster.registry.store;
    const before = meter.spent;
    const { tree } = ask(server, "deploy", "web");
    expect(meter.spent - before).toBeLessThan(20_000);
    expect(all(tree).length).toBeLessThanOrEqual(2 + 10 * 11);
  });
});
