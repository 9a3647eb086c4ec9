// The custom resource of the operator in these tests, and the permissions of its identity.
import type { V1Condition, V1CustomResourceDefinition, V1ObjectMeta } from "@kubernetes/client-node";

export const group = "demo.example.com";
export const plural = "sites";
export const finalizer = `${group}/cleanup`;

export interface Site {
  apiVersion: string;
  kind: "Site";
  metadata: V1ObjectMeta;
  spec: { replicas?: number; greeting?: string; motto?: string };
  status?: { observedGeneration?: number; readyReplicas?: number; selector?: string; conditions?: V1Condition[] };
}

export function site(name: string, spec: Site["spec"]): Site {
  return { apiVersion: `${group}/v1`, kind: "Site", metadata: { name }, spec };
}

/** Returns the first release's definition, or with `second` that of a later release, stored at v2. */
export function definition({ second = false } = {}): V1CustomResourceDefinition {
  const versions = [version("v1", !second), ...(second ? [version("v2", true)] : [])];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names: { plural, kind: "Site", shortNames: ["st"] }, versions },
  };
}

/** The rules of the operator's Role: its own kind, the objects that it creates, its Lease and its events. */
export const operatorRules = [
  { apiGroups: [group], resources: [plural], verbs: ["get", "list", "watch", "update"] },
  { apiGroups: [group], resources: [`${plural}/status`], verbs: ["update"] },
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "update"] },
  { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch", "create", "update"] },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
];

function version(name: string, storage: boolean): V1CustomResourceDefinition["spec"]["versions"][number] {
  const text = { type: "string" };
  const count = { type: "integer" };
  const conditions = {
    type: "array",
    items: {
      type: "object",
      required: ["type", "status"],
      properties: { type: text, status: text, reason: text, message: text, lastTransitionTime: text },
    },
    x_kubernetes_list_type: "map",
    x_kubernetes_list_map_keys: ["type"],
  };
  const spec = {
    type: "object",
    properties: {
      replicas: { ...count, minimum: 0, _default: 1 },
      greeting: { ...text, maxLength: 40 },
      motto: text,
    },
    x_kubernetes_validations: [{ rule: "self.replicas < 10", message: "a site has fewer than ten replicas" }],
  };
  const status = {
    type: "object",
    properties: { observedGeneration: count, readyReplicas: count, selector: text, conditions },
  };
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.readyReplicas",
    labelSelectorPath: ".status.selector",
  };
  return {
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
    subresources: { status: {}, scale },
    additionalPrinterColumns: [
      { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
      { name: "State", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    ],
  };
}
