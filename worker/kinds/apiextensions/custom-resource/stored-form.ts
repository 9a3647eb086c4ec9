// How instances are stored: all in one version. Other versions are made of it when they are read.
import { must } from "../../../../shared/base/assert.ts";
import type { WorkMeter } from "../../../../shared/k8s/bounds/work.ts";
import { equalJson } from "../../../../shared/schema/json-values.ts";
import { groupVersion, type KubeObject } from "../../../../shared/k8s/meta.ts";
import { decodeCustom } from "../../../../shared/schema/structural/decode.ts";
import { sortedCopy } from "../../../../shared/schema/sorted-json.ts";
import type { Conversion } from "../../kind.ts";
import type { CompiledVersion } from "./compiled.ts";
import type { Convert } from "./convert.ts";

/** What reading and writing instances needs to know of their definition. */
export interface Shown {
  readonly group: string;
  readonly meter: WorkMeter;
  /** The version that is stored. */
  readonly storage: string;
  readonly isServed: boolean;
  /** What was stored after this revision has been through the schema as it is now. */
  readonly revision: number;
  compiled(version: string): CompiledVersion;
  readonly convert: Convert;
  /** Whether someone must be asked to convert. */
  asks(): boolean;
}

export function storageConversion(shown: Shown, version: string): Conversion<KubeObject> {
  const apiVersion = groupVersion(shown.group, version);
  const storedVersion = groupVersion(shown.group, shown.storage);
  const known = new WeakMap<KubeObject, KubeObject>();
  return {
    storageVersion: shown.isServed ? shown.storage : "",
    fromStorage: (stored) => {
      const isRecent = isAfter(shown.revision, stored);
      if (isRecent && stored.apiVersion === apiVersion) return stored;
      const found = known.get(stored) ?? frozen(readAs(shown, stored, isRecent, apiVersion, version));
      known.set(stored, found);
      known.set(found, found);
      return found;
    },
    prefetch: (all) => {
      if (apiVersion === storedVersion || !shown.asks()) return;
      const unread = [...all].filter((stored) => !known.has(stored));
      shown.convert(
        unread.map((stored) => withoutRevision(refreshed(shown, stored, isAfter(shown.revision, stored)))),
        apiVersion,
      );
    },
    toStorage: (object) => {
      const next = object.apiVersion === storedVersion ? object : converted(shown, object, storedVersion);
      if (next === object) return withVersionInPlace(object);
      // Decoding an object of the stored version gives one.
      return withVersionInPlace(
        decodeCustom(shown.compiled(shown.storage).schema.node, next, shown.meter).object as KubeObject,
      );
    },
  };
}

/** As upstream: defaults are those of the version that is stored, and what the version asked for does not know goes. */
function readAs(shown: Shown, stored: KubeObject, isRecent: boolean, apiVersion: string, version: string): KubeObject {
  const object = refreshed(shown, stored, isRecent);
  if (object.apiVersion === apiVersion) return object;
  return decoded(shown, converted(shown, object, apiVersion), version, false);
}

function converted(shown: Shown, object: KubeObject, apiVersion: string): KubeObject {
  const plain = withoutRevision(object);
  const next = must(shown.convert([plain], apiVersion)[0], "the converted object");
  const { resourceVersion } = object.metadata;
  return resourceVersion === undefined ? next : { ...next, metadata: { ...next.metadata, resourceVersion } };
}

/** Who converts sees what is stored: the revision is not part of it. So an answer still holds once the object is written. */
function withoutRevision(object: KubeObject): KubeObject {
  const { resourceVersion, ...metadata } = object.metadata;
  return resourceVersion === undefined ? object : { ...object, metadata };
}

function isAfter(revision: number, { metadata }: KubeObject): boolean {
  return Number(metadata.resourceVersion ?? "0") > revision;
}

function refreshed(shown: Shown, stored: KubeObject, isRecent: boolean): KubeObject {
  return isRecent ? stored : decoded(shown, stored, stored.apiVersion.split("/").at(-1) ?? "", true);
}

function decoded(shown: Shown, object: KubeObject, version: string, fills: boolean): KubeObject {
  const { object: next } = decodeCustom(shown.compiled(version).schema.node, object, shown.meter, {
    leavesDefaults: !fills,
  });
  return equalJson(next, object) ? object : (next as KubeObject);
}

/** The store sets the resource version: it stands where it belongs by then. */
function withVersionInPlace(object: KubeObject): KubeObject {
  // A copy of an object.
  return sortedCopy({ ...object, metadata: { resourceVersion: "", ...object.metadata } }) as KubeObject;
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const one of Object.values(value)) frozen(one);
  return Object.freeze(value);
}
