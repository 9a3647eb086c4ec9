// An object in one version of its kind, and its way into the others: managers call fields as their version does.
import type { Shape } from "./shape.ts";

/** The shape of a version and an object converted into it; undefined for what is no version of the kind. */
export type Convert = (
  value: unknown,
  from: string,
  to: string,
) => { readonly shape: Shape; readonly value: unknown } | undefined;

export interface Versioned {
  readonly shape: Shape;
  readonly apiVersion: string;
  readonly value: unknown;
  /** The same object in another version. */
  as(apiVersion: string): Versioned | undefined;
  /** Another object in this version. */
  with(value: unknown): Versioned;
}

/** Without a conversion every version is the same. */
export function versioned(shape: Shape, apiVersion: string, value: unknown, convert?: Convert): Versioned {
  return {
    shape,
    apiVersion,
    value,
    as: (wanted) => {
      if (wanted === apiVersion || !convert) return versioned(shape, wanted, value, convert);
      const other = convert(value, apiVersion, wanted);
      return other && versioned(other.shape, wanted, other.value, convert);
    },
    with: (next) => versioned(shape, apiVersion, next, convert),
  };
}
