// The AdmissionReview of each sort of request: kind, version, options and both objects.
import { describe, expect, test } from "vitest";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { validatingWebhookConfigurations } from "../../worker/kinds/admissionregistration/validating-webhook-configuration.ts";
import { newServer } from "../api/server.ts";

interface Shown extends Record<string, unknown> {
  readonly name?: string;
  readonly operation: string;
  readonly object: Record<string, unknown> | null;
  readonly oldObject: Record<string, unknown> | null;
}

const admin = "kubernetes-admin";

function fixture(resources: readonly string[], rule: object = {}) {
  const reviews: Shown[] = [];
  const answer = ({ body }: OutboundCall): OutboundAnswer => {
    // `reviewOf` has built the body.
    const { apiVersion, request } = JSON.parse(body) as { apiVersion: string; request: Shown & { uid: string } };
    if ((request["userInfo"] as { username: string }).username === admin) reviews.push(request);
    const review = { apiVersion, kind: "AdmissionReview", response: { uid: request.uid, allowed: true } };
    return { ok: true, status: 200, body: JSON.stringify(review) };
  };
  const server = newServer({ answer, nodes: 1 });
  const rules = [
    { operations: ["*" as const], apiGroups: ["*"], apiVersions: ["*"], resources: [...resources], ...rule },
  ];
  server.cluster.client.create(validatingWebhookConfigurations, {
    metadata: { name: "w" },
    webhooks: [
      {
        name: "w.example.com",
        clientConfig: { url: "https://w.example.com/" },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        rules,
      },
    ],
  });
  return { ...server, shown: reviews };
}

const core = "/api/v1/namespaces/default";
const gvk = (group: string, version: string, kind: string) => ({ group, version, kind });

describe("the options of a request", () => {
  test("are those of the client, with the kind of the operation", async () => {
    const { ask, shown: reviews } = fixture(["configmaps"]);
    const body = { metadata: { name: "a" } };
    await ask("POST", `${core}/configmaps?fieldManager=me&fieldValidation=Strict&dryRun=All`, { body });
    await ask("POST", `${core}/configmaps`, { body });
    const headers = { "content-type": "application/merge-patch+json" };
    await ask("PATCH", `${core}/configmaps/a?fieldManager=me`, { body: '{"data":{"a":"b"}}', headers });
    const preconditions = { uid: "x" };
    await ask("DELETE", `${core}/configmaps/a?propagationPolicy=Background&gracePeriodSeconds=0`);
    await ask("POST", `${core}/configmaps`, { body });
    await ask("DELETE", `${core}/configmaps/a`, { body: { preconditions } });
    const apiVersion = "meta.k8s.io/v1";
    const deletion = { kind: "DeleteOptions", apiVersion };
    expect(reviews.map(({ options }) => options)).toEqual([
      { kind: "CreateOptions", apiVersion, dryRun: ["All"], fieldManager: "me", fieldValidation: "Strict" },
      { kind: "CreateOptions", apiVersion },
      { kind: "UpdateOptions", apiVersion, fieldManager: "me" },
      { ...deletion, gracePeriodSeconds: 0, propagationPolicy: "Background" },
      { kind: "CreateOptions", apiVersion },
    ]);
  });

  test("are null for CONNECT, whose object has the connection's options", async () => {
    const { ask, shown: reviews } = fixture(["pods/exec"]);
    await ask("GET", `${core}/pods/p/exec?command=ls&stdout=true`);
    expect(reviews[0]).toMatchObject({
      kind: gvk("", "v1", "PodExecOptions"),
      requestKind: gvk("", "v1", "PodExecOptions"),
      options: null,
      object: { kind: "PodExecOptions", apiVersion: "v1", command: ["ls"], stdout: true },
      oldObject: null,
    });
  });
});

describe("the version of the object in a review", () => {
  const hpa = {
    metadata: { name: "h" },
    spec: {
      maxReplicas: 2,
      targetCPUUtilizationPercentage: 60,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
    },
  };
  const path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";

  test("is the client's, whatever version is stored", async () => {
    const { ask, shown: reviews } = fixture(["horizontalpodautoscalers"]);
    await ask("POST", path, { body: hpa });
    expect(reviews[0]).toMatchObject({
      kind: gvk("autoscaling", "v1", "HorizontalPodAutoscaler"),
      requestResource: { group: "autoscaling", version: "v1", resource: "horizontalpodautoscalers" },
      object: { apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 60 } },
    });
  });

  test("is the rule's, if the match policy is Equivalent and the rule names another version", async () => {
    const { ask, shown: reviews } = fixture(["horizontalpodautoscalers"], { apiVersions: ["v2"] });
    await ask("POST", path, { body: hpa });
    expect(reviews[0]).toMatchObject({
      kind: gvk("autoscaling", "v2", "HorizontalPodAutoscaler"),
      resource: { group: "autoscaling", version: "v2", resource: "horizontalpodautoscalers" },
      requestKind: gvk("autoscaling", "v1", "HorizontalPodAutoscaler"),
      object: { apiVersion: "autoscaling/v2", spec: { metrics: [{ type: "Resource" }] } },
    });
  });
});

