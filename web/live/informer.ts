// An informer: lists a collection, then watches its changes. Independent of HTTP, sockets and the page.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { type Backoff, newBackoff } from "./backoff.ts";

export interface Page<T> {
  readonly items: readonly T[];
  readonly revision: string;
  readonly next?: string | undefined;
}

/** A list request that was answered with an error. */
export class ListRefused extends Error {
  override name = "ListRefused";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A watch event in the server's form. */
export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: T;
}

export interface WatchHandlers {
  opened(): void;
  /** Receives one or more events, one per line. */
  message(text: string): void;
  closed(): void;
}

export interface ListSource<T> {
  page(next: string | undefined): Promise<Page<T>>;
  /** Starts a watch and returns a function that ends it. */
  watch(revision: string, handlers: WatchHandlers): Promise<() => void>;
  /** Parses a line of the watch, if its objects are not in the standard form. */
  eventOf?(line: string): WatchEvent<T>;
}

export type LinkState =
  | { readonly phase: "connecting" | "live" | "waiting" }
  /** A final refusal: the token is invalid (401, 403) or the sandbox is gone (404, 410). */
  | { readonly phase: "refused"; readonly status: number; readonly message: string };

export interface Listener<T> {
  /** Replaces all objects. */
  reset(items: readonly T[]): void;
  put(object: T): void;
  remove(object: T): void;
  state(state: LinkState): void;
}

export interface Timing {
  /** Resolves early when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The time in milliseconds without messages or bookmarks after which a watch counts as dead. */
  readonly silenceMs: number;
  readonly random: () => number;
}

const finalStatuses = new Set([401, 403, 404, 410]);

/** Resolves when the signal aborts or a final refusal arrives. */
export async function inform<T extends KubeObject>(
  source: ListSource<T>,
  listener: Listener<T>,
  timing: Timing,
  signal: AbortSignal,
): Promise<void> {
  const backoff = newBackoff(timing.random);
  while (!signal.aborted) {
    try {
      const revision = await listAll(source, listener, signal);
      await follow(revision, source, listener, { timing, signal, backoff });
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof ListRefused && finalStatuses.has(error.status) ? error : undefined;
      if (refused) return listener.state({ phase: "refused", status: refused.status, message: refused.message });
      listener.state({ phase: "waiting" });
      await timing.wait(backoff.next(), signal);
    }
  }
}

async function listAll<T>(source: ListSource<T>, listener: Listener<T>, signal: AbortSignal): Promise<string> {
  const items: T[] = [];
  let page: Page<T>;
  let next: string | undefined;
  do {
    page = await pageAfter(source, next);
    items.push(...page.items);
    next = page.next;
  } while (next && !signal.aborted);
  if (!signal.aborted) listener.reset(items);
  return page.revision;
}

/** Reads a page. An expired continue token is not a final refusal: the list starts again. */
async function pageAfter<T>(source: ListSource<T>, next: string | undefined): Promise<Page<T>> {
  try {
    return await source.page(next);
  } catch (error) {
    if (next && error instanceof ListRefused && error.status === 410) throw new Error("the list has expired");
    throw error;
  }
}

interface Following {
  readonly timing: Timing;
  readonly signal: AbortSignal;
  readonly backoff: Backoff;
}

/** Watches repeatedly until a new list is needed: the revision has expired, or a watch could not be opened. */
async function follow<T extends KubeObject>(
  from: string,
  source: ListSource<T>,
  listener: Listener<T>,
  { timing, signal, backoff }: Following,
): Promise<void> {
  let revision = from;
  while (!signal.aborted) {
    const ended = await watchOnce(revision, source, listener, timing, signal);
    if (signal.aborted) return;
    if (ended.progressed) backoff.reset();
    revision = ended.revision;
    listener.state({ phase: "waiting" });
    await timing.wait(backoff.next(), signal);
    if (ended.relist) return;
  }
}

interface WatchEnd {
  readonly revision: string;
  readonly relist: boolean;
  readonly progressed: boolean;
}

async function watchOnce<T extends KubeObject>(
  from: string,
  source: ListSource<T>,
  listener: Listener<T>,
  timing: Timing,
  signal: AbortSignal,
): Promise<WatchEnd> {
  const { promise: over, resolve: end } = Promise.withResolvers<{ relist: boolean }>();
  // Aborted when this watch has ended: stops the check of silence and the listener of `signal`.
  const ended = new AbortController();
  let revision = from;
  let opened = false;
  let heard = 0;
  // Only the server writes here, one event per line.
  const eventOf = source.eventOf ?? ((line: string) => JSON.parse(line) as WatchEvent<T>);
  const take = (line: string) => {
    const { type, object } = eventOf(line);
    if (type === "ERROR") return end({ relist: true });
    revision = object.metadata.resourceVersion ?? revision;
    if (type === "DELETED") listener.remove(object);
    else if (type !== "BOOKMARK") listener.put(object);
  };
  const close = await source.watch(from, {
    opened: () => {
      opened = true;
      listener.state({ phase: "live" });
    },
    message: (text) => {
      heard += 1;
      for (const line of text.split("\n")) if (line) take(line);
    },
    // A watch that never opened carries no reason, but the next list does.
    closed: () => end({ relist: !opened }),
  });
  signal.addEventListener("abort", () => end({ relist: false }), { once: true, signal: ended.signal });
  void noticeSilence(
    () => heard,
    timing,
    ended.signal,
    () => end({ relist: true }),
  );
  const { relist } = await over;
  ended.abort();
  close();
  return { revision, relist, progressed: opened };
}

/** Ends a watch that is silent for too long. The server sends a bookmark every minute, so such a connection is dead. */
async function noticeSilence(heard: () => number, timing: Timing, signal: AbortSignal, notice: () => void) {
  for (let before = -1; before !== heard(); ) {
    before = heard();
    await timing.wait(timing.silenceMs, signal);
    if (signal.aborted) return;
  }
  notice();
}
