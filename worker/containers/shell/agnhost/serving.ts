// What agnhost's servers have in common: how they begin, how they hear SIGTERM, and forms that visitors send.
import { finished, type Task } from "../../../../shared/shell/task.ts";
import { serve } from "../from-outside.ts";
import { portKey, type Protocol } from "../process.ts";
import { sleep } from "../system-call.ts";
import type { ProgramCall } from "../program.ts";
import { type Page, serverParts, serverWith, type Visit } from "../programs/page.ts";

export const plain = "text/plain; charset=utf-8";

export interface Listening {
  readonly port: number;
  readonly protocol?: Protocol;
}

/** Listens until it is ended; `words`: what its answers depend on. Returns the exit code. */
export function* listen(
  call: ProgramCall,
  name: string,
  ports: readonly Listening[],
  words: readonly string[] = [],
): Task<number> {
  const { process, shell } = call;
  for (const { port, protocol } of ports) {
    if (port >= 0 && port <= 65_535) process.ports.set(portKey(port, protocol), process.clockMs);
  }
  process.server ??= serverWith(name, words);
  process.heedsTerm = shell.own;
  return yield* serve(process);
}

/** The same for a server that does something when it is asked to end: `term` returns the exit code. */
export function* listenTo(
  call: ProgramCall,
  begin: () => Task<number>,
  term: () => number | Task<number>,
): Task<number> {
  const { process, shell } = call;
  if (!shell.own) return yield* begin();
  process.trapped = true;
  const ended = yield* begin();
  process.heedsTerm = false;
  const isAsked = !process.paused && process.clockMs >= process.termMs;
  if (!isAsked) return ended;
  process.termSeen = true;
  const code = yield* finished(term());
  // The runtime tells of its end a moment later.
  yield* sleep(process, noticeMs);
  return code;
}

const noticeMs = 600;

export function says(body: string, status = 200, more: Partial<Page> = {}): Page {
  return { contentType: plain, body, status, ...more };
}

/** As Go's `http.Error` writes it. */
export function fails(message: string, status: number, more: Partial<Page> = {}): Page {
  return says(`${message}\n`, status, { headers: [["X-Content-Type-Options", "nosniff"]], ...more });
}

/** As Go's `http.Redirect` does: a relative address is one beside the path that was asked for. */
export function redirects({ path, method }: Visit, location: string, status: number): Page {
  const isWhole = /^[a-z][a-z0-9+.-]*:/i.test(location) || location.startsWith("/");
  const [bare = ""] = path.split("?");
  const folder = bare.slice(0, bare.lastIndexOf("/") + 1);
  const to = isWhole ? location : folder + location;
  const body = method === "GET" ? `<a href="${escaped(to)}">${reasons[status] ?? "Found"}</a>.\n\n` : "";
  return { contentType: "text/html; charset=utf-8", body, status, headers: [["Location", to]] };
}

const reasons: Readonly<Record<number, string>> = {
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
};

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&#34;")
    .replaceAll("'", "&#39;");
}

/** Of the query, and of a form that was sent, which comes first. */
export function formOf({ path, headers, body }: Visit): URLSearchParams {
  const type = headerOf({ headers }, "content-type");
  const sent = /^application\/x-www-form-urlencoded/i.test(type) ? body : "";
  return new URLSearchParams([sent, queryOf({ path })].filter(Boolean).join("&"));
}

export function queryOf({ path }: Pick<Visit, "path">): string {
  const at = path.indexOf("?");
  return at < 0 ? "" : path.slice(at + 1);
}

export function headerOf({ headers }: Pick<Visit, "headers">, name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? "";
}

/** What a server of HTTP says to what is none. */
export const badRequest =
  "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request";

/** A server that takes any text for a question, over TCP too. */
export function isRaw(server: string): boolean {
  const { name, words } = serverParts(server);
  return name.startsWith("says/") || (name === "agnhost/serve-hostname" && words[0] === "raw");
}
