// The kind NetworkPolicy of networking.k8s.io.
import type { NetworkPolicy } from "../../shared/k8s/api/networking-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { holdsGivenEmpty } from "../../shared/schema/given-empty.ts";
import { formatSelector } from "../../shared/k8s/labels.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { defineKind } from "./kind.ts";
import { networkPolicyWarnings, validateNetworkPolicySpec } from "./network-policies/validate.ts";

export const networkPolicies = defineKind<NetworkPolicy>("networking.k8s.io", "v1", "networkpolicies", {
  defaults({ spec }) {
    for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of ports) port.protocol ??= "TCP";
    }
    if (!spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
  },
  // Upstream tells an empty list that was given from none, which is all that storage knows.
  raisesGeneration: (next, previous) => holdsGivenEmpty(next.spec) || !semanticEqual(next.spec, previous.spec),
  validate: ({ spec }) => validateNetworkPolicySpec(spec),
  warnings: ({ spec }) => networkPolicyWarnings(spec),
  columns: [
    nameColumn,
    {
      name: "Pod-Selector",
      type: "string",
      description: "Labels of the pods that the policy is for.",
      cell: ({ spec }) => formatSelector(spec.podSelector),
    },
    ageColumn,
  ],
});
