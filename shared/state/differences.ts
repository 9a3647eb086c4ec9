// Compares two states of clusters object by object, without events and without fields that only record writes.
import { limits } from "../base/limits.ts";
import { changedFields, type FieldChange } from "./changed-fields.ts";
import { linesDiff } from "../k8s/diff.ts";
import type { KubeObject } from "../k8s/meta.ts";
import { toYaml } from "../schema/yaml/write.ts";
import { compareKeys, type StateEntry } from "./format.ts";
import type { StateFile } from "./read-state.ts";

/** A difference of one object. `before` is absent for an added object, `after` for a deleted one. */
interface Difference {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

export interface Compared {
  readonly from: StateFile;
  readonly to: StateFile;
  /** Whether both states are of one sandbox, so that objects of equal revisions are equal. */
  readonly areOfOne: boolean;
}

export interface ChangedObject {
  change: "added" | "changed" | "removed";
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  fields: FieldChange[];
}

const events = ["events", "events.events.k8s.io"];

/** Returns differences by object and field, up to the limits of `limits`. */
export function fieldDifferences(compared: Compared): { objects: ChangedObject[]; truncated: boolean } {
  const objects: ChangedObject[] = [];
  const reading = new Reading();
  let characters = 0;
  let truncated = false;
  for (const difference of differences(compared, reading)) {
    if (objects.length >= limits.diffObjects) return { objects, truncated: true };
    const { before, after } = difference;
    const objectName = nameOf(objectOf(difference));
    const all = changedFields(before ?? objectName, after ?? objectName, limits.diffFields + 1);
    const fields: FieldChange[] = [];
    for (const field of all) {
      const length = JSON.stringify(field).length;
      characters += length;
      if (
        fields.length >= limits.diffFields ||
        length > limits.toldValueCharacters ||
        characters > limits.diffCharacters
      )
        truncated = true;
      else fields.push(field);
    }
    objects.push({ ...named(difference), fields });
    if (characters > limits.diffCharacters) break;
  }
  return { objects, truncated: truncated || reading.isOver };
}

/** Returns a unified diff of YAML, with a file for each object as `kubectl diff` names them, up to the limits of `limits`. */
export function textDifferences(compared: Compared): { text: string; truncated: boolean } {
  const reading = new Reading();
  const diffTexts: string[] = [];
  let [characters, pairs, objects] = [0, 0, 0];
  for (const difference of differences(compared, reading)) {
    const [before, after] = [yamlOf(difference.before), yamlOf(difference.after)];
    pairs += before.length * after.length;
    objects += 1;
    if (objects > limits.diffObjects || pairs > limits.diffLinePairs)
      return { text: diffTexts.join(""), truncated: true };
    const text = header(difference) + bodyOf(before, after);
    characters += text.length;
    if (characters > limits.diffCharacters) return { text: diffTexts.join(""), truncated: true };
    diffTexts.push(text);
  }
  return { text: diffTexts.join(""), truncated: reading.isOver };
}

/** Counts the characters that have been read. */
class Reading {
  #characters = 0;
  isOver = false;

  take(characters: number): boolean {
    this.#characters += characters;
    if (this.#characters > limits.diffReadCharacters) this.isOver = true;
    return !this.isOver;
  }
}

function* differences({ from, to, areOfOne }: Compared, reading: Reading): Generator<Difference> {
  const clean = areRelated(from, to) ? cleaned : anonymous;
  for (const [before, after] of pairs(from, to)) {
    if (areOfOne && before && after && before.revision === after.revision) continue;
    if (!reading.take((before?.characters ?? 0) + (after?.characters ?? 0))) return;
    // Certificates differ between clusters, so those of one cluster replace the other's before the comparison.
    const [old, now] = [before && from.text(before), after && to.text(after, from.meta.certificates)];
    if (old === now) continue;
    const difference = { before: old && clean(parsed(old)), after: now && clean(parsed(now)) };
    const isTold = changedFields(difference.before, difference.after, 1).length > 0;
    if (isTold) yield { before: difference.before || undefined, after: difference.after || undefined };
  }
}

/** Yields pairs of entries in the order of their keys. */
function* pairs(from: StateFile, to: StateFile): Generator<[StateEntry | undefined, StateEntry | undefined]> {
  const [left, right] = [comparableEntries(from), comparableEntries(to)];
  let [a, b] = [left.next(), right.next()];
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : compareKeys(a.value, b.value);
    yield [order <= 0 && !a.done ? a.value : undefined, order >= 0 && !b.done ? b.value : undefined];
    if (order <= 0) a = left.next();
    if (order >= 0) b = right.next();
  }
}

function* comparableEntries(file: StateFile): Generator<StateEntry, undefined> {
  for (const entry of file.entries()) if (!events.includes(entry.resource)) yield entry;
  return undefined;
}

/** Reports whether one state was derived from the other, or both from a third, so that UIDs can be compared. */
function areRelated(from: StateFile, to: StateFile): boolean {
  const [a, b] = [from, to].map((file) => {
    const entry = file.find({ resource: "namespaces", namespace: "", name: "kube-system" });
    return entry && parsed(file.text(entry)).metadata.uid;
  });
  return a === b;
}

function cleaned(object: KubeObject): KubeObject {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function anonymous(object: KubeObject): KubeObject {
  const { metadata, ...rest } = cleaned(object);
  const { uid: _, creationTimestamp: __, ...more } = metadata;
  return { ...rest, metadata: more };
}

function named(difference: Difference): Omit<ChangedObject, "fields"> {
  const { before, after } = difference;
  const change = !before ? "added" : after ? "changed" : "removed";
  const { apiVersion, kind, metadata } = objectOf(difference);
  const { namespace, name = "" } = metadata;
  return { change, apiVersion, kind, ...(namespace ? { namespace } : {}), name };
}

function objectOf({ before, after }: Difference): KubeObject {
  return after ?? before ?? { apiVersion: "", kind: "", metadata: {} };
}

/** Returns the identity that every object has. */
function nameOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): object {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

function header(difference: Difference): string {
  const { apiVersion, kind, metadata } = objectOf(difference);
  const file = [apiVersion.replace("/", "."), kind, metadata.namespace ?? "", metadata.name ?? ""].join(".");
  const [from, to] = [difference.before ? `from/${file}` : "/dev/null", difference.after ? `to/${file}` : "/dev/null"];
  return `--- ${from}\n+++ ${to}\n`;
}

function yamlOf(object: KubeObject | undefined): readonly string[] {
  return object ? toYaml(object).trimEnd().split("\n") : [];
}

function bodyOf(before: readonly string[], after: readonly string[]): string {
  if (before.length === 0) return `@@ -0,0 +1,${after.length} @@\n${after.map((line) => `+${line}\n`).join("")}`;
  if (after.length === 0) return `@@ -1,${before.length} +0,0 @@\n${before.map((line) => `-${line}\n`).join("")}`;
  return linesDiff(before.join("\n"), after.join("\n"));
}

function parsed(text: string): KubeObject {
  // A store wrote the objects of a state.
  return JSON.parse(text) as KubeObject;
}
