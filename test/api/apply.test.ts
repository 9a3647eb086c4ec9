// Server-side apply through the API: stored objects, field owners, and errors.
import { describe, expect, test } from "vitest";
import type { ManagedFieldsEntry } from "../../shared/k8s/api/meta-v1.ts";
import type { Status } from "../../shared/k8s/status.ts";
import { apps, configMap, core, deployment, newServer, refusal, refused, type TestServer } from "./server.ts";

const yaml = { "content-type": "application/apply-patch+yaml" };
const annotation = "kubectl.kubernetes.io/last-applied-configuration";

function newApi(server: TestServer = newServer({ controllers: [], nodes: 0 })) {
  const apply = (path: string, manager: string, body: unknown, query = "") =>
    server.ask("PATCH", `${path}?fieldManager=${encodeURIComponent(manager)}${query}`, {
      headers: yaml,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const stored = async (path: string) => (await server.ask("GET", path)).body;
  const entries = async (path: string) =>
    ((await stored(path)).metadata.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => ({
      manager,
      operation,
      ...(subresource ? { subresource } : {}),
      fields: fieldsV1,
    }));
  return { ...server, apply, stored, entries };
}

const data = (fields: Record<string, string>) => configMap("a", fields);
const path = `${core}/configmaps/a`;
const web = `${apps}/deployments/web`;

describe("apply", () => {
  test("creates an absent object, and owns exactly its fields", async () => {
    const { apply, stored, bugs } = newApi();
    expect((await apply(path, "one", data({ k: "1" }))).code).toBe(201);
    const [entry, ...more] = (await stored(path)).metadata.managedFields ?? [];
    expect(more).toEqual([]);
    expect(entry).toEqual({
      manager: "one",
      operation: "Apply",
      apiVersion: "v1",
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:k": {} } },
    } satisfies ManagedFieldsEntry);
    expect(bugs).toEqual([]);
  });

  test("creates with any resourceVersion in the configuration", async () => {
    const { apply } = newApi();
    const config = { ...configMap("a", { k: "1" }), metadata: { name: "a", resourceVersion: "5" } };
    expect((await apply(path, "one", config, "&dryRun=All")).code).toBe(201);
    expect((await apply(path, "one", config)).code).toBe(201);
  });

  test("changes the fields of an existing object, and removes those it no longer has", async () => {
    const { apply, stored } = newApi();
    await apply(path, "one", data({ k: "1", l: "1" }));
    expect((await apply(path, "one", data({ k: "2" }))).code).toBe(200);
    expect((await stored(path)).data).toEqual({ k: "2" });
  });

  test("writes nothing without changes", async () => {
    const { apply, cluster } = newApi();
    const first = await apply(web, "one", deployment("web"));
    cluster.step(60_000);
    const again = await apply(web, "one", deployment("web"));
    expect(again.body.metadata).toEqual(first.body.metadata);
  });

  test("accepts YAML, and the manager's name only in the query", async () => {
    const { apply, ask } = newApi();
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n";
    expect((await apply(path, "one", text)).body.data).toEqual({ k: "v" });
    const headers = { ...yaml, "user-agent": "kubectl/v1.36.0" };
    expect(refusal(await ask("PATCH", path, { headers, body: text }))).toEqual(
      refused(
        422,
        "Invalid",
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      ),
    );
  });

  test("as a dry run returns the result and stores nothing", async () => {
    const { apply, ask } = newApi();
    const answer = await apply(path, "one", data({ k: "1" }), "&dryRun=All");
    expect(answer.code).toBe(201);
    expect(answer.body.metadata.managedFields).toHaveLength(1);
    expect((await ask("GET", path)).code).toBe(404);
  });
});

describe("a conflict", () => {
  test("is rejected with each field and its manager", async () => {
    const { apply, ask } = newApi();
    await apply(path, "one", data({ k: "1", l: "1" }));
    const answer = await apply(path, "two", data({ k: "2" }));
    const text = 'conflict with "one"';
    expect(refusal(answer)).toEqual(refused(409, "Conflict", `Apply failed with 1 conflict: ${text}: .data.k`));
    expect((JSON.parse(answer.text) as Status).details).toEqual({
      causes: [{ reason: "FieldManagerConflict", message: text, field: ".data.k" }],
    });
    const edited = { body: { data: { l: "2" } }, headers: { "content-type": "application/merge-patch+json" } };
    await ask("PATCH", `${path}?fieldManager=kubectl-edit`, edited);
    expect(refusal(await apply(path, "two", data({ k: "2", l: "3" }))).message).toBe(
      'Apply failed with 2 conflicts: conflicts with "kubectl-edit" using v1:\n- .data.l\nconflicts with "one":\n- .data.k',
    );
  });

  test("is overridden by force, which changes the field's manager", async () => {
    const { apply, stored, entries } = newApi();
    await apply(path, "one", data({ k: "1", l: "1" }));
    expect((await apply(path, "two", data({ k: "2" }), "&force=true")).code).toBe(200);
    expect((await stored(path)).data).toEqual({ k: "2", l: "1" });
    expect(await entries(path)).toEqual([
      { manager: "one", operation: "Apply", fields: { "f:data": { "f:l": {} } } },
      { manager: "two", operation: "Apply", fields: { "f:data": { "f:k": {} } } },
    ]);
  });

  test("does not occur for equal values: both own the field, and it stays until both remove it", async () => {
    const { apply, stored } = newApi();
    await apply(path, "one", data({ k: "1" }));
    expect((await apply(path, "two", data({ k: "1" }))).code).toBe(200);
    await apply(path, "one", data({}));
    expect((await stored(path)).data).toEqual({ k: "1" });
    await apply(path, "two", data({}));
    expect((await stored(path)).data).toBeUndefined();
  });
});

describe("a rejected configuration", () => {
  const invalid = (message: string) => refused(422, "Invalid", `PatchOptions.meta.k8s.io "" is invalid: ${message}`);

  test.each<[string, unknown, ReturnType<typeof refused>]>([
    [
      "another kind",
      { ...data({}), kind: "Secret" },
      refused(400, "BadRequest", "invalid object type: /v1, Kind=Secret"),
    ],
    [
      "another version",
      { ...data({}), apiVersion: "apps/v1" },
      refused(400, "BadRequest", "invalid object type: apps/v1, Kind=ConfigMap"),
    ],
    ["no kind", { metadata: { name: "a" } }, refused(400, "BadRequest", "invalid object type: /, Kind=")],
    [
      "managed fields",
      configMap("a", {}, { managedFields: [] }),
      refused(400, "BadRequest", "metadata.managedFields must be nil"),
    ],
    [
      "another name",
      configMap("b"),
      refused(400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)"),
    ],
    [
      "no name",
      { apiVersion: "v1", kind: "ConfigMap" },
      refused(400, "BadRequest", "the name of the object (a based on URL) was undeterminable: name must be provided"),
    ],
    [
      "a uid of an absent object",
      configMap("a", {}, { uid: "u" }),
      refused(
        409,
        "Conflict",
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, and no existing object was found',
      ),
    ],
    [
      "an unknown field",
      { ...data({}), datas: {} },
      {
        status: 400,
        code: 400,
        reason: undefined,
        message: "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .datas: field not declared in schema",
      } as never,
    ],
    [
      "a wrong value",
      { ...data({}), data: { k: 1 }, immutable: "no" },
      {
        status: 400,
        code: 400,
        reason: undefined,
        message:
          "failed to create typed patch object (/a; /v1, Kind=ConfigMap): errors:\n  .data.k: expected string, got &value.valueUnstructured{Value:1}\n  .immutable: expected boolean, got &{no}",
      } as never,
    ],
  ])("is refused with %s", async (_title, body, expected) => {
    expect(refusal(await newApi().apply(path, "one", body))).toEqual(expected);
  });

  test("is refused with a manager that is too long or not printable, as any write", async () => {
    const { apply, ask } = newApi();
    const long = "a".repeat(129);
    expect(refusal(await apply(path, long, data({})))).toEqual(
      invalid("fieldManager: Too long: may not be more than 128 bytes"),
    );
    expect(refusal(await apply(path, "é\u0007", data({}))).message).toContain(
      'fieldManager: Invalid value: "é\\a": invalid character U+0007 (at position 2)',
    );
    const created = await ask("POST", `${core}/configmaps?fieldManager=${long}`, { body: data({}) });
    expect(refusal(created).message).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    );
  });

  test("is refused for duplicate keys if validation is strict, and otherwise the last value is used", async () => {
    const { apply } = newApi();
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n  k: w\n";
    const complaint = 'error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "k" already set in map';
    expect(refusal(await apply(path, "one", text, "&fieldValidation=Strict"))).toEqual(
      refused(400, "BadRequest", `error strict decoding YAML: ${complaint}`),
    );
    const warned = await apply(path, "one", text);
    expect(warned.body.data).toEqual({ k: "w" });
    expect(warned.headers.get("warning")).toBe('299 - "line 7: key \\"k\\" already set in map"');
  });
});

describe("managed fields", () => {
  test("have the subresource: a manager of the status is separate", async () => {
    const { apply, entries, ask } = newApi();
    await apply(web, "one", { ...deployment("web"), status: { replicas: 9 } });
    const status = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", labels: { a: "b" } } };
    expect((await apply(`${web}/status`, "one", { ...status, status: { replicas: 2 } })).code).toBe(200);
    expect(await entries(web)).toMatchObject([
      { manager: "one", operation: "Apply", fields: { "f:spec": { "f:replicas": {} } } },
      { manager: "one", operation: "Apply", subresource: "status", fields: { "f:status": { "f:replicas": {} } } },
    ]);
    expect((await ask("GET", web)).body).toMatchObject({ status: { replicas: 2 } });
    expect((await entries(web)).map(({ fields }) => Object.keys(fields as object))).toEqual([["f:spec"], ["f:status"]]);
    // The status in configurations of the object is ignored.
    expect((await apply(web, "two", { ...deployment("web"), status: { replicas: 3 } })).code).toBe(200);
  });

  test.each<[string, unknown]>([
    ["an empty entry", [{}]],
    ["an empty list", []],
  ])("are reset by %s, and stay empty until the next apply", async (_title, managedFields) => {
    const { apply, ask, entries } = newApi();
    await apply(path, "one", data({ k: "1" }));
    const merge = { "content-type": "application/merge-patch+json" };
    await ask("PATCH", `${path}?fieldManager=x`, { headers: merge, body: { metadata: { managedFields } } });
    expect(await entries(path)).toEqual([]);
    await ask("PATCH", `${path}?fieldManager=x`, { headers: merge, body: { data: { l: "1" } } });
    expect(await entries(path)).toEqual([]);
    await apply(path, "two", data({ m: "1" }));
    expect(await entries(path)).toMatchObject([
      { manager: "two", operation: "Apply", fields: { "f:data": { "f:m": {} } } },
      { manager: "before-first-apply", operation: "Update", fields: { "f:data": { "f:k": {}, "f:l": {} } } },
    ]);
  });

  test("in a client's update are used if they are well-formed", async () => {
    const { apply, ask, stored, entries } = newApi();
    await apply(path, "one", data({ k: "1" }));
    const before = await stored(path);
    const [entry] = before.metadata.managedFields ?? [];
    const sent = (managedFields: unknown) => ({ body: { ...before, metadata: { ...before.metadata, managedFields } } });
    await ask("PUT", path, sent([{ ...entry, fieldsType: "" }]));
    expect(await entries(path)).toMatchObject([{ manager: "one" }]);
    await ask("PUT", path, sent([{ ...entry, manager: "renamed" }]));
    expect(await entries(path)).toMatchObject([{ manager: "renamed" }]);
  });

  test("are in the version of the write", async () => {
    const { ask, entries, stored, apply } = newApi();
    const scaled = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const spec = { scaleTargetRef: scaled, maxReplicas: 3, targetCPUUtilizationPercentage: 50 };
    const autoscaler = { kind: "HorizontalPodAutoscaler", metadata: { name: "web" }, spec };
    const [v1, v2] = ["v1", "v2"].map((v) => `/apis/autoscaling/${v}/namespaces/default/horizontalpodautoscalers`);
    await ask("POST", `${v1}?fieldManager=old`, { body: { ...autoscaler, apiVersion: "autoscaling/v1" } });
    const [entry] = (await stored(`${v2}/web`)).metadata.managedFields ?? [];
    expect(entry).toMatchObject({
      apiVersion: "autoscaling/v1",
      fieldsV1: { "f:spec": { "f:maxReplicas": {}, "f:targetCPUUtilizationPercentage": {} } },
    });
    const next = { ...autoscaler, apiVersion: "autoscaling/v2", spec: { scaleTargetRef: scaled, maxReplicas: 4 } };
    expect((await apply(`${v2}/web`, "new", next)).code).toBe(409);
    expect((await apply(`${v2}/web`, "new", next, "&force=true")).code).toBe(200);
    expect(await entries(`${v1}/web`)).toMatchObject([{ manager: "new" }, { manager: "old" }]);
  });

  test("in another version lose changed fields, by their names in that version", async () => {
    const { ask, entries, apply } = newApi();
    const scaled = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const autoscaler = { kind: "HorizontalPodAutoscaler", metadata: { name: "web" } };
    const [v1, v2] = ["v1", "v2"].map((v) => `/apis/autoscaling/${v}/namespaces/default/horizontalpodautoscalers`);
    const cpu = (averageUtilization: number) => [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } },
    ];
    const newer = (percent: number) => ({
      ...autoscaler,
      apiVersion: "autoscaling/v2",
      spec: { scaleTargetRef: scaled, maxReplicas: 3, metrics: cpu(percent) },
    });
    const older = (percent: number) => ({
      ...autoscaler,
      apiVersion: "autoscaling/v1",
      spec: { scaleTargetRef: scaled, maxReplicas: 3, targetCPUUtilizationPercentage: percent },
    });
    expect((await apply(`${v2}/web`, "new", newer(50))).code).toBe(201);
    const path = `${v1}/web?fieldManager=old`;
    expect((await ask("PUT", path, { body: older(50) })).code).toBe(200);
    expect(await entries(`${v2}/web`)).toMatchObject([{ manager: "new", fields: { "f:spec": { "f:metrics": {} } } }]);
    expect((await ask("PUT", path, { body: older(60) })).code).toBe(200);
    expect(await entries(`${v2}/web`)).toEqual([
      {
        manager: "new",
        operation: "Apply",
        fields: {
          "f:spec": { "f:maxReplicas": {}, "f:scaleTargetRef": { "f:apiVersion": {}, "f:kind": {}, "f:name": {} } },
        },
      },
      { manager: "old", operation: "Update", fields: { "f:spec": { "f:targetCPUUtilizationPercentage": {} } } },
    ]);
    // The conflict is reported in the version of the owner.
    expect(refusal(await apply(`${v2}/web`, "new", newer(70))).message).toBe(
      'Apply failed with 1 conflict: conflict with "old" using autoscaling/v1: .spec.targetCPUUtilizationPercentage',
    );
    expect((await apply(`${v2}/web`, "new", newer(70), "&force=true")).code).toBe(200);
    expect(await entries(`${v2}/web`)).toMatchObject([{ manager: "new" }]);
    // An apply in another version moves the entry to that version, and removes fields it gave up: the default remains.
    const bare = { ...autoscaler, apiVersion: "autoscaling/v1", spec: { scaleTargetRef: scaled, maxReplicas: 3 } };
    expect((await apply(`${v1}/web`, "new", bare)).body.spec).toEqual({
      scaleTargetRef: scaled,
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 80,
    });
  });

  test("in an unknown version are dropped", async () => {
    const { ask, entries, stored } = newApi();
    const scaled = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const v2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    const autoscaler = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "web" } };
    await ask("POST", `${v2}?fieldManager=now`, {
      body: { ...autoscaler, spec: { scaleTargetRef: scaled, maxReplicas: 3 } },
    });
    const before = await stored(`${v2}/web`);
    const [entry] = before.metadata.managedFields ?? [];
    const metadata = { ...before.metadata, managedFields: [entry, { ...entry, apiVersion: "autoscaling/v2beta2" }] };
    expect((await ask("PUT", `${v2}/web?fieldManager=now`, { body: { ...before, metadata } })).code).toBe(200);
    expect(await entries(`${v2}/web`)).toMatchObject([{ manager: "now" }]);
  });

  test("move from kubectl's client-side apply to its server-side apply, with the annotation", async () => {
    const { apply, ask, stored } = newApi();
    const config = data({ k: "1" });
    const applied = configMap("a", { k: "1" }, { annotations: { [annotation]: `${JSON.stringify(config)}\n` } });
    await ask("POST", `${core}/configmaps?fieldManager=kubectl-client-side-apply`, { body: applied });
    expect((await apply(path, "other", data({ k: "2" }))).code).toBe(409);
    expect((await apply(path, "kubectl", data({ k: "2" }))).code).toBe(200);
    expect(JSON.parse((await stored(path)).metadata.annotations?.[annotation] ?? "")).toEqual(data({ k: "2" }));
  });
});

