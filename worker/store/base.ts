// What a cluster began with and does not store: objects that stand in code, under the revisions from 1 on.
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
  /** That of its newest object: its objects have each a revision of 1 to this one. 0: there is none. */
  readonly revision: number;
  /** Its object under a `keyText`. */
  find(key: string): BaseEntry | undefined;
  /** Its objects of a resource, in the order of their keys. */
  list(resource: string): readonly BaseEntry[];
  /** All of them. */
  entries(): readonly BaseEntry[];
  /** Those that have owners or an index value; `owners` as in `IndexValues`. */
  indexed(): readonly (BaseEntry & { readonly owners: readonly string[] })[];
  /** Frozen, and the same one each time. */
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
  object: absent,
  text: absent,
};

function absent(): never {
  throw new Error("there is no base");
}
