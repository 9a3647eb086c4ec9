// Runs a watch: pulls past events, joins the live socket, and pulls again when the client was too slow.
import { internalHeaders, withColumns } from "../../../shared/contract/cluster-object.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Holder, Holding } from "./holdings.ts";
import { Inbox } from "./inbox.ts";
import type { LiveSocket, WatchSource } from "./source.ts";

/** The client's side. Writes resolve when the client has room for more, and reject when it has disconnected. */
export interface WatchSink {
  /** Writes newline-terminated events. */
  write(events: string): Promise<void>;
  pipe(body: ReadableStream<Uint8Array>): Promise<void>;
  /** Ends the watch normally. */
  end(): Promise<void>;
  /** Ends the watch of a client that does not read or has disconnected. */
  abort(): void;
}

export interface WatchOptions {
  readonly durationMs: number;
  readonly bookmarkMs: number;
  readonly bufferLimit: number;
  /** The bytes that count as held while a body is piped. */
  readonly pullBytes: number;
  /** The time after the end of the watch until a client that does not read is disconnected. */
  readonly lingerMs: number;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Opens the memory account of the watch. */
  hold(holder: Holder): Holding;
}

/** The attempts to pull and join without progress before the watch ends. */
const fruitlessAttempts = 5;
/** The initial delay before a cluster with too many readers is called again; it grows. */
const busyMs = 500;
/** The number and the interval of checks whether slower watches have released memory for a body. */
const roomLooks = 50;
const roomMs = 100;

/** Runs the watch. `first` is the response of the first pull: 200 with a revision. Resolves when everything is closed; never rejects. */
export async function runWatch(
  first: Response,
  source: WatchSource,
  sink: WatchSink,
  options: WatchOptions,
): Promise<void> {
  const run = new WatchRun(source, sink, options);
  const { holding } = run;
  const stops = [
    every(options.bookmarkMs, () => run.inbox?.askBookmark()),
    after(options.durationMs, () => run.stop()),
    after(options.durationMs + options.lingerMs, () => run.abandon()),
  ];
  const gone = () => run.abandon();
  options.signal.addEventListener("abort", gone);
  try {
    await run.follow(first);
    await sink.end();
  } catch {
    // The client disconnected, or the cluster aborted a body: a partial event must not look like an end.
    sink.abort();
  } finally {
    options.signal.removeEventListener("abort", gone);
    for (const stop of stops) stop();
    run.stop();
    holding.close();
  }
}

class WatchRun {
  inbox: Inbox | undefined;
  readonly holding: Holding;
  #isExpired = false;
  #stopLingering = () => {};
  #socket: LiveSocket | undefined;
  #over = false;
  #revision = "";
  #bookmark: string | undefined;
  /** The column definitions that the first event must contain. */
  #columns: string | undefined;
  readonly #source: WatchSource;
  readonly #sink: WatchSink;
  readonly #options: WatchOptions;

  constructor(source: WatchSource, sink: WatchSink, options: WatchOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
    this.holding = options.hold({ expire: () => this.#expire(), cut: () => this.#cut() });
  }

  /** Stops after the current write. */
  stop(): void {
    this.#over = true;
    this.inbox?.stop("ended");
    this.#socket?.close();
  }

  abandon(): void {
    this.stop();
    this.#sink.abort();
  }

  /** Gives the client some time to receive the current write and the reason. */
  #expire(): void {
    this.#isExpired = true;
    this.inbox?.drop("expired");
    this.#stopLingering = after(this.#options.lingerMs, () => this.abandon());
  }

  #cut(): void {
    this.holding.close();
    this.abandon();
  }

