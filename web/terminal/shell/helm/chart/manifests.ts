// Splits rendered templates into manifests and hooks, and sorts them.
import { isObject, type JsonObject } from "../../../../../shared/schema/json-values.ts";
import { readYaml } from "../../../../../shared/schema/yaml/read.ts";
import { compareText } from "../template/values.ts";

export interface Manifest {
  /** The path of the template. */
  readonly path: string;
  readonly text: string;
  readonly kind: string;
  readonly name: string;
}

/** A hook as releases store it. */
export interface Hook {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
  readonly manifest: string;
  readonly events: readonly string[];
  readonly weight?: number;
  readonly delete_policies?: readonly string[];
  readonly output_log_policies?: readonly string[];
  last_run: { started_at: string; completed_at: string; phase: string };
}

const installOrder: readonly string[] = [
  ..."PriorityClass Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret".split(
    " ",
  ),
  ..."SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole".split(
    " ",
  ),
  ..."ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service DaemonSet".split(
    " ",
  ),
  ..."Pod ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress".split(
    " ",
  ),
  "APIService",
];

export const uninstallOrder: readonly string[] = [
  ..."APIService Ingress IngressClass Service CronJob Job StatefulSet HorizontalPodAutoscaler Deployment ReplicaSet".split(
    " ",
  ),
  ..."ReplicationController Pod DaemonSet RoleBindingList RoleBinding RoleList Role ClusterRoleBindingList".split(" "),
  ..."ClusterRoleBinding ClusterRoleList ClusterRole CustomResourceDefinition PersistentVolumeClaim PersistentVolume".split(
    " ",
  ),
  ..."StorageClass ConfigMap SecretList Secret ServiceAccount PodDisruptionBudget PodSecurityPolicy LimitRange".split(
    " ",
  ),
  ..."ResourceQuota NetworkPolicy Namespace PriorityClass".split(" "),
];

const events = new Set([
  ..."pre-install post-install pre-delete post-delete pre-upgrade post-upgrade pre-rollback post-rollback test".split(
    " ",
  ),
  "test-success",
]);

/** Splits a stream of YAML documents, of which empty ones are dropped. */
export function splitManifests(text: string): string[] {
  return text
    .trim()
    .split(/(?:^|(?<![ \t\r\f\v\n])[ \t\r\f\v\n]*\n)---[ \t\r\f\v\n]*/)
    .filter((document) => document !== "")
    .map((document) => document.trim());
}

/** Sorts stably by an order of kinds; kinds that it lacks come last, by name. */
export function sortedByKind<T extends { readonly kind: string }>(items: readonly T[], order: readonly string[]): T[] {
  const ranks = new Map(order.map((kind, at) => [kind, at]));
  return [...items].sort((a, b) => {
    const [left, right] = [ranks.get(a.kind), ranks.get(b.kind)];
    if (left === undefined && right === undefined) return compareText(a.kind, b.kind);
    if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
    return left - right;
  });
}

/** Throws if a document is no YAML; `outputs` maps paths of templates to their output. */
export function sortManifests(
  outputs: ReadonlyMap<string, string>,
  warn: (text: string) => void,
): { readonly hooks: readonly Hook[]; readonly manifests: readonly Manifest[] } {
  const hooks: Hook[] = [];
  const manifests: Manifest[] = [];
  for (const [path, output] of [...outputs].sort(([a], [b]) => compareText(a, b))) {
    for (const text of splitManifests(output)) {
      const head = headOf(text, path);
      const annotations = annotationsOf(head);
      const { name, kind } = head;
      const hook = annotations["helm.sh/hook"];
      if (hook === undefined) manifests.push({ path, text, kind, name });
      else hooks.push(...hookOf({ path, text, kind, name }, hook, annotations, warn));
    }
  }
  return { hooks: sortedByKind(hooks, installOrder), manifests: sortedByKind(manifests, installOrder) };
}

interface Head {
  readonly kind: string;
  readonly name: string;
  readonly metadata: JsonObject;
}

function headOf(text: string, path: string): Head {
  let value: unknown;
  try {
    ({ value } = readYaml(text));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`YAML parse error on ${path}: error converting YAML to JSON: ${message}`);
  }
  if (value === null) return { kind: "", name: "", metadata: {} };
  const problem = (what: string, field: string, type: string) =>
    new Error(
      `YAML parse error on ${path}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${what} into Go ${field} of type ${type}`,
    );
  if (!isObject(value)) throw problem(Array.isArray(value) ? "array" : typeof value, "value", "releaseutil.SimpleHead");
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  for (const annotation of Object.values(annotations))
    if (typeof annotation !== "string" && annotation !== null)
      throw problem(
        typeof annotation === "boolean" ? "bool" : typeof annotation,
        "struct field .metadata.annotations",
        "string",
      );
  const field = (item: unknown) => (typeof item === "string" ? item : "");
  return { kind: field(value.kind), name: field(metadata.name), metadata };
}

function annotationsOf({ metadata }: Head): Readonly<Record<string, string>> {
  // The caller checked that all are strings.
  return isObject(metadata.annotations) ? (metadata.annotations as Record<string, string>) : {};
}

function hookOf(
  { path, text, kind, name }: Manifest,
  hook: string,
  annotations: Readonly<Record<string, string>>,
  warn: (text: string) => void,
): Hook[] {
  const listed = (key: string) => {
    const value = annotations[key];
    return value === undefined ? [] : value.split(",").map((item) => item.trim().toLowerCase());
  };
  const names = listed("helm.sh/hook");
  if (names.some((event) => !events.has(event))) {
    warn(`info: skipping unknown hook: ${JSON.stringify(hook)}`);
    return [];
  }
  const weight = /^[+-]?\d+$/.test(annotations["helm.sh/hook-weight"] ?? "")
    ? Number(annotations["helm.sh/hook-weight"])
    : 0;
  const [deletePolicies, logPolicies] = [
    listed("helm.sh/hook-delete-policy"),
    listed("helm.sh/hook-output-log-policy"),
  ];
  return [
    {
      name,
      kind,
      path,
      manifest: text,
      events: names.map((event) => (event === "test-success" ? "test" : event)),
      last_run: { started_at: "", completed_at: "", phase: "" },
      ...(weight === 0 ? {} : { weight }),
      ...(deletePolicies.length > 0 ? { delete_policies: deletePolicies } : {}),
      ...(logPolicies.length > 0 ? { output_log_policies: logPolicies } : {}),
    },
  ];
}
