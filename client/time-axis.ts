// The time axis of a sandbox: its clock, its timeline, and what its objects wait for.
import type { Ask } from "./ask.ts";
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

  /** Returns events with their causes and effects. */
  getTimeline(id: string, query: T.TimelineQuery = {}): Promise<T.Timeline> {
    return this.#api.get(at(id, "timeline"), query);
  }

  /** Returns the timeline as a tree for people. */
  async timelineText(id: string, query: T.TimelineQuery = {}): Promise<string> {
    return (await this.#ask(at(id, "timeline"), { query, accept: "text/plain" })).text();
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

function at(id: string, ...more: string[]): string {
  return below("/v1/sandboxes", id, ...more);
}
