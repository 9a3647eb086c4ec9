// Aggregated APIs: what an APIService with a Service behind it serves, what discovery tells of it, and when it is available.
import { describe, expect, test } from "vitest";
import type { Answer, OutsideAnswer, OutsideRequest, Question } from "../../shared/k8s/question.ts";
import { apiServices } from "../../worker/kinds/api-services.ts";
import { endpoints } from "../../worker/kinds/endpoints.ts";
import { services } from "../../worker/kinds/services.ts";
import { newServer } from "./server.ts";

const group = "custom.metrics.example.com";
const name = `v1beta1.${group}`;
const path = `/apis/${group}/v1beta1`;
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const resources = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/v1beta1`,
  resources: [
    { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get", "list"] },
    { name: "things/status", singularName: "", namespaced: true, kind: "Thing", verbs: ["get"] },
  ],
};

/** The far end; it can be switched off. */
function farEnd() {
  const state = { isUp: true };
  const checks: Question[] = [];
  const sent: OutsideRequest[] = [];
  const refused = { ok: false, message: "connect: connection refused" } as const;
  return {
    state,
    checks,
    sent,
    answer: (question: Question): Answer => {
      checks.push(question);
      return state.isUp ? { ok: true, status: 200, body: "{}" } : refused;
    },
    send: (request: OutsideRequest): OutsideAnswer => {
      sent.push(request);
      if (!state.isUp) return refused;
      const isDiscovery = new URL(request.to.url).pathname === path;
      const text = isDiscovery ? JSON.stringify(resources) : `{"kind":"ThingList","items":[]}`;
      return { ok: true, status: 200, headers: [["Content-Type", "application/json"]], body: bytes(text) };
    },
  };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function fixture({ withService = true } = {}) {
  const far = farEnd();
  const service = () => ({ send: (request: OutsideRequest) => Promise.resolve(far.send(request)) });
  const server = newServer({ nodes: 1, answer: far.answer, service });
  const { cluster } = server;
  if (withService) {
    cluster.apply(services, { metadata: { namespace: "default", name: "api" }, spec: { ports: [{ port: 443 }] } });
  }
  cluster.apply(apiServices, {
    metadata: { name },
    spec: {
      group,
      version: "v1beta1",
      service: { namespace: "default", name: "api" },
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
    },
  });
  const settle = () => cluster.step(1000);
  settle();
  const condition = () => {
    const { status, reason, message } = cluster.get(apiServices, "", name).status.conditions?.[0] ?? {};
    return { status, reason, message };
  };
  return { server, cluster, far, settle, condition };
}

describe("An APIService", () => {
  test("is available when its server answers at the path of its version", () => {
    const { far, condition } = fixture();
    expect(condition()).toEqual({ status: "True", reason: "Passed", message: "all checks passed" });
    expect(far.checks[0]).toMatchObject({
      to: { service: { namespace: "default", name: "api", port: 443 }, insecure: true },
      method: "GET",
    });
    expect(far.checks[0]?.to.url).toMatch(new RegExp(`^https://[\\d.]+:443${path}$`));
  });

  test("says why it is not: no Service, no port, no endpoints, no answer", () => {
    const { cluster, far, settle, condition } = fixture({ withService: false });
    const where = 'service/api in "default"';
    expect(condition()).toEqual({ status: "False", reason: "ServiceNotFound", message: `${where} is not present` });
    far.state.isUp = false;
    cluster.apply(services, { metadata: { namespace: "default", name: "api" }, spec: { ports: [{ port: 80 }] } });
    settle();
    expect(condition()).toMatchObject({ reason: "ServicePortError", message: `${where} is not listening on port 443` });
    cluster.edit(services, "default", "api", ({ spec }) => {
      spec.ports = [{ port: 443, protocol: "TCP", targetPort: 443 }];
    });
    settle();
    expect(condition()).toMatchObject({
      reason: "EndpointsNotFound",
      message: `cannot find endpointslices for ${where}`,
    });
    cluster.apply(endpoints, {
      metadata: { namespace: "default", name: "api" },
      subsets: [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 443 }] }],
    });
    settle();
    expect(condition().reason).toBe("FailedDiscoveryCheck");
    expect(condition().message).toMatch(
      /^failing or missing response from https:\/\/\S+: connect: connection refused$/,
    );
    far.state.isUp = true;
    cluster.step(60_000);
    expect(condition().reason).toBe("Passed");
  });
});

