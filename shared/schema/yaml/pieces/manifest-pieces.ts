// Splits a long text of manifests, YAML or JSON, into its objects while it arrives. Memory is bounded by the longest object.
import { JsonItems } from "./json-items.ts";
import { type ManifestPiece, PieceTooLong } from "./piece.ts";
import { YamlItems } from "./yaml-items.ts";

const markerLine = /^(?:---|\.\.\.)(?=\s|$)/;
/** A line before a document: empty, a comment, a directive, or a marker alone. */
const lineBefore = /^(?:[ \t]*(?:#.*)?|%.*|(?:---|\.\.\.)(?:[ \t]+(?:#.*)?)?)\r?\n$/;
const jsonStart = /^\s*\{\s*["}]/;
/** The beginning of a text that may be JSON, or not, when more of it arrives. */
const perhapsJson = /^\s*(?:\{\s*)?$/;

export class ManifestPieces {
  readonly #maxCharacters: number;
  #rest = "";
  #line = 1;
  #documents = 0;
  #document: JsonItems | YamlItems | undefined;

  /** `maxCharacters`: the limit of one object. Past it, the methods throw `PieceTooLong`. */
  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Takes the next part of the text, and yields the objects that end in it. */
  *take(text: string): Generator<ManifestPiece> {
    this.#rest += text;
    yield* this.#takeRest(false);
    if (this.#rest.length > this.#maxCharacters)
      throw new PieceTooLong({ line: this.#line, document: Math.max(1, this.#documents) }, this.#maxCharacters);
  }

  /** Yields the last objects. */
  *end(): Generator<ManifestPiece> {
    yield* this.#takeRest(true);
    if (this.#document) yield* this.#document.end();
  }

  *#takeRest(isLast: boolean): Generator<ManifestPiece> {
    let at = 0;
    for (let next: number | undefined = 0; next !== undefined && at < this.#rest.length; ) {
      next = this.#document === undefined ? this.#begin(at, isLast) : yield* this.#takeSome(this.#document, at, isLast);
      at = next ?? at;
    }
    this.#rest = this.#rest.slice(at);
  }

  /** Skips a line before a document, or begins the document. Returns the next position; undefined if more text is needed. */
  #begin(at: number, isLast: boolean): number | undefined {
    const lineEnd = this.#rest.indexOf("\n", at) + 1;
    const line = this.#rest.slice(at, lineEnd === 0 ? undefined : lineEnd);
    if (lineBefore.test(line)) {
      this.#line++;
      return lineEnd;
    }
    const text = this.#rest.slice(at);
    const isJson = jsonStart.test(text);
    const isUndecided = lineEnd === 0 || perhapsJson.test(text);
    if (!isJson && isUndecided && !isLast) return undefined;
    const place = { line: this.#line, document: ++this.#documents };
    this.#document = new (isJson ? JsonItems : YamlItems)(place, this.#maxCharacters);
    return at;
  }

  *#takeSome(
    document: JsonItems | YamlItems,
    at: number,
    isLast: boolean,
  ): Generator<ManifestPiece, number | undefined> {
    if (document instanceof YamlItems) return yield* this.#takeLine(document, at, isLast);
    const end = yield* document.take(this.#rest, at);
    this.#line = document.line;
    if (end !== undefined) this.#document = undefined;
    return end ?? this.#rest.length;
  }

  /** Takes a line; undefined if it is not complete. A marker ends the document before it, and can be the first line of a document. */
  *#takeLine(document: YamlItems, at: number, isLast: boolean): Generator<ManifestPiece, number | undefined> {
    const end = this.#rest.indexOf("\n", at) + 1;
    if (end === 0 && !isLast) return undefined;
    const line = this.#rest.slice(at, end === 0 ? undefined : end);
    if (markerLine.test(line) && !document.isEmpty) {
      yield* document.end();
      this.#document = undefined;
      return at;
    }
    yield* document.take(line);
    this.#line++;
    return at + line.length;
  }
}
