// Descriptions of persistent volume claims, on their own or as templates of other objects.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { age } from "../../../shared/k8s/time.ts";
import { at, listAt, metadataOf, nameOf, namespaceOf, stringAt, stringsAt, textOf } from "../object.ts";
import { amount } from "./amount.ts";
import type { Description } from "./writer.ts";

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Formats access modes: `RWO,ROX`. */
export function accessModes(value: unknown): string {
  const modeNames = Array.isArray(value) ? value.map(String) : [];
  return Object.keys(modes)
    .filter((mode) => modeNames.includes(mode))
    .map((mode) => modes[mode])
    .join(",");
}

export function claimClass(claim: JsonObject): string {
  return (
    stringsAt(claim, "metadata", "annotations")["volume.beta.kubernetes.io/storage-class"] ??
    stringAt(claim, "spec", "storageClassName")
  );
}

/** Describes a claim. `level` is the indentation of its lines; a claim that is not a template has a name and a status. */
export function describeClaim(claim: JsonObject, into: Description, level: number, isWhole: boolean, nowMs = 0): void {
  if (isWhole) {
    into.line(level, `Name:\t${nameOf(claim)}`);
    into.line(level, `Namespace:\t${namespaceOf(claim)}`);
  }
  into.line(level, `StorageClass:\t${claimClass(claim)}`);
  if (isWhole) into.line(level, `Status:\t${statusText(claim, nowMs)}`);
  const volume = stringAt(claim, "spec", "volumeName");
  into.line(level, `Volume:\t${volume}`);
  const indent = "  ".repeat(level);
  into.labels(`${indent}Labels`, stringsAt(claim, "metadata", "labels"));
  into.annotations(`${indent}Annotations`, stringsAt(claim, "metadata", "annotations"));
  if (isWhole)
    into.line(level, `Finalizers:\t[${((metadataOf(claim).finalizers as string[] | undefined) ?? []).join(" ")}]`);
  const capacity = at(claim, "status", "capacity", "storage");
  into.line(level, `Capacity:\t${volume ? amount(capacity ?? "0") : ""}`);
  into.line(level, `Access Modes:\t${volume ? accessModes(at(claim, "status", "accessModes")) : ""}`);
  if (at(claim, "spec", "volumeMode")) into.line(level, `VolumeMode:\t${stringAt(claim, "spec", "volumeMode")}`);
  const source = at(claim, "spec", "dataSource");
  if (!isObject(source)) return;
  into.line(level, "DataSource:");
  if (source.apiGroup) into.line(level + 1, `APIGroup:\t${textOf(source.apiGroup)}`);
  into.line(level + 1, `Kind:\t${textOf(source.kind)}`);
  into.line(level + 1, `Name:\t${textOf(source.name)}`);
}

/** Returns the phase, or how long the object has been terminating. */
export function statusText(object: JsonObject, nowMs: number): string {
  const deleted = textOf(metadataOf(object).deletionTimestamp);
  return deleted ? `Terminating (lasts ${age(deleted, nowMs)})` : stringAt(object, "status", "phase");
}

export function describeClaimTemplates(templates: readonly JsonObject[], into: Description): void {
  if (templates.length === 0) return into.line(0, "Volume Claims:\t<none>");
  into.line(0, "Volume Claims:");
  for (const template of templates) {
    into.line(1, `Name:\t${nameOf(template)}`);
    into.line(1, `StorageClass:\t${claimClass(template)}`);
    into.labels("Labels", stringsAt(template, "metadata", "labels"), "  ");
    into.labels("Annotations", stringsAt(template, "metadata", "annotations"), "  ");
    const capacity = at(template, "spec", "resources", "requests", "storage");
    into.line(1, `Capacity:\t${capacity === undefined ? "<default>" : amount(capacity)}`);
    into.line(1, `Access Modes:\t[${listOf(at(template, "spec", "accessModes")).join(" ")}]`);
  }
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

export function usedBy(claim: JsonObject, pods: readonly JsonObject[]): string[] {
  return pods
    .filter((pod) =>
      listAt(pod, "spec", "volumes").some(
        (volume) => stringAt(volume, "persistentVolumeClaim", "claimName") === nameOf(claim),
      ),
    )
    .map(nameOf)
    .sort();
}