describe("a subresource of another type", () => {
  const pod = { metadata: { name: "p" }, spec: { schedulerName: "none", containers: [{ name: "c", image: "i" }] } };

  test("a scale is sent as Scale, before and after", async () => {
    const { ask, shown: reviews } = fixture(["deployments/scale"]);
    const labels = { a: "b" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = "/apis/apps/v1/namespaces/default/deployments";
    const spec = { replicas: 0, selector: { matchLabels: labels }, template };
    await ask("POST", path, { body: { metadata: { name: "d" }, spec } });
    const headers = { "content-type": "application/merge-patch+json" };
    const { code } = await ask("PATCH", `${path}/d/scale`, { body: '{"spec":{"replicas":2}}', headers });
    expect([code, reviews.length]).toEqual([200, 1]);
    expect(reviews[0]).toMatchObject({
      kind: gvk("autoscaling", "v1", "Scale"),
      subResource: "scale",
      operation: "UPDATE",
      object: { kind: "Scale", spec: { replicas: 2 }, status: { replicas: 0, selector: "a=b" } },
      oldObject: { kind: "Scale", spec: {}, status: { selector: "a=b" } },
    });
  });

  test("a binding and an eviction are sent as their bodies, and an eviction causes no review of a deletion", async () => {
    const { ask, shown: reviews, cluster } = fixture(["pods/binding", "pods/eviction", "pods", "bindings"]);
    await ask("POST", `${core}/pods`, { body: pod });
    const target = { kind: "Node", name: "node-1" };
    await ask("POST", `${core}/bindings`, { body: { metadata: { name: "p" }, target } });
    cluster.runUntilQuiet();
    await ask("POST", `${core}/pods/p/eviction`, { body: { metadata: { name: "p" } } });
    expect(reviews.slice(1)).toMatchObject([
      {
        kind: gvk("", "v1", "Binding"),
        resource: { group: "", version: "v1", resource: "bindings" },
        object: { kind: "Binding", target },
        oldObject: null,
      },
      { kind: gvk("policy", "v1", "Eviction"), operation: "CREATE", subResource: "eviction", oldObject: null },
    ]);
    expect(reviews).toHaveLength(3);
  });

  test("an invalid review is not sent", async () => {
    const { ask, shown: reviews } = fixture(["*"]);
    const review = (group: string, plural: string, spec: object) =>
      ask("POST", `/apis/${group}.k8s.io/v1/${plural}`, { body: { spec } });
    expect((await review("authorization", "subjectaccessreviews", { user: "u" })).code).toBe(422);
    expect((await review("authorization", "selfsubjectrulesreviews", {})).code).toBe(400);
    expect((await review("authentication", "tokenreviews", {})).code).toBe(400);
    expect(reviews).toEqual([]);
    expect((await review("authorization", "selfsubjectrulesreviews", { namespace: "default" })).code).toBe(201);
    expect(reviews).toHaveLength(1);
  });

  test("objects that are not stored are sent as well", async () => {
    const { ask, shown: reviews } = fixture(["localsubjectaccessreviews", "serviceaccounts/token"]);
    const spec = { user: "a", resourceAttributes: { namespace: "default", verb: "get", resource: "pods" } };
    const path = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";
    await ask("POST", path, { body: { spec } });
    await ask("POST", `${core}/serviceaccounts/default/token`, { body: {} });
    expect(reviews.map(({ kind }) => kind)).toEqual([
      gvk("authorization.k8s.io", "v1", "LocalSubjectAccessReview"),
      gvk("authentication.k8s.io", "v1", "TokenRequest"),
    ]);
  });
});

test("the objects of a deleted collection are sent one by one without a name, for any number of objects", async () => {
  const { ask, shown: reviews } = fixture(["configmaps"], { operations: ["DELETE"] });
  const count = 120;
  for (let at = 0; at < count; at++) {
    await ask("POST", `${core}/configmaps`, { body: { metadata: { name: `c${at}`, labels: { mine: "1" } } } });
  }
  const { code } = await ask("DELETE", `${core}/configmaps?labelSelector=mine=1`);
  expect([code, reviews.length, reviews.some(({ name }) => name !== undefined)]).toEqual([200, count, false]);
});
