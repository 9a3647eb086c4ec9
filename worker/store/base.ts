// The base of a cluster: its initial objects, which have no rows. They are part of the code, or are read from a file that the cluster
// stores.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Key } from "./index-by-owner.ts";

/** An object of a base without its value. */
export interface BaseEntry extends Key {
  readonly revision: number;
  readonly indexValue: string;
  /** The length of its JSON text in characters. */
  readonly characters: number;
}

/** The immutable initial objects of a cluster. */
export interface Base {
  /**
   * The revision after which the change log starts. Each object of the base has its own revision, from 1 to this one. 0 if there is no
   * base.
   */
  readonly revision: number;
  /** Finds the object with a key as `keyText` returns it. */
  find(key: string): BaseEntry | undefined;
  /** Lists the objects of a resource in the order of their keys. */
  list(resource: string): readonly BaseEntry[];
  entries(): readonly BaseEntry[];
  /** Returns the objects that have owners or an index value. `owners` has the form of `IndexValues`. */
  indexed(): readonly (BaseEntry & { readonly owners: readonly string[] })[];
  /** Returns an object, frozen, if it is in memory. Repeated calls return the same instance. */
  atHand(revision: number): KubeObject | undefined;
  /** Reads an object and caches it for a while. */
  object(revision: number): KubeObject;
  /** Returns the JSON text of an object. */
  text(revision: number): string;
}

/** The base of a cluster that stores all its objects as rows. */
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
