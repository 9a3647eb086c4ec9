// Checks the requests of one connection on their way to workerd: heads by `request-head.ts`, and the sizes of chunks. Bodies and answers
// pass unchanged. If the gate mistook a body for a head, it would refuse it; if it missed a head, workerd would check it.
import { Transform, type TransformCallback } from "node:stream";
import { type Framing, type HeadRefusal, MalformedRequest, headBytes, readHead } from "./request-head.ts";

export interface GateOptions {
  /** Headers that are added to every request. */
  readonly added?: readonly (readonly [name: string, value: string])[];
  /** Called before the head of a request is passed on. `sandbox`: the id of the sandbox that it addresses, not verified. */
  pass(method: string, sandbox: string | undefined): void;
  /** Answers and ends the connection; the gate passes nothing more. `path` is empty if the head has none. */
  refuse(refusal: HeadRefusal, path: string, isInBody: boolean): void;
}

/** The limit of the line with a chunk's size and extensions. */
const chunkLineBytes = 4_096;
const trailerBytes = 16_384;

type Place = "head" | "body" | "chunk size" | "chunk end" | "trailer" | "other protocol" | "refused";

export class RequestGate extends Transform {
  readonly #options: GateOptions;
  #place: Place = "head";
  /** The pieces of a head or a line that is not complete. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Remaining bytes of a body or a chunk. */
  #left = 0n;
  #isChunked = false;
  #path = "";
  #trailerBytes = 0;
  #hasPassed = false;
  /** The bytes of the current piece that may pass. A head and its body are passed on together: each write is a call of the system. */
  #passed: Buffer[] = [];
  #closedBy: HeadRefusal | undefined;

  constructor(options: GateOptions) {
    super();
    this.#options = options;
  }

  get isRefused(): boolean {
    return this.#place === "refused";
  }

  /** Refuses the connection: at once if a request was passed on, else when the first one arrives. */
  close(refusal: HeadRefusal): void {
    if (this.#hasPassed) this.#refuse(refusal, this.#path);
    else this.#closedBy = refusal;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest: Buffer | undefined = chunk;
    try {
      while (rest && rest.length > 0) rest = this.#take(rest);
    } catch (error) {
      if (!(error instanceof MalformedRequest)) return done(error as Error);
      this.#flush();
      this.#refuse(error.refusal, error.path);
    }
    this.#flush();
    done();
  }

  #flush(): void {
    const [first] = this.#passed;
    if (first) this.push(this.#passed.length > 1 ? Buffer.concat(this.#passed) : first);
    this.#passed = [];
  }

  /** Returns the rest of the bytes, or undefined if more are needed. */
  #take(bytes: Buffer): Buffer | undefined {
    switch (this.#place) {
      case "head":
        return this.#takeHead(bytes);
      case "body":
        return this.#takeBody(bytes);
      case "chunk size":
      case "chunk end":
      case "trailer":
        return this.#takeLine(bytes);
      case "other protocol":
        this.#passed.push(bytes);
        return undefined;
      case "refused":
        return undefined;
    }
  }

