// Follows the answers on one connection of workerd, to find the state of each request if the connection ends: its answer is complete, has
// begun, or has not begun.

/** The limit of an answer's head in bytes. Above it, the answers on the connection are no longer distinguished. */
const headBytes = 256 * 1024;

/** The state of reading. "open": the connection ends after the answer, or switches to another protocol. */
type ReadingState = "head" | "body" | "chunk size" | "chunk end" | "trailer" | "open";

export class AnswerReader {
  /** The methods of requests that are not answered yet, the oldest first. */
  readonly #pendingMethods: string[] = [];
  #readingState: ReadingState = "head";
  #hasBegun = false;
  /** The beginning of a head or a line that is not complete, as Latin-1. */
  #pending = "";
  /** Remaining bytes of a body or a chunk. */
  #left = 0;
  #isChunked = false;

  /** Records that a request was sent to workerd. */
  expectAnswer(method: string): void {
    this.#pendingMethods.push(method);
  }

  /** The method of the request that is answered next; undefined if all are answered. */
  get next(): string | undefined {
    return this.#pendingMethods[0];
  }

  /** True if the next answer has begun and is not complete. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#readingState !== "open"; ) {
      this.#hasBegun = true;
      if (this.#readingState === "body") {
        const size = Math.min(this.#left, bytes.length - at);
        at += size;
        this.#left -= size;
        if (this.#left === 0) this.#endBody();
      } else at = this.#readLine(bytes, at);
    }
  }

  /** Reads up to the end of a line. Returns its position. */
  #readLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf("\n", from) + 1;
    this.#pending += bytes.toString("latin1", from, end || bytes.length);
    if (this.#pending.length > headBytes) this.#readingState = "open";
    if (end === 0) return bytes.length;
    if (this.#readingState === "head") {
      if (isHeadEnd(this.#pending)) this.#takeHead(this.#takePending());
    } else this.#takeLine(this.#takePending().trim());
    return end;
  }

  #takePending(): string {
    const text = this.#pending;
    this.#pending = "";
    return text;
  }

  #takeHead(head: string): void {
    const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    // An informational answer is followed by another head.
    if (status >= 100 && status < 200 && status !== 101) {
      this.#hasBegun = false;
      return;
    }
    const length = /\ncontent-length:[ \t]*(\d+)/i.exec(head)?.[1];
    this.#isChunked = /\ntransfer-encoding:[ \t]*chunked/i.test(head);
    const isLast = !/^HTTP\/1\.1/.test(head) || /\nconnection:[^\n]*\bclose\b/i.test(head);
    if (isLast || Number.isNaN(status) || status === 101) this.#readingState = "open";
    else if (this.#pendingMethods[0] === "HEAD" || status === 204 || status === 304) this.#endAnswer();
    else if (this.#isChunked) this.#readingState = "chunk size";
    else if (length === undefined) this.#readingState = "open";
    else {
      this.#left = Number(length);
      this.#readingState = "body";
      if (this.#left === 0) this.#endBody();
    }
  }

  #takeLine(line: string): void {
    if (this.#readingState === "chunk size") {
      this.#left = Number.parseInt(line, 16);
      if (Number.isNaN(this.#left)) this.#readingState = "open";
      else this.#readingState = this.#left > 0 ? "body" : "trailer";
    } else if (this.#readingState === "chunk end") this.#readingState = "chunk size";
    else if (line === "") this.#endAnswer();
  }

  #endBody(): void {
    if (this.#isChunked) this.#readingState = "chunk end";
    else this.#endAnswer();
  }

  #endAnswer(): void {
    this.#pendingMethods.shift();
    this.#readingState = "head";
    this.#hasBegun = false;
  }
}

/** Reports whether a text that ends with a line ends with an empty one. A pattern would search the whole text for each line. */
function isHeadEnd(text: string): boolean {
  return text.endsWith("\n\r\n") || text.endsWith("\n\n") || text === "\n" || text === "\r\n";
}
