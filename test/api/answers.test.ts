// Properties of all responses: compression, common headers, metrics, and non-resource pages.
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { adminToken, configMap, core, newServer, strangerToken, viewToken } from "./server.ts";

describe("compression", () => {
  test("only a large response is compressed, for a client that accepts gzip", async () => {
    const { ask } = newServer({ controllers: [] });
    for (const name of ["a", "b"]) {
      await ask("POST", `${core}/configmaps`, { body: configMap(name, { pad: "x".repeat(80_000) }) });
    }
    const encodingOf = async (path: string, encoding?: string) => {
      const { headers } = await ask("GET", path, encoding ? { headers: { "accept-encoding": encoding } } : {});
      return [headers.get("content-encoding"), headers.get("vary")];
    };
    expect(await encodingOf(`${core}/configmaps/a`, "gzip")).toEqual([null, null]);
    expect(await encodingOf(`${core}/configmaps`)).toEqual([null, null]);
    expect(await encodingOf(`${core}/configmaps`, "br, deflate")).toEqual([null, null]);
    expect(await encodingOf(`${core}/configmaps`, "br, gzip")).toEqual(["gzip", "Accept-Encoding"]);
    expect(await encodingOf("/openapi/v3/api/v1", "gzip")).toEqual(["gzip", "Accept, Accept-Encoding"]);
    const plain = await ask("GET", `${core}/configmaps`);
    const packed = await ask("GET", `${core}/configmaps`, { headers: { "accept-encoding": "gzip" } });
    expect(gunzipSync(packed.bytes).toString()).toBe(plain.text);
  });
});

