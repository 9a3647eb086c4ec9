// How instances are stored: all in one version. Other versions are made of it when they are read.
import { equalJson } from "../../../shared/schema/json-values.ts";
import { groupVersion, type KubeObject } from "../../../shared/k8s/meta.ts";
import { decodeCustom } from "../../../shared/schema/structural/decode.ts";
import { sortedCopy } from "../../../shared/schema/sorted-json.ts";
import type { StoredForm } from "../kind.ts";
import type { CompiledVersion } from "./compiled.ts";
import { convert } from "./convert.ts";

/** What reading and writing instances needs to know of their definition. */
export interface Shown {
  readonly group: string;
  /** The version that is stored. */
  readonly storage: string;
  readonly isServed: boolean;
  /** What was stored after this revision has been through the schema as it is now. */
  readonly revision: number;
  compiled(version: string): CompiledVersion;
}

export function storedForm(shown: Shown, version: string): StoredForm<KubeObject> {
  const apiVersion = groupVersion(shown.group, version);
  const storedVersion = groupVersion(shown.group, shown.storage);
  const known = new WeakMap<KubeObject, KubeObject>();
  return {
    version: shown.isServed ? shown.storage : "",
    read: (stored) => {
      const isRecent = Number(stored.metadata.resourceVersion ?? "0") > shown.revision;
      if (isRecent && stored.apiVersion === apiVersion) return stored;
      const found = known.get(stored) ?? frozen(readAs(shown, stored, isRecent, apiVersion, version));
      known.set(stored, found);
      known.set(found, found);
      return found;
    },
    write: (object) => {
      const converted = object.apiVersion === storedVersion ? object : convert(object, storedVersion);
      if (converted === object) return withVersionInPlace(object);
      // Decoding an object of the stored version gives one.
      return decodeCustom(shown.compiled(shown.storage).schema.node, converted).object as KubeObject;
    },
  };
}

/** As upstream: defaults are those of the version that is stored, and what the version asked for does not know goes. */
function readAs(shown: Shown, stored: KubeObject, isRecent: boolean, apiVersion: string, version: string): KubeObject {
  const was = stored.apiVersion.split("/").at(-1) ?? "";
  const object = isRecent ? stored : decoded(shown, stored, was, true);
  if (object.apiVersion === apiVersion) return object;
  return decoded(shown, convert(object, apiVersion), version, false);
}

function decoded(shown: Shown, object: KubeObject, version: string, fills: boolean): KubeObject {
  const { object: next } = decodeCustom(shown.compiled(version).schema.node, object, fills);
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