  /** Joins a piece to those before it. Returns undefined if no line has ended and `limitBytes` are not exceeded. */
  #joined(bytes: Buffer, limitBytes: number): Buffer | undefined {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (!bytes.includes("\n") && this.#pendingBytes <= limitBytes) return undefined;
    const all = this.#pending.length > 1 ? Buffer.concat(this.#pending) : bytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    return all;
  }

  #keep(bytes: Buffer): undefined {
    this.#pending = [bytes];
    this.#pendingBytes = bytes.length;
  }

  #takeHead(piece: Buffer): Buffer | undefined {
    const bytes = this.#joined(piece, headBytes);
    if (!bytes) return undefined;
    const end = headEnd(bytes);
    if (end > headBytes || (end < 0 && bytes.length > headBytes))
      throw new MalformedRequest(431, "Request Header Fields Too Large", pathIn(bytes));
    if (end < 0) return this.#keep(bytes);
    const { text, framing, path, method, sandbox } = readHead(bytes.toString("latin1", 0, end), this.#options.added);
    if (this.#closedBy) throw new MalformedRequest(this.#closedBy.code, this.#closedBy.message, path);
    this.#path = path;
    this.#hasPassed = true;
    this.#flush();
    this.#options.pass(method, sandbox);
    this.#passed.push(Buffer.from(text, "latin1"));
    this.#begin(framing);
    return bytes.subarray(end);
  }

  #begin(framing: Framing): void {
    this.#isChunked = framing.kind === "chunked";
    this.#left = framing.kind === "length" ? framing.bytes : 0n;
    this.#trailerBytes = 0;
    if (framing.kind === "upgrade") this.#place = "other protocol";
    else if (this.#isChunked) this.#place = "chunk size";
    else this.#place = this.#left > 0n ? "body" : "head";
  }

  #takeBody(bytes: Buffer): Buffer {
    const size = this.#left < BigInt(bytes.length) ? Number(this.#left) : bytes.length;
    this.#left -= BigInt(size);
    this.#passed.push(bytes.subarray(0, size));
    if (this.#left === 0n) this.#place = this.#isChunked ? "chunk end" : "head";
    return bytes.subarray(size);
  }

  /** Reads a line of the chunked encoding: a size, the end of a chunk, or a trailer. */
  #takeLine(piece: Buffer): Buffer | undefined {
    if (this.#pendingBytes + piece.length > chunkLineBytes && !piece.includes("\n"))
      throw this.#malformedChunk("header line too long");
    const bytes = this.#joined(piece, chunkLineBytes);
    if (!bytes) return undefined;
    const end = bytes.indexOf("\n") + 1;
    const size = end > 0 ? end : bytes.length;
    if (size > chunkLineBytes) throw this.#malformedChunk("header line too long");
    if (end === 0) return this.#keep(bytes);
    const line = bytes.toString("latin1", 0, end).replace(/\r?\n$/, "");
    this.#readLine(line);
    this.#passed.push(bytes.subarray(0, end));
    return bytes.subarray(end);
  }

  #readLine(line: string): void {
    if (this.#place === "chunk size") {
      const size = /^([0-9a-f]{1,15})[ \t]*(;.*)?$/i.exec(line)?.[1];
      if (size === undefined) throw this.#malformedChunk("invalid byte in chunk length");
      this.#left = BigInt(`0x${size}`);
      this.#place = this.#left > 0n ? "body" : "trailer";
    } else if (this.#place === "chunk end") {
      if (line !== "") throw this.#malformedChunk("malformed chunked encoding");
      this.#place = "chunk size";
    } else {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > trailerBytes) throw this.#malformedChunk("trailers too large");
      if (line === "") this.#place = "head";
    }
  }

  #malformedChunk(message: string): MalformedRequest {
    return new MalformedRequest(400, message, this.#path);
  }

  #refuse(refusal: HeadRefusal, path: string): void {
    if (this.#place === "refused") return;
    const isInBody = this.#place !== "head";
    this.#place = "refused";
    this.#options.refuse(refusal, path, isInBody);
  }
}

/** Returns the end of the head, after its empty line; negative if it is not complete. */
function headEnd(bytes: Buffer): number {
  for (let at = bytes.indexOf("\n"); at >= 0; at = bytes.indexOf("\n", at + 1)) {
    if (bytes[at + 1] === 0x0a) return at + 2;
    if (bytes[at + 1] === 0x0d && bytes[at + 2] === 0x0a) return at + 3;
    // The head begins with an empty line, so there is no request line.
    if (at === 0 || (at === 1 && bytes[0] === 0x0d)) return at + 1;
  }
  return -1;
}

function pathIn(bytes: Buffer): string {
  return /^\S+ (\/[^ ?]*)/.exec(bytes.toString("latin1", 0, 200))?.[1] ?? "";
}
