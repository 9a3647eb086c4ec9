// Aggregated APIs: proxied requests, discovery, and availability of APIServices.
import { describe, expect, test } from "vitest";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import type { Directions } from "../../shared/contract/tunnel.ts";
import type { OutboundAnswer, OutsideAnswer, OutsideRequest, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { apiServices } from "../../worker/kinds/apiregistration/api-service.ts";
import { endpoints } from "../../worker/kinds/core/endpoints.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import type { Relay } from "../../worker/api/api-server.ts";
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

const list = `io.example.ThingList`;
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
/** The documents of the aggregated server. */
const says: Readonly<Record<string, object>> = {
  "/openapi/v3": {
    paths: {
      [`apis/${group}/v1beta1`]: { serverRelativeURL: `/openapi/v3/apis/${group}/v1beta1?hash=ABC` },
      "api/v1": { serverRelativeURL: "/openapi/v3/api/v1?hash=FORGED" },
    },
  },
  [`/openapi/v3/apis/${group}/v1beta1`]: { openapi: "3.0.0", info: { title: "theirs" } },
  "/openapi/v2": {
    swagger: "2.0",
    paths: {
      [`${path}/things`]: {
        get: {
          operationId: "listThings",
          parameters: [{ $ref: "#/parameters/limit-1" }],
          responses: { 200: { description: "OK", schema: { $ref: `#/definitions/${list}` } } },
        },
      },
      "/apis/apps/v1/deployments": { get: { operationId: "forged" } },
    },
    parameters: { "limit-1": { name: "limit", in: "query", type: "integer", uniqueItems: true } },
    definitions: {
      [list]: { type: "object", properties: { metadata: { $ref: `#/definitions/${objectMeta}` } } },
      [objectMeta]: { type: "object", properties: { other: { type: "string" } } },
      "io.example.Unused": { type: "object" },
    },
  },
};

/** The aggregated server, which can be switched off. */
function farEnd() {
  const state = { isUp: true, redirects: false };
  const checks: OutboundCall[] = [];
  const sent: OutsideRequest[] = [];
  const refused = { ok: false, message: "connect: connection refused" } as const;
  return {
    state,
    checks,
    sent,
    answer: (call: OutboundCall): OutboundAnswer => {
      checks.push(call);
      return state.isUp ? { ok: true, status: 200, body: "{}" } : refused;
    },
    send: (request: OutsideRequest): OutsideAnswer => {
      sent.push(request);
      if (!state.isUp) return refused;
      if (state.redirects) return { ok: true, status: 302, headers: [["Location", "/"]], body: bytes("") };
      const document = says[new URL(request.to.url).pathname];
      if (document) {
        const headers = [
          ["Content-Type", "application/json"],
          ["ETag", '"1"'],
        ] as const;
        return { ok: true, status: 200, headers, body: bytes(JSON.stringify(document)) };
      }
      const isDiscovery = new URL(request.to.url).pathname === path;
      const text = isDiscovery ? JSON.stringify(resources) : `{"kind":"ThingList","items":[]}`;
      return { ok: true, status: 200, headers: [["Content-Type", "application/json"]], body: bytes(text) };
    },
  };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

const call = {
  id: "",
  origin: "https://far.example.com",
  method: "GET",
  path: "",
  serverName: "",
  headers: [],
  body: "",
  timeoutMs: 1,
};

function fixture({ withService = true, relay }: { withService?: boolean; relay?: Relay } = {}) {
  const far = farEnd();
  const send = (request: OutsideRequest) => Promise.resolve(far.send(request));
  const service = () => ({ send, ...(relay ? { relay } : {}) });
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

describe("an APIService", () => {
  test("is available when its server responds at the path of its version", () => {
    const { far, condition } = fixture();
    expect(condition()).toEqual({ status: "True", reason: "Passed", message: "all checks passed" });
    expect(far.checks[0]).toMatchObject({
      to: { service: { namespace: "default", name: "api", port: 443 }, insecure: true },
      method: "GET",
    });
    expect(far.checks[0]?.to.url).toMatch(new RegExp(`^https://[\\d.]+:443${path}$`));
  });

  test("reports why it is unavailable: no Service, no port, no endpoints, no response", () => {
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

describe("requests to an aggregated API", () => {
  test("are sent as the user of the request, without the user's credentials", async () => {
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

  test("are authorized here first", async () => {
    const { server, far } = fixture();
    const answer = await server.ask("GET", `${path}/namespaces/default/things`, { token: "stranger-token" });
    expect(answer.code).toBe(403);
    expect(far.sent).toEqual([]);
  });

  test("are unavailable while its server is, with the aggregator's message", async () => {
    const { server, cluster, far } = fixture({ withService: false });
    const answer = await server.ask("GET", `${path}/things`);
    expect([answer.code, answer.text]).toEqual([503, "service unavailable\n"]);
    cluster.apply(services, { metadata: { namespace: "default", name: "api" }, spec: { ports: [{ port: 443 }] } });
    cluster.step(1000);
    expect((await server.ask("GET", path)).body).toEqual(resources);
    far.state.isUp = false;
    const later = await server.ask("GET", `${path}/things`);
    expect([later.code, later.text]).toEqual([503, "error trying to reach service: connect: connection refused\n"]);
  });

  test("contain the proxy's headers, and the audit id", async () => {
    const { server, far } = fixture();
    await server.ask("GET", `${path}/things`, { headers: { "audit-id": "mine", "x-forwarded-host": "forged" } });
    expect(far.sent[0]?.headers).toEqual(
      expect.arrayContaining([
        ["Audit-Id", "mine"],
        ["X-Forwarded-Host", "api.default.svc"],
        ["X-Forwarded-Proto", "https"],
        ["X-Forwarded-Uri", `${path}/things`],
      ]),
    );
    expect(far.sent[0]?.headers).not.toContainEqual(["x-forwarded-host", "forged"]);
  });

  test("follow no redirects, and are upgraded to WebSockets only", async () => {
    const { server, far } = fixture();
    far.state.redirects = true;
    const answer = await server.ask("GET", `${path}/things`);
    expect([answer.code, answer.text]).toEqual([
      502,
      "the backend attempted to redirect this request, which is not permitted",
    ]);
    const refused = await server.ask<{ message: string }>("POST", `${path}/things/one/exec`, {
      headers: { upgrade: "SPDY/3.1" },
    });
    expect([refused.code, refused.body.message]).toEqual([400, expect.stringContaining("WebSockets and not SPDY")]);
  });

  test("are sent by the edge, if there is one: the cluster returns a route, and receives failures", async () => {
    const failed: string[] = [];
    const relay: Relay = {
      way: ({ to, headers }) => ({ way: "direct", call: { ...call, path: to.url, headers: [...headers] } }),
      join: () => undefined,
      failed: ({ namespace, name }) => void failed.push(`${namespace}/${name}`),
    };
    const { server, far } = fixture({ relay });
    const ask = (outside: string, accept = "*/*") =>
      server.ask<Directions>("GET", `${path}/things?watch=1`, {
        headers: { [internalHeaders.outside]: outside, accept },
      });
    const directed = await ask("ask", "text/plain");
    expect(directed.headers.get(internalHeaders.outside)).toBe("here");
    expect(directed.body).toMatchObject({
      way: "direct",
      call: {
        path: `https://api.default.svc:443${path}/things?watch=1`,
        headers: expect.arrayContaining([
          ["accept", "text/plain"],
          ["X-Remote-User", "kubernetes-admin"],
        ]) as unknown,
      },
    });
    const gone = await ask(`failed ${encodeURIComponent("dial tcp: i/o timeout")}`);
    expect([gone.code, gone.text]).toEqual([503, "error trying to reach service: dial tcp: i/o timeout\n"]);
    expect((await ask("join")).code).toBe(503);
    expect([failed, far.sent]).toEqual([["default/api"], []]);
  });
});

describe("discovery of aggregated APIs", () => {
  interface Groups {
    readonly items: readonly { metadata: { name?: string }; versions: readonly object[] }[];
    readonly groups: readonly { name: string; preferredVersion: { version: string } }[];
  }

  test("contains the group, and calls its server at most once a minute", async () => {
    const { server, cluster, far } = fixture();
    const plain = await server.ask<Groups>("GET", "/apis");
    expect(plain.body.groups.find((candidate) => candidate.name === group)?.preferredVersion.version).toBe("v1beta1");
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

describe("OpenAPI of aggregated APIs", () => {
  test("has its documents from its server in version 3, and its contents in version 2", async () => {
    const { server, far } = fixture();
    const index = JSON.parse((await server.ask("GET", "/openapi/v3")).text) as {
      readonly paths: Record<string, { readonly serverRelativeURL: string }>;
    };
    const documentName = `apis/${group}/v1beta1`;
    expect(index.paths[documentName]?.serverRelativeURL).toBe(`/openapi/v3/${documentName}?hash=ABC`);
    expect(index.paths["api/v1"]?.serverRelativeURL).not.toContain("FORGED");
    expect(Object.keys(index.paths)).toEqual(Object.keys(index.paths).sort());
    expect((await server.ask("GET", `/openapi/v3/${documentName}`)).body).toEqual(says[`/openapi/v3/${documentName}`]);
    expect((await server.ask("GET", "/openapi/v3/apis/none.example.com/v1")).code).toBe(404);
    expect(far.sent.map(({ to }) => new URL(to.url).pathname)).toEqual(["/openapi/v3", `/openapi/v3/${documentName}`]);
    expect(far.sent[0]?.headers).toContainEqual(["X-Remote-User", "system:aggregator"]);
  });

  test("has its paths with their definitions in version 2, and conflicting names are renamed", async () => {
    interface Swagger {
      readonly paths: Record<string, { get?: { operationId: string; parameters: readonly object[] } }>;
      readonly definitions: Record<string, { properties: Record<string, object> }>;
    }
    const { server } = fixture();
    const { body, headers } = await server.ask<Swagger>("GET", "/openapi/v2", {
      headers: { accept: "application/json" },
    });
    expect(body.paths[`${path}/things`]?.get?.parameters).toMatchObject([{ name: "limit", type: "integer" }]);
    expect(body.paths["/apis/apps/v1/deployments"]?.get?.operationId).toBe("listAppsV1DeploymentForAllNamespaces");
    expect(body.definitions[list]?.properties).toEqual({ metadata: { $ref: `#/definitions/${objectMeta}_v2` } });
    expect(body.definitions[`${objectMeta}_v2`]?.properties).toEqual({ other: { type: "string" } });
    expect(body.definitions[objectMeta]?.properties).toHaveProperty("name");
    expect(body.definitions).not.toHaveProperty(["io.example.Unused"]);
    const again = await server.ask("GET", "/openapi/v2", { headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect(again.code).toBe(304);
  });
});
