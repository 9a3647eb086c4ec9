// Replaces a cluster's certificates in an object's JSON by holes: control characters, which no JSON text contains.
import type { StateCertificates } from "./format.ts";

/** The character of each certificate. The root's text contains the clients', so it is replaced first. */
const characters: readonly (readonly [keyof StateCertificates, string])[] = [
  ["rootCA", "\u0001"],
  ["clientCA", "\u0002"],
  ["frontProxyCA", "\u0003"],
];

/** The certificates of a cluster, escaped as in JSON. */
export class Holes {
  /** Certificates by their character. */
  readonly #texts: ReadonlyMap<string, string>;

  constructor(certificates: StateCertificates) {
    this.#texts = new Map(characters.map(([name, hole]) => [hole, JSON.stringify(certificates[name]).slice(1, -1)]));
  }

  /** Cuts holes into a text. Returns the text, and the characters of the holes in order. */
  cut(text: string): { readonly text: string; readonly holes: string } {
    let cut = text;
    for (const [hole, certificate] of this.#texts) {
      if (certificate !== "" && cut.includes(certificate)) cut = cut.replaceAll(certificate, hole);
    }
    return {
      text: cut,
      holes: cut === text ? "" : [...cut].filter((character) => this.#texts.has(character)).join(""),
    };
  }

  fill(text: string): string {
    let filled = text;
    for (const [hole, certificate] of this.#texts) {
      if (filled.includes(hole)) filled = filled.replaceAll(hole, () => certificate);
    }
    return filled;
  }

  /** Returns the number of characters that filling these holes adds. */
  growth(holes: string): number {
    return [...holes].reduce((sum, hole) => sum + (this.#texts.get(hole)?.length ?? 1) - 1, 0);
  }
}

export function areHoles(text: string): boolean {
  return [...text].every((character) => characters.some(([, hole]) => hole === character));
}
