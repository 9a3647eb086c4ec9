// Writes with outbound calls: by users and by controllers.
import { describe, expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { plugins } from "../../worker/admission/catalogue.ts";
import type { OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../../worker/registry/admission.ts";
import { newServer } from "./server.ts";

/** A plugin that makes a call for each new pod after its name and uid are set, and adds the earlier answer as a label. */
const asking: AdmissionPlugin = {
  name: "Asking",
  mutate: (request) => {
    if (!isPod(request)) return;
    const [answer] = request.context.ask([question(request, "mutate")]);
    if (answer?.ok && request.object) (request.object.metadata.labels ??= {})["answer"] = answer.body;
  },
  validate: (request) => {
    if (!isPod(request)) return;
    const [answer] = request.context.ask([question(request, "validate")]);
    if (answer?.ok && answer.status === 403) throw ApiError.forbidden(request.kind.groupResource, request.name, "no");
  },
};

function isPod({ kind, operation, subresource, namespace }: AdmissionRequest): boolean {
  return namespace === "default" && kind.plural === "pods" && subresource === "" && operation !== "UPDATE";
}

function question({ object, operation }: AdmissionRequest, step: string): OutboundCall {
  return { to: { url: `https://${step}` }, body: JSON.stringify({ operation, object }), timeoutMs: 10_000 };
}

function server(status: (call: OutboundCall) => number = () => 200) {
  const calls: OutboundCall[] = [];
  const testServer = newServer({
    plugins: [...plugins, asking],
    answer: (call) => {
      calls.push(call);
      return { ok: true, status: status(call), body: "yes" };
    },
  });
  return { ...testServer, asked: calls };
}

const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "c", image: "nginx" }] } };
const path = "/api/v1/namespaces/default/pods";

describe("a request with outbound calls", () => {
  test("makes calls in at most a hundred rounds, and nothing is written", async () => {
    const endless: AdmissionPlugin = {
      name: "Endless",
      mutate: (request) => {
        for (let at = 0; isPod(request) && at < 1000; at++) request.context.ask([question(request, String(at))]);
      },
    };
    let rounds = 0;
    const answer = () => {
      rounds += 1;
      return { ok: true, status: 200, body: "yes" } as const;
    };
    const endlessServer = newServer({ plugins: [...plugins, endless], answer });
    const { revision } = endlessServer.cluster.registry.store;
    const { body } = await endlessServer.ask("POST", path, { body: { ...pod, metadata: { name: "a" } } });
    expect(body).toMatchObject({
      code: 500,
      message: expect.stringContaining("asked too often for one request") as string,
    });
    expect([rounds, endlessServer.cluster.registry.store.revision]).toEqual([100, revision]);
  });

  test("uses the answers, making each call once", async () => {
    const { ask, asked: calls } = server();
    const { code, body } = await ask("POST", path, { body: { ...pod, metadata: { generateName: "web-" } } });
    expect(code).toBe(201);
    expect(body?.metadata.labels).toEqual({ answer: "yes" });
    expect(calls.map(({ to }) => to.url)).toEqual(["https://mutate", "https://validate"]);
    // The call contained the object that was stored.
    const reviewed = JSON.parse(calls[1]?.body ?? "") as { object: Pod };
    expect(reviewed.object.metadata.name).toBe(body?.metadata.name);
    expect(reviewed.object.metadata.uid).toBe(body?.metadata.uid);
  });

  test("is rejected by an answer, and nothing is written", async () => {
    const { ask, cluster } = server(({ to }) => (to.url === "https://validate" ? 403 : 200));
    const { revision } = cluster.registry.store;
    const { code } = await ask("POST", path, { body: { ...pod, metadata: { name: "web" } } });
    expect(code).toBe(403);
    expect(cluster.registry.store.revision).toBe(revision);
  });

  test("continues after a call for a deletion of a collection, and returns all objects", async () => {
    const { ask, cluster } = server();
    for (const name of ["a", "b", "c"]) await ask("POST", path, { body: { ...pod, metadata: { name } } });
    cluster.runUntilQuiet();
    const { text } = await ask("DELETE", path);
    expect((JSON.parse(text) as { items: Pod[] }).items.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
    cluster.runUntilQuiet();
    expect(cluster.client.list(pods, { namespace: "default" })).toEqual([]);
  });
});

describe("a reconcile with outbound calls", () => {
  test("waits, and continues when all answers are there", () => {
    const { cluster, asked: calls, bugs } = server();
    const labels = { app: "web" };
    cluster.client.create(deployments, {
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 5,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
      },
    });
    cluster.runUntilQuiet();
    const createdPods = cluster.client.list(pods, { namespace: "default" });
    expect(createdPods.map(({ metadata }) => metadata.labels?.["answer"])).toEqual(["yes", "yes", "yes", "yes", "yes"]);
    expect(calls).toHaveLength(10);
    expect(bugs).toEqual([]);
  });

  test("fails as the API would, and is retried later", () => {
    let refused = 3;
    const { cluster } = server(({ to }) => (to.url === "https://validate" && refused-- > 0 ? 403 : 200));
    const labels = { app: "web" };
    cluster.client.create(deployments, {
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
      },
    });
    cluster.runUntilQuiet();
    expect(cluster.client.list(pods, { namespace: "default" })).toHaveLength(1);
    expect(refused).toBeLessThan(0);
  });
});

describe("a pod in a namespace without default account", () => {
  const body = { ...pod, metadata: { name: "web" } };
  const bare = (wait: (testServer: ReturnType<typeof newServer>) => void) => {
    const waits: number[] = [];
    const testServer: ReturnType<typeof newServer> = newServer({
      controllers: [],
      service: () => ({
        wait: (ms) => {
          waits.push(ms);
          wait(testServer);
          return Promise.resolve();
        },
      }),
    });
    return { ...testServer, waits };
  };

  test("Q14: is created as soon as a controller has created the account", async () => {
    const { ask, waits, bugs } = bare(({ cluster }) => {
      if (waits.length === 2) cluster.apply(serviceAccounts, { metadata: { namespace: "default", name: "default" } });
    });
    const { code } = await ask("POST", path, { body });
    expect([code, waits, bugs]).toEqual([201, [10, 20], []]);
  });

  test("Q14: is rejected with upstream's message after a second and a quarter, and at once for another account", async () => {
    const { ask, waits } = bare(() => undefined);
    const { code, body: refusal } = await ask("POST", path, { body });
    const why = 'error looking up service account default/default: serviceaccount "default" not found';
    expect([code, refusal?.message]).toEqual([403, `pods "web" is forbidden: ${why}`]);
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(1270);
    waits.splice(0);
    const otherAccount = { ...body, spec: { ...pod.spec, serviceAccountName: "robot" } };
    expect([(await ask("POST", path, { body: otherAccount })).code, waits]).toEqual([403, []]);
  });
});
