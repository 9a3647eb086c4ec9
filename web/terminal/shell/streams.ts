// What flows between programs: text in pieces, through pipes that are bounded in bytes.

/** Characters that a pipe, a substituted command or a program that reads everything may hold: 16 MB. */
export const maxOutputBytes = 16 * 1024 * 1024;

/** More than `maxHeld` came together. */
export class TooMuch extends Error {
  override name = "TooMuch";

  constructor() {
    super(`output of more than ${maxOutputBytes / 1024 / 1024} MB cannot be held`);
  }
}

/** Thrown after Ctrl-C, or when the reader of the output has ended. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

export interface Source {
  /** The next piece; undefined at the end. Throws `Interrupted` when the signal aborts. */
  read(signal: AbortSignal): Promise<string | undefined>;
  /** Nobody reads on. */
  close(): void;
  readonly isTerminal: boolean;
}

export interface Sink {
  /** Throws `TooMuch` if the output exceeds its limit. */
  write(text: string): void;
  /** Waits until the output is taken, so that a program that writes without end is paused. */
  settled(signal: AbortSignal): Promise<void>;
  /** Writes the buffered output. */
  flush?(): void;
  readonly isTerminal: boolean;
}

/** A sink as the evaluator of scripts calls it. */
export interface Writer {
  (text: string): void;
  readonly sink: Sink;
}

export function writerTo(sink: Sink): Writer {
  return Object.assign((text: string) => sink.write(text), { sink });
}

/** A source of which a command may leave a part to the next. */
export interface Reader extends Source {
  /** Puts back text that was read too far. */
  unread(text: string): void;
}

export function newReader(source: Source): Reader {
  let rest = "";
  return {
    isTerminal: source.isTerminal,
    close: () => source.close(),
    unread: (text) => void (rest = text + rest),
    read: (signal) => {
      if (rest === "") return source.read(signal);
      const text = rest;
      rest = "";
      return Promise.resolve(text);
    },
  };
}

export const emptyInput: Source = { read: () => Promise.resolve(undefined), close: () => undefined, isTerminal: false };

export const discardedOutput: Sink = { write: () => undefined, settled: () => Promise.resolve(), isTerminal: false };

export function textSource(text: string): Source {
  let rest: string | undefined = text;
  return {
    ...emptyInput,
    read: () => {
      const piece = rest || undefined;
      rest = undefined;
      return Promise.resolve(piece);
    },
  };
}

/** Collects the output; throws if it exceeds `maxHeld`. */
export class Collected implements Sink {
  readonly isTerminal = false;
  readonly #parts: string[] = [];
  #length = 0;

  write(text: string): void {
    this.#length += text.length;
    if (this.#length > maxOutputBytes) throw new TooMuch();
    this.#parts.push(text);
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  take(): string {
    this.#length = 0;
    return this.#parts.splice(0).join("");
  }
}

/** Below this size a waiting writer continues. */
const lowWater = 64 * 1024;

export class Pipe implements Source, Sink {
  readonly isTerminal = false;
  #parts: string[] = [];
  #length = 0;
  #isEnded = false;
  #isClosed = false;
  #wake: (() => void)[] = [];
  readonly #broken: () => void;

  /** `broken` is called when something is written that no command will read. */
  constructor(broken: () => void) {
    this.#broken = broken;
  }

  write(text: string): void {
    if (this.#isClosed) return this.#broken();
    if (this.#isEnded || text === "") return;
    if (this.#length + text.length > maxOutputBytes) throw new TooMuch();
    this.#parts.push(text);
    this.#length += text.length;
    this.#tell();
  }

  async settled(signal: AbortSignal): Promise<void> {
    while (this.#length > lowWater && !this.#isClosed && !signal.aborted) await this.#change(signal);
  }

  async read(signal: AbortSignal): Promise<string | undefined> {
    while (this.#parts.length === 0 && !this.#isEnded) {
      if (signal.aborted) throw new Interrupted();
      await this.#change(signal);
    }
    if (this.#parts.length === 0) return undefined;
    const text = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    this.#tell();
    return text;
  }

  /** No more is written. */
  end(): void {
    this.#isEnded = true;
    this.#tell();
  }

  close(): void {
    this.#isClosed = true;
    this.#parts = [];
    this.#length = 0;
    this.#tell();
  }

  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        done();
      };
      signal.addEventListener("abort", wake, { once: true });
      this.#wake.push(wake);
    });
  }
}

/** All of it; throws `TooMuch` past `maxHeld`. */
export async function readAll(source: Source, signal: AbortSignal): Promise<string> {
  const all = new Collected();
  for (let piece; (piece = await source.read(signal)) !== undefined; ) all.write(piece);
  return all.take();
}

/** Lines without their ends, as they come. */
export async function* linesOf(source: Source, signal: AbortSignal): AsyncGenerator<string> {
  let rest = "";
  for (let piece; (piece = await source.read(signal)) !== undefined; ) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxOutputBytes) throw new TooMuch();
    yield* lines;
  }
  if (rest !== "") yield rest;
}
