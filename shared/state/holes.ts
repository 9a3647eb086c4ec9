// Where a cluster's certificates stand in an object's JSON, the file has a hole: a control character, which no JSON text has.
import type { StateCertificates } from "./format.ts";

/** The character of each. The root's text has the clients' within it, and is looked for first. */
const characters: readonly (readonly [keyof StateCertificates, string])[] = [
  ["rootCA", "\u0001"],
  ["clientCA", "\u0002"],
  ["frontProxyCA", "\u0003"],
];

/** A cluster's certificates as they stand within JSON. */
export class Holes {
  /** By the character. */
  readonly #texts: ReadonlyMap<string, string>;

  constructor(certificates: StateCertificates) {
    this.#texts = new Map(characters.map(([name, hole]) => [hole, JSON.stringify(certificates[name]).slice(1, -1)]));
  }

  /** The text with holes, and their characters in turn. */
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

  /** By how many characters a text with these holes grows when it is filled. */
  growth(holes: string): number {
    return [...holes].reduce((sum, hole) => sum + (this.#texts.get(hole)?.length ?? 1) - 1, 0);
  }
}

export function areHoles(text: string): boolean {
  return [...text].every((character) => characters.some(([, hole]) => hole === character));
}
