// The kinds of requests of the client. Answers have the types of the service's contract.
import type { Ask, ClientRequest } from "./ask.ts";

export interface Requests {
  readonly get: <A>(path: string, query?: ClientRequest["query"]) => Promise<A>;
  readonly post: <A>(path: string, body?: unknown) => Promise<A>;
  /** Sends a POST without a body. */
  readonly begin: <A>(path: string) => Promise<A>;
  readonly patch: <A>(path: string, body: unknown) => Promise<A>;
  readonly put: <A>(path: string, body: unknown) => Promise<A>;
  /** A DELETE that answers what is left. */
  readonly end: <A>(path: string, query: ClientRequest["query"]) => Promise<A>;
  readonly remove: (path: string) => Promise<void>;
}

export function requestsOf(ask: Ask): Requests {
  const json = async <A>(path: string, question: ClientRequest) => (await ask(path, question)).json() as Promise<A>;
  return {
    get: (path, query = {}) => json(path, { query }),
    post: (path, body = {}) => json(path, { method: "POST", body }),
    begin: (path) => json(path, { method: "POST" }),
    patch: (path, body) => json(path, { method: "PATCH", body }),
    put: (path, body) => json(path, { method: "PUT", body }),
    end: (path, query) => json(path, { method: "DELETE", query }),
    remove: async (path) => void (await ask(path, { method: "DELETE" })),
  };
}

/** Appends encoded segments to a path. */
export function below(path: string, ...segments: string[]): string {
  return [path, ...segments.map(encodeURIComponent)].join("/");
}

/** Returns a path of a sandbox. */
export function at(id: string, ...more: string[]): string {
  return below("/v1/sandboxes", id, ...more);
}

/** Returns a path of a lesson. */
export function ofLesson(name: string, ...more: string[]): string {
  return below("/v1/lessons", name, ...more);
}

/** Returns the environment variables; none in browsers and Workers. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return typeof process === "undefined" ? {} : process.env;
}
