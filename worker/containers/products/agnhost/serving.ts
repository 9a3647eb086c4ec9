// Functions that agnhost's servers share: start, SIGTERM, and forms of requests.
import { finished, type Task } from "../../../../shared/shell/task.ts";
import { type Listening, listenAs } from "../../shell/listen.ts";
import { sleep } from "../../shell/system-call.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Page, Server, Visit } from "../../shell/server.ts";

export const plain = "text/plain; charset=utf-8";

/** Listens until the program is ended. Returns the exit code. */
export function* listen(
  call: ProgramCall,
  answer: Server["answer"],
  ports: readonly Listening[],
  more: Partial<Server> = {},
): Task<number> {
  return yield* listenAs(call, { ...more, answer, needsNetwork: true }, ports);
}

/** Returns a server that speaks only TLS, as the API server calls its webhooks. */
export function overTls(answer: Server["answer"]): Server["answer"] {
  return (visit) => ({ ...answer(visit), isTls: true });
}

/** Listens like `listen`, for a server that handles SIGTERM: `term` returns the exit code. */
export function* listenTo(
  call: ProgramCall,
  begin: () => Task<number>,
  term: () => number | Task<number>,
): Task<number> {
  const { process, shell } = call;
  if (!shell.takesProcess) return yield* begin();
  process.trapped = true;
  const ended = yield* begin();
  process.heedsTerm = false;
  const isAsked = !process.paused && process.clockMs >= process.termMs;
  if (!isAsked) return ended;
  process.termSeen = true;
  const code = yield* finished(term());
  // The runtime reports the end a moment later.
  yield* sleep(process, noticeMs);
  return code;
}

const noticeMs = 600;

export function textPage(body: string, status = 200, more: Partial<Page> = {}): Page {
  return { contentType: plain, body, status, ...more };
}

/** Returns an error page as Go's `http.Error` does. */
export function fails(message: string, status: number, more: Partial<Page> = {}): Page {
  return textPage(`${message}\n`, status, { headers: [["X-Content-Type-Options", "nosniff"]], ...more });
}

/** Returns a redirect as Go's `http.Redirect` does: a relative location is resolved against the request's path. */
export function redirects({ path, method }: Visit, location: string, status: number): Page {
  const isWhole = /^[a-z][a-z0-9+.-]*:/i.test(location) || location.startsWith("/");
  const [bare = ""] = path.split("?");
  const folder = bare.slice(0, bare.lastIndexOf("/") + 1);
  const to = isWhole ? location : folder + location;
  const body = method === "GET" ? `<a href="${escapeHtml(to)}">${reasons[status] ?? "Found"}</a>.\n\n` : "";
  return { contentType: "text/html; charset=utf-8", body, status, headers: [["Location", to]] };
}

const reasons: Readonly<Record<number, string>> = {
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
};

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&#34;")
    .replaceAll("'", "&#39;");
}

/** Returns the fields of a posted form, followed by those of the query. */
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
  return headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1] ?? "";
}
