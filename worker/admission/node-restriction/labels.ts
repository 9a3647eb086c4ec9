// The labels that a node must not set on itself, because other components trust them.

/** The labels with a domain of Kubernetes that a node may set nevertheless. */
const allowedLabels = new Set([
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
const allowedDomains = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const restrictedDomain = "node-restriction.kubernetes.io";

type Labels = Readonly<Record<string, string>> | undefined;

/** Returns the forbidden labels that differ, in order. */
export function forbiddenLabels(next: Labels = {}, previous: Labels = {}): string[] {
  const keys = new Set([...Object.keys(next), ...Object.keys(previous)]);
  return [...keys].filter((key) => next[key] !== previous[key] && isForbidden(key)).sort();
}

function isForbidden(key: string): boolean {
  const domain = key.includes("/") ? (key.split("/")[0] ?? "") : "";
  if (isWithin(domain, restrictedDomain)) return true;
  const isKubernetes = isWithin(domain, "kubernetes.io") || isWithin(domain, "k8s.io");
  return isKubernetes && !allowedLabels.has(key) && !allowedDomains.some((nodeDomain) => isWithin(domain, nodeDomain));
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
