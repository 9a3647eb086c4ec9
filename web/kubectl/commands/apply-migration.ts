// Migrates objects from client-side to server-side apply: the managed fields of earlier updates move to the applying manager.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall } from "../command.ts";
import { asError } from "../errors.ts";
import { at, type Info, listAt, metadataOf, nameOf, namespaceOf, textOf } from "../object.ts";
import type { DryRun } from "../writes/dry-run.ts";
import { lastApplied, lastAppliedAnnotation } from "../writes/last-applied.ts";
import { joined } from "../writes/patches.ts";
import { patchObject, refresh } from "../writes/send.ts";

const annotationField = `f:${lastAppliedAnnotation}`;

export async function migrateToServerSide(
  call: CommandCall,
  info: Info,
  manager: string,
  dryRun: DryRun,
): Promise<void> {
  const annotation = lastApplied(info.object);
  if (manager === "kubectl" && annotation !== undefined && ownersOfAnnotation(info.object, "Apply").length === 0) {
    const { apiVersion, kind } = info.object;
    const only = {
      apiVersion,
      kind,
      metadata: {
        name: nameOf(info.object),
        namespace: namespaceOf(info.object),
        annotations: { [lastAppliedAnnotation]: annotation },
      },
    };
    try {
      const query = { fieldManager: "kubectl-last-applied" };
      refresh(info, await patchObject(call, info, only, { type: "apply", dryRun, query }));
    } catch (error) {
      call.streams.err(
        `Warning: failed to migrate kubectl.kubernetes.io/last-applied-configuration for Server-Side Apply. This is non-fatal and will be retried next time you apply. Error: ${asError(error).message}\n`,
      );
      return;
    }
  }
  const names = new Set(ownersOfAnnotation(info.object, "Update").map((entry) => textOf(entry.manager)));
  if (names.size === 0 || dryRun !== "none") return;
  try {
    const managedFields = united(listAt(info.object, "metadata", "managedFields"), names, manager);
    const resourceVersion = metadataOf(info.object).resourceVersion;
    const patch = [
      { op: "replace", path: "/metadata/managedFields", value: managedFields },
      { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    ];
    refresh(info, await patchObject(call, info, patch, { type: "json", dryRun }));
  } catch (error) {
    call.streams.err(
      `Warning: server rejected managed fields migration to Server-Side Apply. This is non-fatal and will be retried next time you apply. Error: ${asError(error).message}\n`,
    );
  }
}

function ownersOfAnnotation(object: JsonObject, operation: string): JsonObject[] {
  return listAt(object, "metadata", "managedFields").filter(
    (entry) =>
      entry.operation === operation &&
      at(entry, "fieldsV1", "f:metadata", "f:annotations", annotationField) !== undefined,
  );
}

/** Merges the fields of earlier managers into the entry of the applying manager. */
function united(entries: readonly JsonObject[], names: ReadonlySet<string>, manager: string): JsonObject[] {
  const isOld = (entry: JsonObject) =>
    entry.operation === "Update" && names.has(textOf(entry.manager)) && !entry.subresource;
  const isOwn = (entry: JsonObject) => entry.operation === "Apply" && entry.manager === manager && !entry.subresource;
  const applyEntry = entries.find(isOwn) ?? { ...entries.find(isOld), manager, operation: "Apply" };
  const fields = entries
    .filter((entry) => isOld(entry) || isOwn(entry))
    .reduce<JsonObject>((all, { fieldsV1 }) => joined(all, isObject(fieldsV1) ? fieldsV1 : {}), {});
  return [{ ...applyEntry, fieldsV1: fields }, ...entries.filter((entry) => !isOld(entry) && !isOwn(entry))];
}
