// Sends requests to the API server and turns its refusals into errors.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { asError, Exit, type Status, StatusError } from "../errors.ts";
import { linesOf } from "./lines.ts";

export interface Ask {
  readonly method?: string;
  /** The query parameters. Undefined and empty values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** A body that is sent unchanged. */
  readonly text?: string;
  readonly contentType?: string;
  readonly accept?: string;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

export interface Client {
  /** Returns the object in the response. Throws a StatusError. */
  json(path: string, ask?: Ask): Promise<JsonObject>;
  text(path: string, ask?: Ask): Promise<string>;
  /** Yields the lines of a text response as they arrive, without newlines. Ends without an error when the signal aborts. */
  lines(path: string, ask?: Ask): AsyncGenerator<string>;
  watch(path: string, ask?: Ask): AsyncGenerator<WatchEvent>;
}

export interface ClientOptions {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Receives each warning once. */
  warn(text: string): void;
}

export function newClient({ fetch, headers, signal, warn }: ClientOptions): Client {
  const warned = new Set<string>();
  const reach = async (path: string, init: RequestInit) => {
    try {
      return await fetch(path, init);
    } catch (error) {
      // A browser does not report why a connection failed.
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
    // The server returns the type that the Accept header asks for.
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
  const parameters = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value ? [[name, value]] : [],
  );
  return parameters.length ? `?${new URLSearchParams(parameters).toString()}` : "";
}

async function statusOf(answer: Response, method: string): Promise<Status> {
  const text = await answer.text();
  try {
    const status = JSON.parse(text) as Status & { kind?: string };
    if (status.kind === "Status") return status;
  } catch {
    // The body is not JSON; the caller reports the status code.
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

/** Returns the texts of a Warning header: `299 - "text", 299 - "text"`. */
function warningsOf(header: string): string[] {
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text.replaceAll(/\\(.)/g, "$1"));
}
