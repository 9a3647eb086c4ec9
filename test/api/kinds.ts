// Kinds without behavior, whose discovery and OpenAPI follow from the facts.
import { defineKind } from "../../worker/kinds/kind.ts";

export const plainPods = defineKind("", "v1", "pods", { columns: [] });
export const plainNamespaces = defineKind("", "v1", "namespaces", { columns: [] });
export const plainConfigMaps = defineKind("", "v1", "configmaps", { columns: [] });
export const plainServiceAccounts = defineKind("", "v1", "serviceaccounts", { columns: [] });
export const plainDeployments = defineKind("apps", "v1", "deployments", { columns: [] });
export const plainEvents = defineKind("events.k8s.io", "v1", "events", { columns: [] });
export const plainScalersV1 = defineKind("autoscaling", "v1", "horizontalpodautoscalers", { columns: [] });
export const plainScalersV2 = defineKind("autoscaling", "v2", "horizontalpodautoscalers", { columns: [] });
export const plainRoles = defineKind("rbac.authorization.k8s.io", "v1", "roles", { columns: [] });

/** Not in the order of discovery. */
export const plainKinds = [
  plainRoles,
  plainScalersV1,
  plainScalersV2,
  plainPods,
  plainEvents,
  plainDeployments,
  plainConfigMaps,
  plainNamespaces,
  plainServiceAccounts,
];
