// Reads the manifest of a static pod as a kubelet does.
import { readYaml } from "../../shared/schema/yaml/read.ts";
import { YamlError } from "../../shared/schema/yaml/errors.ts";

/** A pod of a manifest, without what the kubelet adds. */
export interface Manifest {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Returns the pod of a manifest, or why the kubelet cannot read it. */
export function readManifest(text: string): Manifest | string {
  let value: unknown;
  try {
    ({ value } = readYaml(text));
  } catch (error) {
    if (error instanceof YamlError) return `couldn't parse as pod(${error.message}), please check config file`;
    throw error;
  }
  if (typeof value !== "object" || value === null)
    return "couldn't parse as pod(Object 'Kind' is missing in 'null'), please check config file";
  // Each field is checked below, or by the API when the mirror pod is created.
  const { apiVersion, kind, metadata, spec } = value as {
    apiVersion?: unknown;
    kind?: unknown;
    metadata?: { name?: unknown; namespace?: unknown; labels?: unknown; annotations?: unknown } | null;
    spec?: unknown;
  };
  if (typeof kind !== "string" || kind === "")
    return `couldn't parse as pod(Object 'Kind' is missing in '${JSON.stringify(value).slice(0, 200)}'), please check config file`;
  if (apiVersion !== "v1" || kind !== "Pod")
    return `couldn't parse as pod(no kind "${kind}" is registered for version "${String(apiVersion)}" in scheme "pkg/api/legacyscheme/scheme.go:30"), please check config file`;
  const name = metadata?.name;
  if (typeof name !== "string" || typeof spec !== "object" || spec === null || Array.isArray(spec))
    return "invalid pod: [metadata.name: Required value, spec.containers: Required value]";
  const { containers } = spec as { containers?: unknown };
  if (!Array.isArray(containers) || containers.length === 0) return "invalid pod: [spec.containers: Required value]";
  return {
    name,
    namespace: typeof metadata?.namespace === "string" && metadata.namespace !== "" ? metadata.namespace : "default",
    labels: textsOf(metadata?.labels),
    annotations: textsOf(metadata?.annotations),
    spec: { ...spec },
  };
}

function textsOf(value: unknown): Record<string, string> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
