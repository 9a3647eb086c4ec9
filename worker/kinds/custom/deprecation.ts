// What clients of a deprecated version are warned of.
import { compareVersions } from "../../../shared/k8s/versions.ts";
import type { Summary, VersionSummary } from "./summary.ts";

export function deprecationOf(summary: Summary, version: VersionSummary): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, kind, versions } = summary;
  const newer = versions
    .filter((one) => one.served && !one.deprecated && compareVersions(one.name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions);
  const instead = newer[0] === undefined ? "" : `; use ${group}/${newer[0]} ${kind}`;
  return `${group}/${version.name} ${kind} is deprecated${instead}`;
}
