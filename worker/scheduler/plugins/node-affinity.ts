// NodeAffinity: the node selector and the node affinity of a pod.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type Plugin, defaultNormalizeScore, unschedulableAndUnresolvable } from "../framework.ts";
import { nodeTermMatches, requiredNodeMatch, targetOf } from "../../controllers/common/node-selector.ts";

const status = unschedulableAndUnresolvable("node(s) didn't match Pod's node affinity/selector");
const conflicting = unschedulableAndUnresolvable("pod affinity terms conflict");

export const nodeAffinity: Plugin = {
  name: "NodeAffinity",
  weight: 2,
  preFilter({ pod }) {
    const matches = requiredNodeMatch(pod);
    if (!matches) return undefined;
    const nodeNames = namedNodes(pod);
    return {
      ...(nodeNames ? { nodeNames } : {}),
      ...(nodeNames?.size === 0 ? { status: conflicting } : {}),
      filter: (node) => (matches(node) ? undefined : status),
    };
  },
  preScore({ pod }) {
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (!preferred?.length) return undefined;
    return {
      score: (node) =>
        preferred.reduce((sum, { weight, preference }) => sum + (nodeTermMatches(preference, node) ? weight : 0), 0),
      normalizeScore: (scores) => defaultNormalizeScore(scores, { isReversed: false }),
    };
  },
  eventsToRegister: ["Node/Add", "Node/UpdateNodeLabel"],
  queueingHint({ pod }, change) {
    if (change.resource !== "Node" || !change.newObj) return false;
    const matches = requiredNodeMatch(pod) ?? (() => true);
    if (!matches(targetOf(change.newObj))) return false;
    return !change.oldObj || !matches(targetOf(change.oldObj));
  },
};

/** Returns the node names if every term requires metadata.name; otherwise undefined. */
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
