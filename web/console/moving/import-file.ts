// The request that creates a sandbox from a file: another cluster's objects as YAML or JSON, or the state of a sandbox.
import { trimmed } from "../../../shared/base/trim.ts";
import { importLimits } from "../../../shared/base/request-limits.ts";
import { stateMediaType } from "../../../shared/contract/snapshot.ts";
import type { KubernetesVersion } from "../../../shared/k8s/settings/release.ts";

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

export function isGzipped(file: File): boolean {
  return file.name.endsWith(".gz");
}

/** Proposes a name for the sandbox of a file. */
export function nameOf(file: File): string {
  const [stem = ""] = file.name.toLowerCase().split(".");
  return trimmed(trimmed(stem.replace(/[^a-z0-9]+/g, "-"), "-").slice(0, 63), "-");
}

/** Returns the request without its signal. A state brings its nodes and version. */
export function importRequest(file: File, { name, ttlSeconds, nodes, version }: ImportInput) {
  const ofObjects = isState(file) ? [] : Object.entries({ nodes: nodes.trim(), version });
  const entries = [...Object.entries({ name, ttlSeconds: String(ttlSeconds) }), ...ofObjects];
  const query = new URLSearchParams(entries.filter(([, value]) => value !== ""));
  const headers = {
    "content-type": isState(file) ? stateMediaType : "application/yaml",
    accept: "application/json",
    ...(isGzipped(file) ? { "content-encoding": "gzip" } : {}),
  };
  return { path: `/v1/sandboxes?${query}`, file, headers };
}
