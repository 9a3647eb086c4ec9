// The request that creates a sandbox from a file: another cluster's objects as YAML or JSON, or the state of a sandbox.
import { trimmed } from "../../../shared/base/trim.ts";
import { importLimits } from "../../../shared/base/request-limits.ts";
import type { SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import { stateMediaType } from "../../../shared/contract/snapshot.ts";
import type { KubernetesVersion } from "../../../shared/k8s/settings/release.ts";
import type { Control } from "../../api/control.ts";

export interface ImportInput {
  readonly name: string;
  /** NaN if the text of the field is not a number. */
  readonly ttlSeconds: number;
  /** Empty for the service's default. */
  readonly nodes: string;
  readonly version: KubernetesVersion;
}

export const mostBytes = importLimits.importBytes;

export function isState(file: File): boolean {
  return file.name.endsWith(".sandbar-state");
}

/** Proposes a name for the sandbox of a file. */
export function nameOf(file: File): string {
  const [stem = ""] = file.name.toLowerCase().split(".");
  return trimmed(trimmed(stem.replace(/[^a-z0-9]+/g, "-"), "-").slice(0, 63), "-");
}

/** Returns the query of the request. A state brings its nodes and version. */
export function queryOf(file: File, { name, ttlSeconds, nodes, version }: ImportInput): string {
  const ofObjects = isState(file) ? [] : Object.entries({ nodes: nodes.trim(), version });
  const entries = [...Object.entries({ name, ttlSeconds: String(ttlSeconds) }), ...ofObjects];
  return new URLSearchParams(entries.filter(([, value]) => value !== "")).toString();
}

interface Sending {
  readonly signal: AbortSignal;
  readonly progress: (sentBytes: number) => void;
}

export async function importFile(
  { upload }: Control,
  file: File,
  input: ImportInput,
  sending: Sending,
): Promise<SandboxWithToken> {
  const headers = {
    "content-type": isState(file) ? stateMediaType : "application/yaml",
    accept: "application/json",
    ...(file.name.endsWith(".gz") ? { "content-encoding": "gzip" } : {}),
  };
  const answer = await upload({ path: `/v1/sandboxes?${queryOf(file, input)}`, file, headers, ...sending });
  // The response conforms to the contract of the API.
  return (await answer.json()) as SandboxWithToken;
}
