// Stores instances in one version, and converts them to other versions when they are read.
import { must } from "../../../../shared/base/assert.ts";
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import { equalJson } from "../../../../shared/schema/json-values.ts";
import { groupVersion, type KubeObject } from "../../../../shared/k8s/meta.ts";
import { decodeCustom } from "../../../../shared/schema/structural/decode.ts";
import { sortedCopy } from "../../../../shared/schema/sorted-json.ts";
import type { Conversion } from "../../kind.ts";
import type { CompiledVersion } from "./compiled.ts";
import type { Convert } from "./convert.ts";

/** The properties of a definition that reading and writing instances needs. */
export interface StoredDefinition {
  readonly group: string;
  readonly meter: WorkMeter;
  /** The storage version. */
  readonly storage: string;
  readonly isServed: boolean;
  /** The revision of the current schema. Objects stored later match it already. */
  readonly revision: number;
  compiledVersion(version: string): CompiledVersion;
  readonly convert: Convert;
  /** Reports whether conversion needs a webhook. */
  needsWebhook(): boolean;
}

export function storageConversion(definition: StoredDefinition, version: string): Conversion<KubeObject> {
  const apiVersion = groupVersion(definition.group, version);
  const storedVersion = groupVersion(definition.group, definition.storage);
  const cache = new WeakMap<KubeObject, KubeObject>();
  return {
    storageVersion: definition.isServed ? definition.storage : "",
    fromStorage: (stored) => {
      const isRecent = isAfter(definition.revision, stored);
      if (isRecent && stored.apiVersion === apiVersion) return stored;
      const requestedForm = cache.get(stored) ?? deepFreeze(readAs(definition, stored, isRecent, apiVersion, version));
      cache.set(stored, requestedForm);
      cache.set(requestedForm, requestedForm);
      return requestedForm;
    },
    prefetch: (all) => {
      if (apiVersion === storedVersion || !definition.needsWebhook()) return;
      const unread = [...all].filter((stored) => !cache.has(stored));
      definition.convert(
        unread.map((stored) =>
          withoutRevision(refreshDefaults(definition, stored, isAfter(definition.revision, stored))),
        ),
        apiVersion,
      );
    },
    toStorage: (object) => {
      const next = object.apiVersion === storedVersion ? object : convertObject(definition, object, storedVersion);
      if (next === object) return withVersionInPlace(object);
      // Decoding an object of the stored version returns one.
      return withVersionInPlace(
        decodeCustom(definition.compiledVersion(definition.storage).schema.node, next, definition.meter)
          .object as KubeObject,
      );
    },
  };
}

/** Reads an object as upstream does: applies defaults of the stored version, and drops fields that the requested version does not have. */
function readAs(
  definition: StoredDefinition,
  stored: KubeObject,
  isRecent: boolean,
  apiVersion: string,
  version: string,
): KubeObject {
  const object = refreshDefaults(definition, stored, isRecent);
  if (object.apiVersion === apiVersion) return object;
  return decodeAsVersion(definition, convertObject(definition, object, apiVersion), version, { fillsDefaults: false });
}

function convertObject(definition: StoredDefinition, object: KubeObject, apiVersion: string): KubeObject {
  const plain = withoutRevision(object);
  const next = must(definition.convert([plain], apiVersion)[0], "the converted object");
  const { resourceVersion } = object.metadata;
  return resourceVersion === undefined ? next : { ...next, metadata: { ...next.metadata, resourceVersion } };
}

/** Removes the resourceVersion, so that the webhook's answer is still valid after the object is written. */
function withoutRevision(object: KubeObject): KubeObject {
  const { resourceVersion, ...metadata } = object.metadata;
  return resourceVersion === undefined ? object : { ...object, metadata };
}

function isAfter(revision: number, { metadata }: KubeObject): boolean {
  return Number(metadata.resourceVersion ?? "0") > revision;
}

function refreshDefaults(definition: StoredDefinition, stored: KubeObject, isRecent: boolean): KubeObject {
  return isRecent
    ? stored
    : decodeAsVersion(definition, stored, stored.apiVersion.split("/").at(-1) ?? "", { fillsDefaults: true });
}

function decodeAsVersion(
  definition: StoredDefinition,
  object: KubeObject,
  version: string,
  { fillsDefaults }: { readonly fillsDefaults: boolean },
): KubeObject {
  const { object: next } = decodeCustom(definition.compiledVersion(version).schema.node, object, definition.meter, {
    leavesDefaults: !fillsDefaults,
  });
  return equalJson(next, object) ? object : (next as KubeObject);
}

/** Adds a placeholder, so that the resourceVersion that the store sets is at its position. */
function withVersionInPlace(object: KubeObject): KubeObject {
  // A sorted copy of an object is an object.
  return sortedCopy({ ...object, metadata: { resourceVersion: "", ...object.metadata } }) as KubeObject;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
