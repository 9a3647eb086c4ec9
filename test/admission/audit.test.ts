// The audit annotations of policies, webhooks and pod security.
import { describe, expect, test } from "vitest";
import type { Draft } from "../../shared/k8s/meta.ts";
import type { ValidatingAdmissionPolicySpec } from "../../shared/k8s/api/admissionregistration-v1.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { mutatingWebhookConfigurations } from "../../worker/kinds/admissionregistration/mutating-webhook-configuration.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { validatingAdmissionPolicies } from "../../worker/kinds/admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "../../worker/kinds/admissionregistration/validating-admission-policy-binding.ts";
import { type TestServerOptions, newServer } from "../api/server.ts";

function fixture(options: TestServerOptions = {}) {
  const server = newServer({ nodes: 1, ...options });
  const { client, auditLog } = server.cluster;
  const policy = (spec: Draft<ValidatingAdmissionPolicySpec>, validationActions: ("Deny" | "Warn" | "Audit")[]) => {
    const resourceRules = [
      { operations: ["CREATE" as const], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
    ];
    client.create(validatingAdmissionPolicies, {
      metadata: { name: "p.io" },
      spec: { matchConstraints: { resourceRules }, ...spec },
    });
    client.create(validatingAdmissionPolicyBindings, {
      metadata: { name: "b" },
      spec: { policyName: "p.io", validationActions },
    });
  };
  const make = (name: string) =>
    server.ask("POST", "/api/v1/namespaces/default/configmaps?pretty=false", {
      body: { metadata: { name } },
      headers: { "audit-id": "id-1", "user-agent": "kubectl/v1" },
    });
  return { ...server, policy, make, auditLog, notes: () => auditLog.list().map(({ annotations }) => annotations) };
}

const allowed = { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" };
const failureKey = "validation.policy.admission.k8s.io/validation_failure";

describe("a policy", () => {
  test("with the action Audit records a failure and does not reject the write", async () => {
    const { policy, make, auditLog } = fixture();
    policy({ validations: [{ expression: "true" }, { expression: "false", message: "no" }] }, ["Audit"]);
    expect((await make("a")).code).toBe(201);
    const failure = { message: "no", policy: "p.io", binding: "b", expressionIndex: 1, validationActions: ["Audit"] };
    expect(auditLog.list()).toMatchObject([
      {
        kind: "Event",
        apiVersion: "audit.k8s.io/v1",
        level: "Metadata",
        auditID: "id-1",
        stage: "ResponseComplete",
        requestURI: "/api/v1/namespaces/default/configmaps?pretty=false",
        verb: "create",
        user: { username: "kubernetes-admin" },
        userAgent: "kubectl/v1",
        objectRef: { resource: "configmaps", namespace: "default", name: "a", apiVersion: "v1" },
        responseStatus: { metadata: {}, code: 201 },
        annotations: { ...allowed, [failureKey]: JSON.stringify([failure]) },
      },
    ]);
  });

  test("records the error of a request that it rejects", async () => {
    const { policy, make, auditLog } = fixture();
    policy({ validations: [{ expression: "false" }] }, ["Deny", "Audit"]);
    const { body } = await make("a");
    const { message } = body;
    expect(auditLog.list()).toMatchObject([
      { responseStatus: { code: 422, status: "Failure", reason: "Invalid", message } },
    ]);
  });

  test('prefixes its annotations with its name, and omits null and ""', async () => {
    const { policy, make, notes } = fixture();
    const auditAnnotations = [
      { key: "who", valueExpression: "'  ' + object.metadata.name" },
      { key: "none", valueExpression: "null" },
      { key: "empty", valueExpression: "''" },
    ];
    policy({ auditAnnotations }, ["Deny"]);
    await make("a");
    expect(notes()).toEqual([{ ...allowed, "p.io/who": "a" }]);
  });
});

describe("a mutating webhook", () => {
  const patch = [{ op: "add", path: "/data", value: { a: "b" } }];
  const webhook = (respond: (uid: string) => OutboundAnswer, failurePolicy: "Fail" | "Ignore" = "Fail") => {
    const answer = ({ body }: OutboundCall) => respond((JSON.parse(body) as { request: { uid: string } }).request.uid);
    const it = fixture({ answer });
    it.cluster.client.create(mutatingWebhookConfigurations, {
      metadata: { name: "c" },
      webhooks: [
        {
          name: "w.example.com",
          clientConfig: { url: "https://w.example.com/" },
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          failurePolicy,
          rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        },
      ],
    });
    return it;
  };

  test("records whether and how it changed the object, and its own annotations", async () => {
    const { make, notes } = webhook((uid) => {
      const response = {
        uid,
        allowed: true,
        patchType: "JSONPatch",
        patch: btoa(JSON.stringify(patch)),
        auditAnnotations: { seen: "yes", "no key": "x" },
      };
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
      return { ok: true, status: 200, body: JSON.stringify(review) };
    });
    await make("a");
    const named = { configuration: "c", webhook: "w.example.com" };
    expect(notes()).toEqual([
      {
        ...allowed,
        "mutation.webhook.admission.k8s.io/round_0_index_0": JSON.stringify({ ...named, mutated: true }),
        "patch.webhook.admission.k8s.io/round_0_index_0": JSON.stringify({ ...named, patch, patchType: "JSONPatch" }),
        "w.example.com/seen": "yes",
      },
    ]);
  });

  test("records an ignored failure as such", async () => {
    const { make, notes } = webhook(() => ({ ok: false, message: "gone" }), "Ignore");
    expect((await make("a")).code).toBe(201);
    expect(notes()[0]).toMatchObject({
      "failed-open.mutation.webhook.admission.k8s.io/round_0_index_0": "w.example.com",
      "mutation.webhook.admission.k8s.io/round_0_index_0": expect.stringContaining('"mutated":false'),
    });
  });
});

describe("pod security", () => {
  test("records a violation of the audit level, also for pods of controllers", () => {
    const { cluster, auditLog } = fixture();
    cluster.edit(namespaces, "", "default", ({ metadata }) => {
      metadata.labels = { ...metadata.labels, "pod-security.kubernetes.io/audit": "baseline" };
    });
    const labels = { a: "b" };
    const spec = { hostNetwork: true, containers: [{ name: "c", image: "i" }] };
    const template = { metadata: { labels }, spec };
    cluster.client.create(deployments, {
      metadata: { namespace: "default", name: "d" },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    cluster.runUntilQuiet();
    const violation = 'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)';
    const auditEvents = auditLog.list();
    expect(auditEvents.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ""}`)).toContain("create pods");
    expect(
      auditEvents.every(({ annotations }) => annotations["pod-security.kubernetes.io/audit-violations"] === violation),
    ).toBe(true);
    expect(auditEvents.at(-1)).toMatchObject({
      user: { username: "system:serviceaccount:kube-system:replicaset-controller" },
      annotations: { "pod-security.kubernetes.io/enforce-policy": "privileged:latest" },
    });
  });

  test("R7: records nothing without a violation, which would be a row for every pod", async () => {
    const { ask, auditLog } = fixture();
    const spec = { containers: [{ name: "c", image: "i" }] };
    await ask("POST", "/api/v1/namespaces/default/pods", { body: { metadata: { name: "p" }, spec } });
    expect(auditLog.list()).toEqual([]);
  });
});
