// Admission webhooks in the API and for controllers: their requests, changes and rejections.
import { describe, expect, test } from "vitest";
import type { MutatingWebhook, ValidatingWebhook } from "../../shared/k8s/api/admissionregistration-v1.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { mutatingWebhookConfigurations } from "../../worker/kinds/admissionregistration/mutating-webhook-configuration.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { validatingWebhookConfigurations } from "../../worker/kinds/admissionregistration/validating-webhook-configuration.ts";
import { newServer } from "../api/server.ts";

interface Asked {
  readonly url: string;
  readonly request: Record<string, unknown> & { readonly object: Pod; readonly oldObject: Pod | null };
}

/** The response of a webhook to a request. A string is an error of the connection. */
type Respond = (call: Asked) => object | string;

function fixture(respond: Respond) {
  const calls: Asked[] = [];
  const answer = ({ to, body }: OutboundCall): OutboundAnswer => {
    const { apiVersion, request } = JSON.parse(body) as { apiVersion: string; request: Asked["request"] };
    const call = { url: to.url, request };
    calls.push(call);
    const response = respond(call);
    if (typeof response === "string") return { ok: false, message: response };
    const review = { apiVersion, kind: "AdmissionReview", response: { uid: request["uid"], ...response } };
    return { ok: true, status: 200, body: JSON.stringify(review) };
  };
  const server = newServer({ answer, nodes: 1 });
  const validate = (more: Partial<ValidatingWebhook> = {}, name = "check") =>
    server.cluster.client.create(validatingWebhookConfigurations, {
      metadata: { name },
      webhooks: [{ ...hook(`${name}.example.com`), ...more }],
    });
  const mutate = (more: Partial<MutatingWebhook> = {}, name = "change") =>
    server.cluster.client.create(mutatingWebhookConfigurations, {
      metadata: { name },
      webhooks: [{ ...hook(`${name}.example.com`), ...more }],
    });
  const make = (name: string, query = "", labels = {}) =>
    server.ask<Pod & { message: string; reason: string }>("POST", `/api/v1/namespaces/default/pods${query}`, {
      body: { ...pod, metadata: { name, labels } },
    });
  return { ...server, asked: calls, validate, mutate, make };
}

function hook(name: string) {
  return {
    name,
    clientConfig: { url: `https://${name}/` },
    admissionReviewVersions: ["v1"],
    sideEffects: "None" as const,
    rules: [{ operations: ["CREATE" as const], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
  };
}

const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "c", image: "nginx" }] } };
const allowed = { allowed: true };

function patch(...operations: object[]) {
  return { allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(operations)) };
}

const label = (key: string, value: string) => patch({ op: "add", path: `/metadata/labels/${key}`, value });