describe("headers", () => {
  test("every response has an audit id, and returns that of the client", async () => {
    const { ask } = newServer({ controllers: [] });
    for (const path of ["/api", "/healthz", "/none", `${core}/pods`, `${core}/pods/none`]) {
      const { headers } = await ask("GET", path);
      expect([path, headers.get("audit-id")]).toEqual([path, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    }
    const echoed = await ask("GET", "/api", { headers: { "audit-id": "mine" }, token: null });
    expect([echoed.code, echoed.headers.get("audit-id")]).toEqual([401, "mine"]);
  });

  test("every response has its flow schema and priority level", async () => {
    const { ask } = newServer({ controllers: [] });
    const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
    const names: Record<string, string> = {};
    for (const plural of ["flowschemas", "prioritylevelconfigurations"]) {
      for (const { metadata } of (await ask("GET", `${flow}/${plural}`)).body.items) {
        names[metadata.uid ?? ""] = metadata.name ?? "";
      }
    }
    const under = async (path: string, token: string, headers = {}) => {
      const answer = await ask("GET", path, { token, headers });
      return ["flowschema", "prioritylevel"].map(
        (flowObject) => names[answer.headers.get(`x-kubernetes-pf-${flowObject}-uid`) ?? ""],
      );
    };
    expect(await under(`${core}/pods`, adminToken)).toEqual(["exempt", "exempt"]);
    expect(await under(`${core}/pods`, viewToken)).toEqual(["global-default", "global-default"]);
    expect(await under("/healthz", strangerToken)).toEqual(["probes", "exempt"]);
    const as = (user: string, ...groups: string[]) => ({
      "impersonate-user": user,
      ...(groups.length > 0 ? { "impersonate-group": groups.join(", ") } : {}),
    });
    const account = as("system:serviceaccount:default:default");
    expect(await under(`${core}/pods`, adminToken, account)).toEqual(["service-accounts", "workload-low"]);
    const node = as("system:node:n", "system:nodes");
    expect(await under("/api/v1/nodes", adminToken, node)).toEqual(["system-node-high", "node-high"]);
    expect(await under(`${core}/pods`, adminToken, node)).toEqual(["system-nodes", "system"]);
    const scheduler = as("system:kube-scheduler");
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";
    expect(await under(leases, adminToken, scheduler)).toEqual(["system-leader-election", "leader-election"]);
  });
});

describe("non-resource pages", () => {
  test("metrics count requests and stored objects", async () => {
    const { ask } = newServer({ controllers: [] });
    await ask("POST", `${core}/configmaps?dryRun=All`, { body: configMap("a") });
    await ask("POST", `${core}/configmaps`, { body: configMap("a") });
    await ask("POST", `${core}/configmaps`, { body: configMap("a") });
    await ask("GET", `${core}/configmaps?watch=1`);
    await ask("GET", `${core}/configmaps?watch=1`, {
      headers: { "sandbar-watch": "pull", "sandbar-watch-since": "1" },
    });
    await ask("GET", "/anything");
    const { text, headers } = await ask("GET", "/metrics");
    expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
    const labels = (code: number, dry: string, verb: string, scope: string) =>
      `apiserver_request_total{code="${code}",component="apiserver",dry_run="${dry}",group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"} 1\n`;
    expect(text).toContain(labels(201, "All", "POST", "resource"));
    expect(text).toContain(labels(201, "", "POST", "resource"));
    expect(text).toContain(labels(409, "", "POST", "resource"));
    expect(text).toContain(labels(200, "", "WATCH", "namespace"));
    expect(text).not.toContain("/anything");
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1\n');
    expect(text).toContain('apiserver_storage_objects{resource="nodes"} 3\n');
    expect(text).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="exempt"} 0\n');
    expect(text).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 245\n');
    expect(text).toMatch(/^process_start_time_seconds \d+/m);
    expect(text).toMatch(/^apiserver_request_duration_seconds_bucket\{.*le="\+Inf".*verb="POST".*\} 2$/m);
    expect(text.endsWith("\n")).toBe(true);
  });

  test("the results of health checks have their own metrics", async () => {
    const { ask } = newServer({ controllers: [] });
    const { code, text, headers } = await ask("GET", "/metrics/slis");
    expect([code, headers.get("content-type")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8; escaping=underscores",
    ]);
    expect(text).toContain('kubernetes_healthcheck{name="etcd",type="livez"} 1\n');
    expect(text).toContain('kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 1\n');
    expect(text).toMatch(/^process_start_time_seconds \d+/m);
    expect((await ask("GET", "/")).body).toMatchObject({ paths: expect.arrayContaining(["/metrics/slis"]) });
  });

  test.for(["/logs", "/logs/", "/logs/kube-apiserver.log", "/logs/..%2Fshadow"])(
    "%s is rejected as by a server without log handler: an unknown path",
    async (path) => {
      const { ask } = newServer({ controllers: [] });
      const { code, text, headers } = await ask("GET", path);
      expect([code, text]).toEqual([404, "404 page not found\n"]);
      expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    },
  );

  test("the issuer's keys are served", async () => {
    const { ask } = newServer({ controllers: [] });
    const about = await ask("GET", "/.well-known/openid-configuration");
    expect(about.body).toEqual({
      issuer: "https://kubernetes.default.svc.cluster.local",
      jwks_uri: "https://test/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
    const headers = { "sandbar-server": "https://service/c/abc" };
    const named = await ask("GET", "/.well-known/openid-configuration", { headers });
    expect(named.body).toMatchObject({ jwks_uri: "https://service/c/abc/openid/v1/jwks" });
    const keys = await ask("GET", "/openid/v1/jwks");
    expect(keys.headers.get("content-type")).toBe("application/jwk-set+json");
    expect(keys.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(JSON.parse(keys.text)).toEqual({
      keys: [expect.objectContaining({ use: "sig", kty: "EC", crv: "P-256", alg: "ES256" })],
    });
  });

  test("an error is YAML on request, and JSON if no form is acceptable", async () => {
    const { ask } = newServer({ controllers: [] });
    const of = async (accept: string) =>
      (await ask("GET", `${core}/pods/none`, { headers: { accept } })).headers.get("content-type");
    expect(await of("application/yaml")).toBe("application/yaml");
    expect(await of("image/png")).toBe("application/json");
  });
});
