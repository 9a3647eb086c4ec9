// The time axis of a sandbox: its clock, its timeline, and what its objects wait for.
import { type Ask, SandbarError } from "./ask.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

export class TimeAxis {
  readonly #ask: Ask;
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#api = requestsOf(ask);
  }

  getClock(id: string): Promise<T.ClockFacts> {
    return this.#api.get(at(id, "clock"));
  }

  /** Changes the clock. A run of the clock ends after 20 seconds unless `limit.real` is set. `run.end` is `realLimit` then. */
  changeClock(id: string, input: T.PatchClock): Promise<T.ChangedClock> {
    return this.#api.patch(at(id, "clock"), input);
  }

  /** Injects faults, in place of those that were set before. */
  setFaults(id: string, input: T.GivenFaults): Promise<T.FaultList> {
    return this.#api.put(at(id, "faults"), input);
  }

  /** Returns the faults and what they have done; with `waitSeconds` it waits for more. */
  getFaults(id: string, query: T.FaultsQuery = {}): Promise<T.FaultList> {
    return this.#api.get(at(id, "faults"), query);
  }

  /** Ends the fault of a name, or deletes all. */
  deleteFaults(id: string, name?: string): Promise<T.FaultList> {
    return this.#api.end(at(id, "faults"), name === undefined ? {} : { name });
  }

  /** Returns events with their causes and effects. */
  getTimeline(id: string, query: T.TimelineQuery = {}): Promise<T.Timeline> {
    return this.#api.get(at(id, "timeline"), query);
  }

  /** Returns the timeline as a tree for people. */
  async timelineText(id: string, query: T.TimelineQuery = {}): Promise<string> {
    return (await this.#ask(at(id, "timeline"), { query, accept: "text/plain" })).text();
  }

  /** Yields the entries of the timeline, then those that follow, until `signal` aborts. It goes on after an answer has ended. */
  async *followTimeline(
    id: string,
    query: T.TimelineQuery = {},
    signal?: AbortSignal,
  ): AsyncGenerator<T.TimelineEntry> {
    let { since } = query;
    while (!signal?.aborted) {
      for await (const line of this.#followed(id, { ...query, since }, "application/jsonl", signal)) {
        if (line === "") continue;
        // The service answers what its contract says.
        const entry = JSON.parse(line) as T.TimelineEntry | { error?: T.ErrorBody["error"]; truncated?: true };
        if ("error" in entry && entry.error) throw new SandbarError(410, entry.error);
        if (!("revision" in entry)) continue;
        since = String(entry.revision + 1);
        yield entry;
      }
    }
  }

  /** Yields the timeline as lines for people, until the service ends the answer or `signal` aborts. */
  followTimelineText(id: string, query: T.TimelineQuery = {}, signal?: AbortSignal): AsyncGenerator<string> {
    return this.#followed(id, query, "text/plain", signal);
  }

  /** Returns a recording of users' requests as it arrives: the bytes of lines of JSON. */
  async recordSandbox(id: string, query: T.RecordingQuery = {}): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#ask(at(id, "recording"), { query });
    return (body ?? []) as AsyncIterable<Uint8Array>;
  }

  async *#followed(id: string, query: T.TimelineQuery, accept: string, signal?: AbortSignal): AsyncGenerator<string> {
    try {
      const answer = await this.#ask(at(id, "timeline"), { query: { ...query, follow: "true" }, accept, signal });
      yield* linesOf(answer);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  /** Returns what an object waits for: `getWhy(id, "pod", "web-1")`. */
  getWhy(id: string, resource: string, name: string, namespace = "default"): Promise<T.Why> {
    return this.#api.get(at(id, "why", resource, name), { namespace });
  }

  /** Returns the reasons as text for people. */
  async whyText(id: string, resource: string, name: string, namespace = "default"): Promise<string> {
    return (await this.#ask(at(id, "why", resource, name), { query: { namespace }, accept: "text/plain" })).text();
  }
}

/** Yields the lines of a body as they arrive. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function at(id: string, ...more: string[]): string {
  return below("/v1/sandboxes", id, ...more);
}
