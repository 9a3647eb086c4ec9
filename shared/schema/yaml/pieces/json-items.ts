// Splits one JSON document of any length into the items of its list. It checks no syntax: a wrong text becomes a piece that cannot be parsed.
import { countLines, type ManifestPiece, PieceTooLong } from "./piece.ts";

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openMap, closeMap] = [0x5b, 0x5d, 0x7b, 0x7d];
/** The characters of a key that are compared with `items`. */
const keyCharacters = 6;

export class JsonItems {
  readonly #document: number;
  readonly #maxCharacters: number;
  readonly #firstLine: number;
  #line: number;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The last string, and the last key, of the document's own map. */
  #word = "";
  #key = "";
  #isInItems = false;
  #items = 0;
  /** The text without the items, and the text of the current item. */
  #frame = "";
  #item: string | undefined;
  #itemLine = 0;

  constructor({ line, document }: Pick<ManifestPiece, "line" | "document">, maxCharacters: number) {
    this.#document = document;
    this.#maxCharacters = maxCharacters;
    this.#firstLine = line;
    this.#line = line;
  }

  /** The line after the characters that were taken. */
  get line(): number {
    return this.#line;
  }

  /** Takes a text from a position, and returns where the document ends; undefined if it continues. */
  *take(text: string, from: number): Generator<ManifestPiece, number | undefined> {
    let start = from;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isInString) this.#takeInString(code);
      else if (code === quote) [this.#isInString, this.#word] = [true, ""];
      if (this.#isInItems && this.#depth === 2 && !this.#isInString) {
        const isEnd = code === comma || code === closeList;
        if (isEnd && this.#item !== undefined) {
          this.#append(text.slice(start, at));
          start = at;
          yield this.#endItem();
        }
        // Separators are no part of the frame.
        if (code === comma) {
          this.#append(text.slice(start, at));
          start = at + 1;
          continue;
        }
      }
      const isFirst = this.#isInItems && this.#depth === 2 && this.#item === undefined;
      if (isFirst && code > 0x20 && code !== closeList) {
        this.#append(text.slice(start, at));
        start = at;
        [this.#item, this.#itemLine] = ["", this.#line];
      }
      if (this.#isInString || code === quote) continue;
      this.#takePunctuation(code);
      if (this.#depth > 0) continue;
      this.#append(text.slice(start, at + 1));
      yield this.#endFrame();
      return at + 1;
    }
    this.#append(text.slice(start));
    return undefined;
  }

  /** Yields what is left of a document that broke off. */
  *end(): Generator<ManifestPiece> {
    if (this.#item !== undefined) yield this.#endItem();
    yield this.#endFrame();
  }

  #takeInString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === backslash) this.#isEscaped = true;
    else if (code === quote) this.#isInString = false;
    else if (this.#depth === 1 && this.#word.length < keyCharacters) this.#word += String.fromCharCode(code);
  }

  #takePunctuation(code: number): void {
    if (code === openMap || code === openList) {
      this.#isInItems ||= this.#depth === 1 && code === openList && this.#key === "items";
      this.#depth++;
    } else if (code === closeMap || code === closeList) {
      this.#depth--;
      if (this.#depth === 1) this.#isInItems = false;
    } else if (this.#depth === 1 && code === colon) this.#key = this.#word;
    else if (this.#depth === 1 && code === comma) this.#key = "";
  }

  #append(text: string): void {
    this.#line += countLines(text);
    if (this.#item === undefined) this.#frame += text;
    else this.#item += text;
    if ((this.#item ?? this.#frame).length > this.#maxCharacters) {
      const line = this.#item === undefined ? this.#firstLine : this.#itemLine;
      throw new PieceTooLong({ line, document: this.#document }, this.#maxCharacters);
    }
  }

  #endItem(): ManifestPiece {
    const piece = { text: this.#item ?? "", line: this.#itemLine, document: this.#document, item: this.#items++ };
    this.#item = undefined;
    return piece;
  }

  #endFrame(): ManifestPiece {
    const frame = { text: this.#frame, line: this.#firstLine, document: this.#document };
    return this.#items > 0 ? { ...frame, isRest: true } : frame;
  }
}