describe("the scale of a workload", () => {
  const scale = (replicas: number) => ({
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "web" },
    spec: { replicas },
  });

  test("can be applied, and its manager owns the workload's replicas", async () => {
    const { apply, entries, stored } = newApi();
    await apply(web, "one", deployment("web", 1));
    expect(refusal(await apply(`${web}/scale`, "hpa", scale(3)))).toEqual(
      refused(409, "Conflict", 'Apply failed with 1 conflict: conflict with "one": .spec.replicas'),
    );
    expect((await apply(`${web}/scale`, "hpa", scale(3), "&force=true")).body.spec).toEqual({ replicas: 3 });
    expect(await entries(web)).toMatchObject([
      { manager: "hpa", subresource: "scale", fields: { "f:spec": { "f:replicas": {} } } },
      { manager: "one", fields: { "f:spec": { "f:selector": {} } } },
    ]);
    expect((await stored(web)).spec).toMatchObject({ replicas: 3 });
    expect(refusal(await apply(web, "one", deployment("web", 1))).message).toContain(
      'conflict with "hpa" with subresource "scale"',
    );
  });

  test("can be written, and the replicas change their owner without a time", async () => {
    const { apply, ask, stored } = newApi();
    await apply(web, "one", deployment("web", 1));
    const merge = { headers: { "content-type": "application/merge-patch+json" }, body: { spec: { replicas: 4 } } };
    await ask("PATCH", `${web}/scale?fieldManager=kubectl`, merge);
    expect((await stored(web)).metadata.managedFields?.find(({ subresource }) => subresource === "scale")).toEqual({
      manager: "kubectl",
      operation: "Update",
      apiVersion: "apps/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:replicas": {} } },
      subresource: "scale",
    });
  });
});
