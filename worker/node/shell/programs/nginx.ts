// What nginx makes of its configuration, as far as lessons go: ports, roots, and locations that return a text.
import type { Files } from "../files.ts";
import { isFolder } from "../files.ts";

export interface Place {
  /** The file that is given; absent where an answer is written in the configuration itself. */
  readonly file?: string;
  readonly status: number;
  readonly text?: string;
  readonly location?: string;
}

const defaultRoot = "/usr/share/nginx/html";

export function nginxPorts(files: Files): number[] {
  return blocks(configOf(files), "server").flatMap(({ body }) => portsOf(body));
}

/** Which answer a path gets at a port. */
export function placeOf(files: Files, port: number, asked: string): Place {
  const path = asked.replace(/[?#].*$/, "");
  const servers = blocks(configOf(files), "server").map(({ body }) => body);
  const server = servers.find((one) => portsOf(one).includes(port)) ?? servers[0] ?? "";
  const location = locationOf(server, path);
  const outer = outside(server);
  const own = location?.body ?? outer;
  const returned = directive(own, "return") ?? directive(outer, "return");
  if (returned !== undefined) return returning(returned);
  if (directive(own, "proxy_pass") !== undefined) return { status: 502 };
  if (directive(own, "stub_status") !== undefined || /\bstub_status\b/.test(own)) return { status: 200, text: stub };
  const alias = directive(own, "alias");
  const root = directive(own, "root") ?? directive(outer, "root") ?? defaultRoot;
  const bare = alias === undefined ? root.replace(/\/$/, "") + path : alias + path.slice(location?.name.length ?? 0);
  const index = (directive(own, "index") ?? directive(outer, "index") ?? "index.html").split(/\s+/);
  const wanted = bare.endsWith("/") ? index.map((one) => bare + one) : [bare];
  const file = wanted.find((one) => files.get(one)?.text !== undefined);
  if (file !== undefined) return { file, status: 200 };
  if (bare.endsWith("/")) return { status: isFolder(files, bare.replace(/\/+$/, "")) ? 403 : 404 };
  return isFolder(files, bare) ? { status: 301, location: `${path}/` } : { status: 404 };
}

const stub = "Active connections: 1 \nserver accepts handled requests\n 1 1 1 \nReading: 0 Writing: 1 Waiting: 0 \n";

/** `200 "text"`, `301 https://...`, `404`. */
function returning(text: string): Place {
  const [, code, rest = ""] = /^(\d{3})?\s*(.*)$/s.exec(text) ?? [];
  const said = rest.replace(/^(["'])(.*)\1$/s, "$2").replaceAll("\\n", "\n");
  const status = Number(code ?? 302);
  return status >= 300 && status < 400
    ? { status, location: said }
    : { status, ...(said === "" ? {} : { text: said }) };
}

/** Files in `conf.d` count where the main one includes them. */
function configOf(files: Files): string {
  const main = files.get("/etc/nginx/nginx.conf")?.text;
  const includes =
    main === undefined ? ["/etc/nginx/"] : [...main.matchAll(/include\s+([^;]+)\*/g)].map(([, from = ""]) => from);
  const listed = includes.flatMap((from) => {
    const folder = from.startsWith("/") ? from : `/etc/nginx/${from}`;
    const within = folder.slice(0, folder.lastIndexOf("/"));
    return files
      .below(within)
      .flatMap(([path, { text }]) => (path.startsWith(folder) && text !== undefined ? [text] : []));
  });
  return [main ?? "", ...listed].join("\n").replace(/#.*$/gm, "");
}

function portsOf(server: string): number[] {
  return [...server.matchAll(/\blisten\s+(?:[\d.*[\]:]+:)?(\d+)/g)].map(([, port]) => Number(port));
}

function directive(text: string, name: string): string | undefined {
  return new RegExp(`(?:^|[;{}\\s])${name}\\s+((?:"[^"]*"|'[^']*'|[^;])*);`).exec(text)?.[1]?.trim();
}

/** Exact ones first, then the longest beginning; expressions are tried between them. */
function locationOf(server: string, path: string): { readonly name: string; readonly body: string } | undefined {
  const all = blocks(server, "location").map(({ head, body }) => {
    const [, sign = "", name = ""] = /^(=|~\*?|\^~)?\s*(\S+)/.exec(head) ?? [];
    return { sign, name, body };
  });
  const matches = (text: string, flags: string) => {
    try {
      return new RegExp(text, flags).test(path);
    } catch {
      return false;
    }
  };
  const longest = all
    .filter(({ sign, name }) => (sign === "" || sign === "^~") && path.startsWith(name))
    .sort((a, b) => b.name.length - a.name.length)[0];
  return (
    all.find(({ sign, name }) => sign === "=" && name === path) ??
    all.find(({ sign, name }) => sign.startsWith("~") && matches(name, sign === "~*" ? "i" : "")) ??
    longest
  );
}

/** `name head { body }`, with all that is inside. */
function blocks(text: string, name: string): { readonly head: string; readonly body: string }[] {
  const found: { head: string; body: string }[] = [];
  for (const { 0: whole, 1: head = "", index } of text.matchAll(
    new RegExp(`(?<=^|[\\s;{}])${name}\\b([^{};]*)\\{`, "g"),
  )) {
    const start = index + whole.length;
    let depth = 1;
    let end = start;
    while (end < text.length && depth > 0) {
      if (text[end] === "{") depth++;
      if (text[end] === "}") depth--;
      end++;
    }
    found.push({ head: head.trim(), body: text.slice(start, end - 1) });
  }
  return found;
}

/** A block without those in it. */
function outside(text: string): string {
  return text.replace(/[^;{}]*\{[^{}]*\}/g, "");
}
