// An object in one version of its kind, and its way into the others: managers call fields as their version does.
import type { Shape } from "./shape.ts";

/** The shape of a version and an object converted into it; undefined for what is no version of the kind. */
export type Convert = (
  value: unknown,
  from: string,
  to: string,
) => { readonly shape: Shape; readonly value: unknown } | undefined;

/** Without a conversion every version is the same. */
export class Versioned {
  readonly shape: Shape;
  readonly apiVersion: string;
  readonly value: unknown;
  readonly #convert: Convert | undefined;

  constructor(shape: Shape, apiVersion: string, value: unknown, convert?: Convert) {
    this.shape = shape;
    this.apiVersion = apiVersion;
    this.value = value;
    this.#convert = convert;
  }

  /** The same object in another version. */
  as(wanted: string): Versioned | undefined {
    if (wanted === this.apiVersion) return this;
    if (!this.#convert) return new Versioned(this.shape, wanted, this.value);
    const other = this.#convert(this.value, this.apiVersion, wanted);
    return other && new Versioned(other.shape, wanted, other.value, this.#convert);
  }

  /** Another object in this version. */
  with(value: unknown): Versioned {
    return new Versioned(this.shape, this.apiVersion, value, this.#convert);
  }
}
