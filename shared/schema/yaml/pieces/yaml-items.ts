// Splits one YAML document, line by line, into the items of its list: `items:` as a key of the document's own map, in block style.
import { type ManifestPiece, PieceTooLong } from "./piece.ts";

const itemsLine = /^(?:items|"items"|'items'):[ \t]*(?:#.*)?\r?\n?$/;
const itemStart = /^( *)-(?=[ \t\r\n]|$)/;
const blankLine = /^[ \t]*(?:#.*)?\r?\n?$/;

export class YamlItems {
  readonly #document: number;
  readonly #maxCharacters: number;
  readonly #firstLine: number;
  #line: number;
  /** The text without the items, and where its line `items:` begins. */
  #frame = "";
  #itemsAt = 0;
  #place: "frame" | "first item" | "items" = "frame";
  #indent = 0;
  #items = 0;
  #item: string | undefined;
  #itemLine = 0;

  constructor({ line, document }: Pick<ManifestPiece, "line" | "document">, maxCharacters: number) {
    this.#document = document;
    this.#maxCharacters = maxCharacters;
    this.#firstLine = line;
    this.#line = line;
  }

  get isEmpty(): boolean {
    return this.#line === this.#firstLine;
  }

  /** Takes a line with its line break. */
  *take(line: string): Generator<ManifestPiece> {
    if (this.#place === "first item" && !blankLine.test(line)) this.#beginItems(line);
    if (this.#place === "items" && !this.#isOfItem(line)) {
      if (this.#item !== undefined) yield this.#endItem();
      if (this.#startsItem(line)) [this.#item, this.#itemLine] = ["", this.#line];
      else this.#place = "frame";
    }
    if (this.#item !== undefined) this.#item += this.#item === "" ? line.replace("-", " ") : line;
    else if (this.#place === "frame" && itemsLine.test(line)) {
      this.#place = "first item";
      this.#itemsAt = this.#frame.length;
      this.#frame += line;
    } else this.#frame += line;
    this.#line++;
    this.#requireShort();
  }

  *end(): Generator<ManifestPiece> {
    if (this.#item !== undefined) yield this.#endItem();
    const frame = { text: this.#frame, line: this.#firstLine, document: this.#document };
    yield this.#items > 0 ? { ...frame, isRest: true } : frame;
  }

  /** The line after `items:` decides whether a list follows. */
  #beginItems(line: string): void {
    const indent = itemStart.exec(line)?.[1];
    this.#place = indent === undefined ? "frame" : "items";
    this.#indent = indent?.length ?? 0;
    // The frame is a list without items.
    if (indent !== undefined) this.#frame = `${this.#frame.slice(0, this.#itemsAt)}items: []\n`;
  }

  #startsItem(line: string): boolean {
    return itemStart.exec(line)?.[1]?.length === this.#indent;
  }

  /** Reports whether a line continues the current item. */
  #isOfItem(line: string): boolean {
    return blankLine.test(line) || line.search(/[^ ]/) > this.#indent;
  }

  #endItem(): ManifestPiece {
    const piece = { text: this.#item ?? "", line: this.#itemLine, document: this.#document, item: this.#items++ };
    this.#item = undefined;
    return piece;
  }

  #requireShort(): void {
    if ((this.#item ?? this.#frame).length <= this.#maxCharacters) return;
    const line = this.#item === undefined ? this.#firstLine : this.#itemLine;
    throw new PieceTooLong({ line, document: this.#document }, this.#maxCharacters);
  }
}
