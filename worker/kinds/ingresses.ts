// The kind Ingress of networking.k8s.io.
import type { Ingress } from "../../shared/k8s/api/networking-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import type { FieldError } from "../../shared/k8s/field.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import {
  classAnnotation,
  validateIngressClassNames,
  validateIngressSpec,
  validateIngressStatus,
} from "./ingresses/validate.ts";
import { defineKind } from "./kind.ts";

/** How many hosts the table shows. */
const shownHosts = 3;

export const ingresses = defineKind<Ingress>("networking.k8s.io", "v1", "ingresses", {
  updateChecks: ["metadataChange", "metadata", "own"],
  storedAs: "ingress",
  validate(ingress, context): FieldError[] {
    const { namespace = "", name = "" } = ingress.metadata;
    const isNew = !context.get(ingresses, namespace, name);
    return [...validateIngressSpec(ingress.spec), ...(isNew ? validateIngressClassNames(ingress) : [])];
  },
  warnings: ({ metadata, spec }, previous) =>
    !previous && metadata.annotations?.[classAnnotation] !== undefined && spec.ingressClassName === undefined
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  subresourceStrategies: {
    status: {
      // Upstream's status strategy leaves the metadata to the writer.
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
      },
      validateUpdate: validateIngressStatus,
    },
  },
  columns: [
    nameColumn,
    {
      name: "Class",
      type: "string",
      description: "The class whose controller serves the Ingress.",
      cell: ({ spec }) => spec.ingressClassName ?? "<none>",
    },
    { name: "Hosts", type: "string", description: "Hosts of the rules; the first three.", cell: hosts },
    {
      name: "Address",
      type: "string",
      description: "Where the load balancer is reached.",
      cell: ({ status }) => {
        const all = (status.loadBalancer.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
        return [...new Set(all.filter(Boolean))].sort().join(",");
      },
    },
    {
      name: "Ports",
      type: "string",
      description: "Ports that are open: 443 if any host has TLS.",
      cell: ({ spec }) => (spec.tls?.length ? "80, 443" : "80"),
    },
    ageColumn,
  ],
});

/** Counts as upstream does: a rule without a host takes no place, yet counts among the ones left out. */
function hosts({ spec: { rules = [] } }: Ingress): string {
  const named = rules.map(({ host }) => host ?? "").filter(Boolean);
  const text = named.slice(0, shownHosts).join(",");
  if (!text) return "*";
  const lastShown = rules.findIndex((_, at) => rules.slice(0, at + 1).filter(({ host }) => host).length === shownHosts);
  const hasMore = lastShown >= 0 && lastShown < rules.length - 1;
  return hasMore ? `${text} + ${rules.length - shownHosts} more...` : text;
}
