// Writes of one object, as kubectl's resource helpers send them.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall } from "../command.ts";
import { pathOf } from "../cluster/discovery.ts";
import { type Info, metadataOf, nameOf, namespaceOf, ensureMetadata, textOf } from "../object.ts";
import { mergePatchOf, strategicPatchOf } from "./patches.ts";
import { type DryRun, writeQuery } from "./dry-run.ts";
import { typeNameOf } from "../types.ts";

export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** Returns the created object as the server sent it. */
export async function createObject(
  call: CommandCall,
  { mapping, namespace, object }: Info,
  dryRun: DryRun,
): Promise<JsonObject> {
  delete ensureMetadata(object).resourceVersion;
  return call.cluster.json(pathOf(mapping, namespace), {
    method: "POST",
    query: writeQuery(call, dryRun),
    body: object,
  });
}

export async function patchObject(
  call: CommandCall,
  { mapping, namespace, name }: Pick<Info, "mapping" | "namespace" | "name">,
  patch: unknown,
  options: {
    readonly type: keyof typeof patchTypes;
    readonly dryRun: DryRun;
    readonly subresource?: string;
    readonly query?: Record<string, string>;
  },
): Promise<JsonObject> {
  return call.cluster.json(pathOf(mapping, namespace, name, options.subresource), {
    method: "PATCH",
    query: { ...writeQuery(call, options.dryRun), ...options.query },
    contentType: patchTypes[options.type],
    text: typeof patch === "string" ? patch : JSON.stringify(patch),
  });
}

/** Replaces the object unconditionally if it has no resource version. */
export async function replaceObject(
  call: CommandCall,
  info: Info,
  dryRun: DryRun,
  subresource = "",
): Promise<JsonObject> {
  const { mapping, namespace, name, object } = info;
  const path = pathOf(mapping, namespace, name, subresource);
  if (!textOf(metadataOf(object).resourceVersion)) {
    const current = await call.cluster.json(path).catch(() => undefined);
    if (current) ensureMetadata(object).resourceVersion = textOf(metadataOf(current).resourceVersion);
  }
  return call.cluster.json(path, { method: "PUT", query: writeQuery(call, dryRun), body: object });
}

/** Replaces the local object by the server's response. */
export function refresh(info: Info, object: JsonObject): void {
  info.object = object;
  info.name = nameOf(object) || info.name;
  info.namespace = namespaceOf(object) || info.namespace;
}

/** Returns the patch from one state of an object to another, strategic if its type is built in. */
export function patchBetween(
  before: JsonObject,
  after: JsonObject,
): { type: "strategic" | "merge"; patch: JsonObject } {
  const type = typeNameOf(textOf(before.apiVersion), textOf(before.kind));
  const patch = type ? strategicPatchOf(type, before, after) : undefined;
  return patch ? { type: "strategic", patch } : { type: "merge", patch: mergePatchOf(before, after) };
}
