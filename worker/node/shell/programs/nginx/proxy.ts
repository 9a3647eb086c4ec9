// What nginx answers with the words of another server: it asks on its visitor's behalf, and says so where nobody answers.
import { stableHash } from "../../../../../shared/base/stable.ts";
import { targetOf } from "../../agnhost/dial.ts";
import type { Files } from "../../files.ts";
import type { Page, Visit } from "../page.ts";
import { type Directive, directivesNamed } from "./config.ts";
import { configOf, type Place, targetParts } from "./nginx.ts";

/** With a status of its own: 502 where it cannot be reached, 504 where nothing comes back. */
export function proxied(visit: Visit, place: Place, failure: (status: number) => Page): Page {
  const { proxy } = place;
  const target = proxy && chosen(visit, proxy.target);
  const reached =
    proxy &&
    target &&
    visit.reach?.({
      ...target,
      atMs: visit.nowMs,
      request: { method: visit.method, path: proxy.path, headers: headersOf(visit, proxy), body: visit.body },
    });
  if (!reached?.answer) {
    const status = reached?.kind === "dropped" ? 504 : 502;
    return { ...failure(status), status };
  }
  const { status, contentType, body, headers = [] } = reached.answer;
  return { status, contentType, body, headers: [...headers, ...(place.headers ?? [])], tookMs: reached.tookMs ?? 0 };
}

/** One of an upstream's servers, or the host itself. */
function chosen(visit: Visit, text: string) {
  const parts = targetParts(filled(visit, text));
  if (!parts) return undefined;
  const servers = serversOf(visit.files, parts.host);
  const one = servers[stableHash(`${visit.address}/${visit.nowMs}`) % Math.max(1, servers.length)];
  const [, host = "", port = "80"] = /^(.*?)(?::(\d+))?$/.exec(one ?? "") ?? [];
  return one === undefined ? targetOf(visit, parts.host, String(parts.port)) : targetOf(visit, host, port);
}

function serversOf(files: Files, name: string): string[] {
  const upstreams = configOf(files).flatMap(([, directives]) => directivesNamed(directives, "upstream"));
  const found = upstreams.find(({ args }) => args[0] === name);
  return directivesNamed(found?.body ?? [], "server").flatMap(({ args }: Directive) =>
    args.includes("down") || args.includes("backup") ? [] : args.slice(0, 1),
  );
}

function headersOf(visit: Visit, { target, set }: NonNullable<Place["proxy"]>): (readonly [string, string])[] {
  const given = set.map(([name, value]) => [name, filled(visit, value)] as const);
  const names = new Set(["host", "connection", ...given.map(([name]) => name.toLowerCase())]);
  const own =
    names.has("host") && given.some(([name]) => name.toLowerCase() === "host")
      ? []
      : [["Host", targetParts(filled(visit, target))?.name ?? ""] as const];
  return [
    ...own,
    ["Connection", "close"],
    ...visit.headers.filter(([name]) => !names.has(name.toLowerCase())),
    ...given.filter(([, value]) => value !== ""),
  ];
}

/** `$host`, `$remote_addr` and their kin; of others nothing is left. */
export function filled(
  {
    headers,
    path,
    from = "10.128.0.1",
    port = 80,
    method,
    host,
  }: Pick<Visit, "headers" | "path" | "from" | "port" | "method" | "host">,
  text: string,
): string {
  if (!text.includes("$")) return text;
  const header = (name: string) => headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? "";
  const [bare = "", query = ""] = path.split(/\?(.*)/s);
  const forwarded = header("x-forwarded-for");
  const values: Readonly<Record<string, string>> = {
    host: header("host").replace(/:\d+$/, ""),
    http_host: header("host"),
    remote_addr: from,
    proxy_add_x_forwarded_for: forwarded === "" ? from : `${forwarded}, ${from}`,
    scheme: "http",
    request_uri: path,
    uri: bare,
    document_uri: bare,
    args: query,
    query_string: query,
    is_args: query === "" ? "" : "?",
    request_method: method,
    server_port: String(port),
    hostname: host,
    server_protocol: "HTTP/1.1",
  };
  return text.replace(/\$\{?(\w+)\}?/g, (_, name: string) =>
    name.startsWith("http_") ? (values[name] ?? header(name.slice(5).replaceAll("_", "-"))) : (values[name] ?? ""),
  );
}
