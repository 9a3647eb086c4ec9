// Requests to the API server: paths, queries and bodies, and its refusals as errors.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { asError, Exit, type Status, StatusError } from "../errors.ts";
import { linesOf } from "./lines.ts";

export interface Ask {
  readonly method?: string;
  /** Undefined and "" are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  readonly contentType?: string;
  readonly accept?: string;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

export interface Client {
  /** An object. Throws a StatusError. */
  json(path: string, ask?: Ask): Promise<JsonObject>;
  text(path: string, ask?: Ask): Promise<string>;
  /** The lines of a text as they come, without their newlines; ends quietly when the signal aborts. */
  lines(path: string, ask?: Ask): AsyncGenerator<string>;
  watch(path: string, ask?: Ask): AsyncGenerator<WatchEvent>;
}

export interface ClientOptions {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Is told of each warning once. */
  warn(text: string): void;
}

export function newClient({ fetch, headers, signal, warn }: ClientOptions): Client {
  const warned = new Set<string>();
  const reach = async (path: string, init: RequestInit) => {
    try {
      return await fetch(path, init);
    } catch (error) {
      // Nothing answered: what a browser says of it names no cause.
      throw signal.aborted ? error : new Exit(1, `Unable to connect to the server: ${asError(error).message}`);
    }
  };
  const send = async (path: string, ask: Ask = {}): Promise<Response> => {
    const { method = "GET", accept = "application/json", body, text } = ask;
    const contentType = ask.contentType ?? (body === undefined ? undefined : "application/json");
    const answer = await reach(path + queryOf(ask.query), {
      method,
      signal,
      headers: { ...headers, accept, ...(contentType ? { "content-type": contentType } : {}) },
      ...(text !== undefined ? { body: text } : body !== undefined ? { body: JSON.stringify(body) } : {}),
    });
    for (const warning of warningsOf(answer.headers.get("warning") ?? "")) {
      if (!warned.has(warning)) warn(warning);
      warned.add(warning);
    }
    if (!answer.ok) throw new StatusError(await statusOf(answer, method));
    return answer;
  };
  const client: Client = {
    // The server answers with what was asked for.
    json: async (path, ask) => (await (await send(path, ask)).json()) as JsonObject,
    text: async (path, ask) => (await send(path, ask)).text(),
    async *lines(path, ask) {
      const answer = await send(path, ask);
      if (answer.body) yield* linesOf(answer.body, signal);
    },
    async *watch(path, ask) {
      const query = { ...ask?.query, watch: "true" };
      for await (const line of client.lines(path, { ...ask, query })) {
        if (line) yield JSON.parse(line) as WatchEvent;
      }
    },
  };
  return client;
}

export function queryOf(query: Ask["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
  return given.length ? `?${new URLSearchParams(given).toString()}` : "";
}

async function statusOf(answer: Response, method: string): Promise<Status> {
  const text = await answer.text();
  try {
    const status = JSON.parse(text) as Status & { kind?: string };
    if (status.kind === "Status") return status;
  } catch {
    // No JSON: told below.
  }
  return {
    code: answer.status,
    reason: reasons[answer.status] ?? "",
    message: text.trim() || `the server rejected our request (${method.toLowerCase()})`,
  };
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Gone",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The texts of a header: `299 - "text", 299 - "text"`. */
function warningsOf(header: string): string[] {
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1"));
}