describe("a validating webhook", () => {
  test("receives the object to be stored, the user and the operation", async () => {
    const { validate, make, asked: calls } = fixture(() => allowed);
    validate();
    const { code, body } = await make("a");
    expect(code).toBe(201);
    const [{ url, request }] = calls as [Asked];
    expect(url).toBe("https://check.example.com/?timeout=10s");
    expect(request).toMatchObject({
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      operation: "CREATE",
      name: "a",
      namespace: "default",
      userInfo: { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
      dryRun: false,
      oldObject: null,
    });
    expect(request.object.metadata.uid).toBe(body?.metadata.uid);
    expect(request.object.spec.serviceAccountName).toBe("default");
  });

  test("rejects with its own message and code, and nothing is stored", async () => {
    const status = { code: 422, message: "no latest tags" };
    const { validate, make, cluster } = fixture(() => ({ allowed: false, status }));
    validate();
    const { code, body } = await make("a");
    expect(code).toBe(422);
    expect(body?.message).toBe('admission webhook "check.example.com" denied the request: no latest tags');
    expect(cluster.client.get(pods, "default", "a")).toBeUndefined();
  });

  test("rejects with 400 without a reason", async () => {
    const { validate, make } = fixture(() => ({ allowed: false }));
    validate();
    const { code, body } = await make("a");
    expect(code).toBe(400);
    expect(body?.message).toBe('admission webhook "check.example.com" denied the request without explanation');
  });

  test("rejects if it cannot be reached, unless failures are ignored", async () => {
    const { validate, make } = fixture(() => 'Post "https://check.example.com/?timeout=10s": EOF');
    validate();
    const { code, body } = await make("a");
    expect(code).toBe(500);
    expect(body?.message).toBe(
      'Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: Post "https://check.example.com/?timeout=10s": EOF',
    );
    const ignoring = fixture(() => "gone");
    ignoring.validate({ failurePolicy: "Ignore" });
    expect((await ignoring.make("a")).code).toBe(201);
  });

  test("is not called if its rules and selectors do not match", async () => {
    const { validate, make, asked: calls, ask } = fixture(() => allowed);
    validate({ objectSelector: { matchLabels: { check: "yes" } } });
    await make("a");
    expect(calls).toHaveLength(0);
    await make("b", "", { check: "yes" });
    expect(calls).toHaveLength(1);
    await ask("DELETE", "/api/v1/namespaces/default/pods/b");
    expect(calls).toHaveLength(1);
  });

  test("is called if its conditions are true", async () => {
    const { validate, make, asked: calls } = fixture(() => allowed);
    const matchConditions = [
      { name: "named", expression: "object.metadata.name.startsWith('a')" },
      { name: "not-a-node", expression: "!('system:nodes' in request.userInfo.groups)" },
    ];
    validate({ matchConditions });
    await make("a");
    await make("b");
    expect(calls.map(({ request }) => request["name"])).toEqual(["a"]);
  });

  test("rejects if its conditions fail, unless failures are ignored", async () => {
    const { validate, make, asked: calls } = fixture(() => allowed);
    const matchConditions = [{ name: "broken", expression: "object.metadata.labels.tier == 'x'" }];
    validate({ matchConditions, objectSelector: { matchLabels: { strict: "yes" } } }, "strict");
    validate({ matchConditions, failurePolicy: "Ignore" }, "lax");
    const { code, body } = await make("a", "", { strict: "yes" });
    expect(code).toBe(403);
    expect(body?.message).toBe(
      `pods "a" is forbidden: expression 'object.metadata.labels.tier == 'x'' resulted in error: no such key: tier`,
    );
    expect((await make("b")).code).toBe(201);
    expect(calls).toEqual([]);
  });

  test("is called for deletions, with the stored object", async () => {
    const { validate, make, asked: calls, ask } = fixture(() => ({ allowed: false, status: { message: "keep it" } }));
    await make("a");
    validate({ rules: [{ operations: ["DELETE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }] });
    const { code } = await ask("DELETE", "/api/v1/namespaces/default/pods/a");
    expect(code).toBe(400);
    expect(calls[0]?.request.oldObject?.metadata.name).toBe("a");
    expect(calls[0]?.request.object).toBeNull();
  });

  test("is called for a dry run, which is marked as such", async () => {
    const { validate, make, asked: calls, cluster } = fixture(() => allowed);
    validate({ sideEffects: "NoneOnDryRun" });
    expect((await make("a", "?dryRun=All")).code).toBe(201);
    expect(calls[0]?.request["dryRun"]).toBe(true);
    expect(cluster.client.get(pods, "default", "a")).toBeUndefined();
  });

  test("returns warnings, and its response must have the uid of the request", async () => {
    const { validate, make } = fixture(() => ({ allowed: true, warnings: ["old image"] }));
    validate();
    expect((await make("a")).headers.get("warning")).toBe('299 - "old image"');
    const wrongUid = fixture(() => ({ allowed: true, uid: "else" }));
    wrongUid.validate();
    expect((await wrongUid.make("a")).body?.message).toMatch(
      /^Internal error occurred: failed calling webhook "check.example.com": received invalid webhook response: expected response.uid="[-0-9a-f]{36}", got "else"$/,
    );
  });

  test("is not called for configurations of webhooks", async () => {
    const { validate, asked: calls, cluster } = fixture(() => ({ allowed: false }));
    const rules = [{ operations: ["*" as const], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];
    validate({ rules, namespaceSelector: {} });
    cluster.client.delete(validatingWebhookConfigurations, "", "check");
    expect(calls).toHaveLength(0);
  });
});

describe("a mutating webhook", () => {
  test("changes the object before it is validated and stored", async () => {
    const {
      mutate,
      validate,
      make,
      asked: calls,
    } = fixture(({ url }) => (url.includes("change") ? label("team", "a") : allowed));
    mutate();
    validate();
    const { body } = await make("a", "", { app: "x" });
    expect(body?.metadata.labels).toEqual({ app: "x", team: "a" });
    expect(calls[1]?.request.object.metadata.labels).toEqual({ app: "x", team: "a" });
  });

  test("sees the changes of earlier webhooks, and may be reinvoked", async () => {
    const {
      mutate,
      make,
      asked: calls,
    } = fixture(({ url, request }) =>
      url.includes("a-first") ? label("seen", request.object.metadata.labels?.["team"] ?? "none") : label("team", "b"),
    );
    mutate({ reinvocationPolicy: "IfNeeded" }, "a-first");
    mutate({}, "b-second");
    const { body } = await make("a", "", { app: "x" });
    expect(body?.metadata.labels).toEqual({ app: "x", seen: "b", team: "b" });
    expect(calls.map(({ url }) => url.slice(8, 15))).toEqual(["a-first", "b-secon", "a-first"]);
  });

  test("fails the write if its patch does not apply or breaks the object", async () => {
    const { mutate, make } = fixture(() => patch({ op: "remove", path: "/spec/nothing" }));
    mutate();
    expect((await make("a")).code).toBe(500);
    const breaking = fixture(() => patch({ op: "replace", path: "/spec/containers", value: [] }));
    breaking.mutate();
    const { code, body } = await breaking.make("a");
    expect([code, body?.reason]).toEqual([422, "Invalid"]);
  });

  test("changes objects of controllers, too", () => {
    const { mutate, cluster, bugs } = fixture(() => label("injected", "yes"));
    mutate();
    const labels = { app: "web" };
    cluster.client.create(deployments, {
      metadata: { name: "web", namespace: "default" },
      spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod.spec } },
    });
    cluster.runUntilQuiet();
    const createdPods = cluster.client.list(pods, { namespace: "default" });
    expect(createdPods.map(({ metadata }) => metadata.labels?.["injected"])).toEqual(["yes", "yes", "yes"]);
    expect(bugs).toEqual([]);
  });
});
