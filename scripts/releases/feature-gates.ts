// Compares the feature gates of a release with those of the newest one.
import { parse } from "yaml";
import { type GateState, gateStates } from "../../shared/k8s/settings/feature-gates.ts";
import type { ReleaseTable } from "../../shared/schema/facts/releases/release-table.ts";

interface GateHistory {
  readonly name: string;
  readonly versionedSpecs: readonly {
    readonly default: boolean;
    readonly lockToDefault: boolean;
    readonly version: string;
  }[];
}

export const gateFile = "test/compatibility_lifecycle/reference/versioned_feature_list.yaml";
/** Gates of programs beside the API server, and of its logging. */
const unrelatedGates =
  /^(?:Logging\w+Options|ContextualLogging|NativeHistograms|ControllerManagerReleaseLeaderElectionLockOnExit)$/;

export function gateChanges(text: string, minor: number): ReleaseTable["gates"] {
  const newest = gateStates();
  const changes: Record<string, GateState | null> = {};
  const release = new Map<string, GateState>([
    ["AllAlpha", "off"],
    ["AllBeta", "off"],
  ]);
  for (const { name, versionedSpecs } of parse(text) as readonly GateHistory[]) {
    const spec = versionedSpecs.findLast(({ version }) => Number(version.split(".")[1]) <= minor);
    if (spec && !unrelatedGates.test(name))
      release.set(name, !spec.default ? "off" : spec.lockToDefault ? "locked" : "on");
  }
  for (const [name, state] of release) if (newest.get(name) !== state) changes[name] = state;
  for (const name of newest.keys()) if (!release.has(name)) changes[name] = null;
  return changes;
}
