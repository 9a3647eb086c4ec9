// A piece of a long text of manifests: a document, or an item of a document that is a list.

export interface ManifestPiece {
  readonly text: string;
  /** The line of the whole text on which the piece begins, from one. */
  readonly line: number;
  /** The number of the document, from one. */
  readonly document: number;
  /** The position in the list. Absent for a document, or for a list without its items. */
  readonly item?: number;
  /** True for a list without its items: its lines are not those of the text. */
  readonly isRest?: true;
}

/** A text that is not split, because a piece is too long. */
export class PieceTooLong extends Error {
  readonly line: number;
  readonly document: number;

  constructor({ line, document }: Pick<ManifestPiece, "line" | "document">, maxCharacters: number) {
    super(`an object must not have more than ${maxCharacters} characters`);
    this.line = line;
    this.document = document;
  }
}

export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
