// NodeAffinity: the node selector and node affinity of a pod.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type Plugin, normalizeByMax, unresolvable } from "../framework.ts";
import { nodeTermMatches, requiredNodeMatch, targetOf } from "../../controllers/common/node-selector.ts";

const rejection = unresolvable("node(s) didn't match Pod's node affinity/selector");
const conflicting = unresolvable("pod affinity terms conflict");

export const nodeAffinity: Plugin = {
  name: "NodeAffinity",
  weight: 2,
  filter({ pod }) {
    const matches = requiredNodeMatch(pod);
    if (!matches) return undefined;
    const nodeNames = namedNodes(pod);
    return {
      ...(nodeNames ? { nodeNames } : {}),
      ...(nodeNames?.size === 0 ? { rejection: conflicting } : {}),
      check: (node) => (matches(node) ? undefined : rejection),
    };
  },
  score({ pod }) {
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (!preferred?.length) return undefined;
    return {
      score: (node) =>
        preferred.reduce((sum, { weight, preference }) => sum + (nodeTermMatches(preference, node) ? weight : 0), 0),
      normalize: (scores) => normalizeByMax(scores, false),
    };
  },
  wakesOn: ["Node/add", "Node/label"],
  wakes({ pod }, change) {
    if (change.kind !== "Node" || !change.after) return false;
    const matches = requiredNodeMatch(pod) ?? (() => true);
    if (!matches(targetOf(change.after))) return false;
    return !change.before || !matches(targetOf(change.before));
  },
};

/** The nodes that every term names by the field metadata.name; undefined when one of them names none. */
function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return undefined;
  const all = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const sets = matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values = [] }) => new Set(values));
    const [first, ...rest] = sets;
    if (!first) return undefined;
    for (const name of first) if (rest.every((set) => set.has(name))) all.add(name);
  }
  return all;
}
