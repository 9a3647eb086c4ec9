// The order of API versions.

/** Compares versions in Kubernetes' order: v2, v1, v1beta2, v1beta1, v1alpha1, then anything else by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (!left && !right) return compare(a, b);
  if (!left || !right) return left ? -1 : 1;
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function parseVersion(version: string): { stage: number; major: number; minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  const stage = match[2] === "alpha" ? 0 : match[2] === "beta" ? 1 : 2;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
