// The event stream of an organisation: what happens to its sandboxes and lessons.
import { type Ask, SandbarError } from "./ask.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

/** The milliseconds before a stream that broke off is opened again. */
const againMs = 1_000;

const endTypes: readonly string[] = ["sandbox.expired", "sandbox.deleted"];

export class Events {
  readonly #ask: Ask;
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#api = requestsOf(ask);
  }

  /**
   * Yields events as they happen, until `signal` aborts. `after`: the id of the last event that is known; 0 for all that are recorded.
   * After an interruption it continues behind the last event. Throws an error if the service cannot be reached at first, or refuses.
   */
  async *followEvents(query: T.EventsQuery = {}, signal?: AbortSignal): AsyncGenerator<T.SandboxEvent, void, void> {
    let lastId = query.after === undefined ? undefined : String(query.after);
    const { after: _, ...filter } = query;
    let hasBegun = false;
    for (;;) {
      try {
        const question = { query: { ...filter, after: lastId }, accept: "text/event-stream", signal };
        const answer = await this.#ask("/v1/events", question);
        hasBegun = true;
        for await (const { id, event, data } of messagesOf(answer)) {
          lastId = id || lastId;
          // The contract defines the data.
          if (event === "error") throw failureIn(JSON.parse(data) as T.ErrorBody);
          if (event === "" && data !== "") yield { id, ...(JSON.parse(data) as Omit<T.SandboxEvent, "id">) };
        }
      } catch (error) {
        if (signal?.aborted) return;
        const isPassing = !(error instanceof SandbarError) || error.status === 0 || error.status >= 500;
        if (!hasBegun || !isPassing) throw error;
      }
      if (signal?.aborted) return;
      await new Promise((done) => void setTimeout(done, againMs));
    }
  }

  /**
   * Waits until a sandbox is ready or has ended, whichever is first; for `ended`, only until it has ended. Returns undefined if `signal`
   * aborts before.
   */
  async waitFor(id: string, target: "ready" | "ended", signal?: AbortSignal): Promise<"ready" | "ended" | undefined> {
    const following = new AbortController();
    const either = signal ? AbortSignal.any([signal, following.signal]) : following.signal;
    try {
      const phase = await this.#phaseOf(id);
      if (phase === "ended" || (phase === "ready" && target === "ready")) return phase;
      // The recorded events include what happened since the phase was read.
      for await (const { type } of this.followEvents({ sandbox: id, after: 0 }, either)) {
        if (endTypes.includes(type)) return "ended";
        if (target === "ready" && type === "sandbox.ready") return "ready";
      }
      return undefined;
    } finally {
      following.abort();
    }
  }

  async #phaseOf(id: string): Promise<"ready" | "ended" | "pending"> {
    try {
      const { phase } = await this.#api.get<T.ShownSandbox>(below("/v1/sandboxes", id));
      return phase === "Running" ? "ready" : "pending";
    } catch (error) {
      if (error instanceof SandbarError && (error.status === 404 || error.status === 410)) return "ended";
      throw error;
    }
  }
}

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Yields the messages of a body of Server-Sent Events as they arrive; comments are left out. */
async function* messagesOf({ body }: Response): AsyncGenerator<Message, void, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield messageIn(block);
  }
}

function messageIn(block: string): Message {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  return { id: fields.get("id") ?? "", event: fields.get("event") ?? "", data: fields.get("data") ?? "" };
}

function failureIn({ status, error }: T.ErrorBody): SandbarError {
  return new SandbarError(status, error);
}