describe("What it serves", () => {
  test("is asked for as the user who asks here, without the user's own credentials", async () => {
    const { server, far } = fixture();
    const answer = await server.ask("POST", `${path}/namespaces/default/things?dryRun=All`, {
      body: { kind: "Thing" },
      headers: { "x-remote-user": "forged", "x-own": "1" },
    });
    expect([answer.code, answer.text]).toEqual([200, '{"kind":"ThingList","items":[]}']);
    const [request] = far.sent;
    expect(request?.to.url).toBe(`https://api.default.svc:443${path}/namespaces/default/things?dryRun=All`);
    expect([request?.method, new TextDecoder().decode(request?.body)]).toEqual(["POST", '{"kind":"Thing"}']);
    const headers = request?.headers ?? [];
    expect(headers).toContainEqual(["x-own", "1"]);
    expect(headers).toContainEqual(["X-Remote-User", "kubernetes-admin"]);
    expect(headers.filter(([header]) => header === "X-Remote-Group").map(([, value]) => value)).toEqual([
      "system:masters",
      "system:authenticated",
    ]);
    expect(headers.map(([header]) => header.toLowerCase())).not.toContain("authorization");
    expect(headers.filter(([header]) => header.toLowerCase() === "x-remote-user")).toHaveLength(1);
  });

  test("is for those who may: access is decided here first", async () => {
    const { server, far } = fixture();
    const answer = await server.ask("GET", `${path}/namespaces/default/things`, { token: "stranger-token" });
    expect(answer.code).toBe(403);
    expect(far.sent).toEqual([]);
  });

  test("is unavailable while its server is, in the aggregator's words; watches are refused plainly", async () => {
    const { server, cluster } = fixture({ withService: false });
    const answer = await server.ask("GET", `${path}/things`);
    expect([answer.code, answer.text]).toEqual([503, "service unavailable\n"]);
    cluster.apply(services, { metadata: { namespace: "default", name: "api" }, spec: { ports: [{ port: 443 }] } });
    cluster.step(1000);
    expect((await server.ask("GET", `${path}/things?watch=1`)).code).toBe(501);
    expect((await server.ask("GET", path)).body).toEqual(resources);
  });
});

describe("Discovery", () => {
  interface Groups {
    readonly items: readonly { metadata: { name?: string }; versions: readonly object[] }[];
    readonly groups: readonly { name: string; preferredVersion: { version: string } }[];
  }

  test("names it, and asks its server once a minute at most", async () => {
    const { server, cluster, far } = fixture();
    const plain = await server.ask<Groups>("GET", "/apis");
    expect(plain.body.groups.find((one) => one.name === group)?.preferredVersion.version).toBe("v1beta1");
    expect((await server.ask("GET", `/apis/${group}`)).body).toMatchObject({ kind: "APIGroup", name: group });
    expect(far.sent).toEqual([]);
    const find = async () => {
      const { body } = await server.ask<Groups>("GET", "/apis", { headers: { accept: aggregated } });
      return body.items.find(({ metadata }) => metadata.name === group)?.versions;
    };
    const fresh = await find();
    expect(fresh).toMatchObject([
      {
        version: "v1beta1",
        freshness: "Current",
        resources: [{ resource: "things", scope: "Namespaced", subresources: [{ subresource: "status" }] }],
      },
    ]);
    await find();
    expect(far.sent).toHaveLength(1);
    far.state.isUp = false;
    cluster.step(61_000);
    expect(await find()).toMatchObject([{ freshness: "Stale", resources: [{ resource: "things" }] }]);
  });
});