  async follow(first: Response): Promise<void> {
    try {
      await this.#follow(first);
      if (this.#isExpired && !this.#over) await this.#sink.write(eventOf(expired()));
    } finally {
      this.#stopLingering();
    }
  }

  async #follow(first: Response): Promise<void> {
    await this.#reserve();
    let pulled: Response | undefined = first;
    let fruitless = 0;
    while (pulled) {
      const before = this.#revision;
      await this.#drainBody(pulled);
      if (this.#isExpired) return;
      if (pulled.headers.has(internalHeaders.ended)) return;
      const again = await this.#joinFrom(this.#revision);
      if (!again || this.#over || this.#isExpired) return;
      fruitless = before === this.#revision ? fruitless + 1 : 0;
      if (fruitless >= fruitlessAttempts) return;
      pulled = await this.#pullAgain();
    }
  }

  async #drainBody(pulled: Response): Promise<void> {
    const revision = pulled.headers.get(internalHeaders.revision) ?? this.#revision;
    this.#bookmark = pulled.headers.get(internalHeaders.bookmark) ?? undefined;
    this.#columns = pulled.headers.get(internalHeaders.columns) ?? undefined;
    const body: ReadableStream<Uint8Array> | null = pulled.body;
    if (body) await this.#pipe(body);
    else this.holding.remove(this.#options.pullBytes);
    this.#revision = revision;
  }

  /**
   * Accounts for a pulled body before the pull, because the cluster renders its beginning at once. If slower watches hold all memory, the
   * pull waits before the slowest are ended.
   */
  async #reserve(): Promise<void> {
    const { pullBytes } = this.#options;
    for (let look = 0; look < roomLooks && !this.holding.hasRoom(pullBytes) && !this.#over; look++)
      await this.#pause(roomMs);
    this.holding.add(pullBytes);
  }

  /** Pipes a body at the speed of the client. */
  async #pipe(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      await this.#sink.pipe(body);
    } finally {
      this.holding.remove(this.#options.pullBytes);
    }
  }

  /** Returns whether the client needs another pull. */
  async #joinFrom(since: string): Promise<boolean> {
    if (this.#over) return false;
    const joined = await this.#source.join(since);
    if (joined instanceof Response) {
      requireUncut(joined);
      if (joined.status === 409) await joined.body?.cancel();
      else await this.#endWith(joined);
      return joined.status === 409;
    }
    return this.#live(joined);
  }

  async #live(socket: LiveSocket): Promise<boolean> {
    const inbox = new Inbox(this.#options.bufferLimit, this.holding);
    this.inbox = inbox;
    this.#socket = socket;
    socket.listen({
      frame: (text) => {
        inbox.push(text);
        if (inbox.state === "overflowed" || inbox.state === "expired") socket.close();
      },
      closed: (end) => {
        if (end === "cut") this.abandon();
        else if (end === "expired") this.#expire();
        else inbox.stop(end === "again" ? "overflowed" : "closed");
      },
    });
    if (this.#over) this.stop();
    if (this.#isExpired) inbox.drop("expired");
    try {
      while (await this.#deliver(inbox));
    } finally {
      socket.close();
      this.inbox = undefined;
      this.#socket = undefined;
    }
    return inbox.state === "overflowed";
  }

  /** Waits for data and writes it. Returns false if nothing is queued and nothing will come. */
  async #deliver(inbox: Inbox): Promise<boolean> {
    await inbox.ready();
    const delivery = inbox.take();
    if (delivery) {
      if (delivery.events) await this.#write(delivery.events);
      inbox.taken(delivery);
      this.#revision = delivery.revision;
      return true;
    }
    if (inbox.state !== "open") return false;
    if (inbox.takeBookmark() && this.#bookmark) {
      await this.#write(`${this.#bookmark.replace('"$R"', JSON.stringify(this.#revision))}\n`);
    }
    return true;
  }

  #write(events: string): Promise<void> {
    const columns = this.#columns;
    this.#columns = undefined;
    return this.#sink.write(columns === undefined ? events : withColumns(events, columns));
  }

  async #pullAgain(): Promise<Response | undefined> {
    await this.#reserve();
    // The watch was ended while it waited.
    if (this.#over || this.#isExpired) return undefined;
    let pulled = await this.#source.pull(this.#revision, this.#columns !== undefined);
    for (let attempt = 1; pulled.status === 429 && attempt < fruitlessAttempts; attempt++) {
      await pulled.body?.cancel();
      await this.#pause(attempt * busyMs);
      if (this.#over) return undefined;
      pulled = await this.#source.pull(this.#revision, this.#columns !== undefined);
    }
    if (pulled.status === 200 && pulled.headers.has(internalHeaders.revision)) return pulled;
    requireUncut(pulled);
    await this.#endWith(pulled);
    return undefined;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, ms));
  }

  /** Sends an error after the stream has begun: its `Status` in an ERROR event, at which clients end the watch. */
  async #endWith(refusal: Response): Promise<void> {
    const status = parseStatus(await refusal.text()) ?? fallbackStatus(refusal.status);
    await this.#sink.write(eventOf(status));
  }
}

/** Throws if the cluster has the client's connection cut. */
function requireUncut({ headers }: Response): void {
  if (headers.has(internalHeaders.cut)) throw new Error("the connection is cut");
}

function eventOf(status: unknown): string {
  return `${JSON.stringify({ type: "ERROR", object: status })}\n`;
}

function expired(): unknown {
  return ApiError.expired("The resourceVersion for the provided watch is too old.").toStatus();
}

function parseStatus(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status"
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

function fallbackStatus(code: number): unknown {
  if (code === 410) return expired();
  return new ApiError(code, "InternalError", "the watch could not be continued").toStatus();
}

function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms);
  return () => clearInterval(timer);
}

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
