// What a cluster began with and has no rows of: objects that stand in code, or in a file of the cluster's.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Key } from "./index-by-owner.ts";

/** An object of a base, without its value. */
export interface BaseEntry extends Key {
  readonly revision: number;
  readonly indexValue: string;
  /** Characters of its text. */
  readonly bytes: number;
}

/** It never changes: what is asked again is answered the same. */
export interface Base {
  /** Where the log begins. Its objects have revisions from 1 to this one, each another. 0: there is none. */
  readonly revision: number;
  /** Its object under a `keyText`. */
  find(key: string): BaseEntry | undefined;
  /** Its objects of a resource, in the order of their keys. */
  list(resource: string): readonly BaseEntry[];
  /** All of them. */
  entries(): readonly BaseEntry[];
  /** Those that have owners or an index value; `owners` as in `IndexValues`. */
  indexed(): readonly (BaseEntry & { readonly owners: readonly string[] })[];
  /** An object, frozen, where it need not be read first; then it is the same one as before. */
  atHand(revision: number): KubeObject | undefined;
  /** Reads it, so that it is at hand for a while. */
  object(revision: number): KubeObject;
  /** The same as JSON. */
  text(revision: number): string;
}

/** Of a cluster that stores all that it has. */
export const noBase: Base = {
  revision: 0,
  find: () => undefined,
  list: () => [],
  entries: () => [],
  indexed: () => [],
  atHand: absent,
  object: absent,
  text: absent,
};

function absent(): never {
  throw new Error("there is no base");
}
