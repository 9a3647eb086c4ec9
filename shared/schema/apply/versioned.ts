// An object in one version of its kind, and its conversion to others: managers name fields as in their version.
import type { Shape } from "./shape.ts";

/** Returns the shape of a version and the converted object; undefined if the kind has no such version. */
export type Convert = (
  value: unknown,
  from: string,
  to: string,
) => { readonly shape: Shape; readonly value: unknown } | undefined;

/** An object in one version. Without a conversion all versions are equal. */
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

  /** Returns the same object in another version. */
  as(apiVersion: string): Versioned | undefined {
    if (apiVersion === this.apiVersion) return this;
    if (!this.#convert) return new Versioned(this.shape, apiVersion, this.value);
    const converted = this.#convert(this.value, this.apiVersion, apiVersion);
    return converted && new Versioned(converted.shape, apiVersion, converted.value, this.#convert);
  }

  /** Returns another object in this version. */
  with(value: unknown): Versioned {
    return new Versioned(this.shape, this.apiVersion, value, this.#convert);
  }
}
