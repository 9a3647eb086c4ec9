// nginx's variables: those of a request, those that the configuration defines, and their expansion in texts.
import { stableHex } from "../../../../shared/base/stable.ts";
import { compilePattern, compileUnits, isPattern, type Pattern, type Spend } from "../../../../shared/base/pattern.ts";
import type { Visit } from "../../shell/server.ts";
import type { Directive } from "./parse-config.ts";
import { localTime } from "../../shell/log-lines.ts";
import { versionOf } from "./version.ts";

/** The state of a request while it is processed. */
export interface Asking {
  readonly visit: Visit;
  readonly http: readonly Directive[];
  readonly server: Directive | undefined;
  readonly isTls: boolean;
  readonly spend: Spend;
  uri: string;
  args: string;
  /** Variables that `set` and the named groups of expressions have defined. */
  readonly definedValues: Map<string, string>;
  /** The groups of the last expression that matched. */
  captures: readonly (string | undefined)[];
  /** Facts of the answer, once there is one. */
  status: number;
  bytes: number;
  upstream: { readonly address: string; readonly status: string } | undefined;
  user: string;
  root: string;
  mapDepth: number;
  /** The time for which the request was delayed. */
  waitedMs: number;
}

export function headerOf({ headers }: Pick<Visit, "headers">, name: string): string | undefined {
  return headers.find(([headerName]) => headerName.toLowerCase() === name)?.[1];
}

const variable = /\$(?:\{(\w+)\}|(\w+))/g;

/** Expands the variables in a text. */
export function fillVariables(asking: Asking, text: string): string {
  if (!text.includes("$")) return text;
  return text.replace(variable, (_, braced?: string, bare?: string) => valueOf(asking, braced ?? bare ?? ""));
}

/** Returns the names of the variables in a text. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(variable)].map(([, braced, bare]) => braced ?? bare ?? "");
}

/** Variables that depend on the time. The rest of a log line is computed once. */
export const timeValues: Readonly<Record<string, (ms: number) => string>> = {
  time_local: localTime,
  time_iso8601: (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, "+00:00"),
  msec: (ms) => (ms / 1000).toFixed(3),
};

const requestVariables: Readonly<Record<string, (asking: Asking) => string>> = {
  host: ({ visit, server }) => (headerOf(visit, "host") ?? nameOf(server)).replace(/:\d+$/, "").toLowerCase(),
  remote_addr: ({ visit }) => visit.from ?? proxyAddress,
  binary_remote_addr: ({ visit }) => visit.from ?? proxyAddress,
  realip_remote_addr: ({ visit }) => visit.from ?? proxyAddress,
  remote_port: () => "43210",
  remote_user: ({ user }) => user,
  proxy_add_x_forwarded_for: ({ visit }) =>
    [headerOf(visit, "x-forwarded-for"), visit.from ?? proxyAddress].filter((value) => value !== undefined).join(", "),
  scheme: ({ isTls }) => (isTls ? "https" : "http"),
  https: ({ isTls }) => (isTls ? "on" : ""),
  request_uri: ({ visit }) => visit.path,
  uri: ({ uri }) => uri,
  document_uri: ({ uri }) => uri,
  args: ({ args }) => args,
  query_string: ({ args }) => args,
  is_args: ({ args }) => (args === "" ? "" : "?"),
  request: ({ visit }) => `${visit.method} ${visit.path} HTTP/1.1`,
  request_method: ({ visit }) => visit.method,
  request_body: ({ visit }) => visit.body,
  request_length: ({ visit }) => String(visit.path.length + 80),
  request_time: () => "0.000",
  request_id: ({ visit }) => stableHex(`${visit.nowMs}/${visit.from ?? ""}/${visit.path}`, 32),
  request_filename: ({ root, uri }) => root + uri,
  document_root: ({ root }) => root,
  realpath_root: ({ root }) => root,
  server_protocol: () => "HTTP/1.1",
  server_port: ({ visit }) => String(visit.port ?? 80),
  server_addr: ({ visit }) => visit.address,
  server_name: ({ server }) => nameOf(server),
  hostname: ({ visit }) => visit.host,
  nginx_version: ({ visit }) => versionOf(visit.image),
  status: ({ status }) => String(status),
  body_bytes_sent: ({ bytes }) => String(bytes),
  bytes_sent: ({ bytes }) => String(bytes + 238),
  content_type: ({ visit }) => headerOf(visit, "content-type") ?? "",
  content_length: ({ visit }) =>
    headerOf(visit, "content-length") ?? (visit.body === "" ? "" : String(visit.body.length)),
  upstream_addr: ({ upstream }) => upstream?.address ?? "",
  upstream_status: ({ upstream }) => upstream?.status ?? "",
  upstream_response_time: ({ upstream }) => (upstream ? "0.001" : ""),
  upstream_connect_time: ({ upstream }) => (upstream ? "0.000" : ""),
  upstream_header_time: ({ upstream }) => (upstream ? "0.001" : ""),
  upstream_cache_status: () => "",
  connection: () => "1",
  connection_requests: () => "1",
  connections_active: () => "1",
  pipe: () => ".",
  pid: () => "29",
  gzip_ratio: () => "",
  ssl_protocol: ({ isTls }) => (isTls ? "TLSv1.3" : ""),
  ssl_cipher: ({ isTls }) => (isTls ? "TLS_AES_256_GCM_SHA384" : ""),
  ssl_server_name: ({ visit }) => visit.serverName ?? "",
  ssl_client_verify: () => "NONE",
  proxy_host: () => "",
  proxy_port: () => "",
  invalid_referer: () => "",
  limit_rate: () => "0",
  geoip_country_code: () => "",
};

/** Prefixes of variables whose rest is arbitrary. */
const prefixes = /^(http|sent_http|upstream_http|arg|cookie|ssl|geoip|jwt)_/;

/** Reports whether a variable exists in a configuration that defines the names `defined`. */
export function isVariable(name: string, defined: ReadonlySet<string>): boolean {
  return (
    Object.hasOwn(requestVariables, name) ||
    Object.hasOwn(timeValues, name) ||
    prefixes.test(name) ||
    /^\d$/.test(name) ||
    defined.has(name)
  );
}

/** Returns the names that directives define: `set`, `map`, `geo`, `split_clients`, and named groups of expressions. */
export function namesMade(all: readonly Directive[], names = new Set<string>()): Set<string> {
  for (const { name, args, body } of all) {
    if (name === "set" || name === "auth_request_set" || name === "js_set") names.add((args[0] ?? "").slice(1));
    if (/^(map|geo|split_clients|perl_set)$/.test(name)) names.add((args.at(-1) ?? "").slice(1));
    for (const arg of args) for (const [, group = ""] of arg.matchAll(/\(\?P?<(\w+)>/g)) names.add(group);
    if (body) namesMade(body, names);
  }
  return names;
}

export function valueOf(asking: Asking, name: string): string {
  if (/^\d$/.test(name)) return asking.captures[Number(name)] ?? "";
  const definedValue = asking.definedValues.get(name);
  if (definedValue !== undefined) return definedValue;
  const requestVariable = Object.hasOwn(requestVariables, name) ? requestVariables[name] : undefined;
  if (requestVariable) return requestVariable(asking);
  const timed = Object.hasOwn(timeValues, name) ? timeValues[name] : undefined;
  if (timed) return timed(asking.visit.nowMs);
  const { visit } = asking;
  if (name.startsWith("http_")) return headerOf(visit, name.slice(5).replaceAll("_", "-")) ?? "";
  if (name.startsWith("arg_")) return valueInPairs(asking.args.split("&"), name.slice(4));
  if (name.startsWith("cookie_")) return valueInPairs((headerOf(visit, "cookie") ?? "").split(/;\s*/), name.slice(7));
  return mapped(asking, name);
}

function valueInPairs(pairs: readonly string[], name: string): string {
  const pair = pairs.find((candidate) => candidate.startsWith(`${name}=`));
  return pair === undefined ? "" : pair.slice(name.length + 1);
}

/** The maximum depth of maps that refer to each other. */
const deepest = 5;

/** Evaluates `map $a $b { default x; value y; ~expression z; }`: exact values before expressions, then the default. */
function mapped(asking: Asking, name: string): string {
  const map = asking.http.find(
    (candidate) => candidate.name === "map" && candidate.body && candidate.args[1] === `$${name}`,
  );
  if (!map || asking.mapDepth >= deepest) return "";
  asking.mapDepth++;
  try {
    const source = fillVariables(asking, map.args[0] ?? "");
    const rows = (map.body ?? []).map((row) => ({ key: row.name, value: row.args[0] ?? "" }));
    const exact = rows.find(({ key }) => unescapeKey(key).toLowerCase() === source.toLowerCase() && key !== "default");
    const matched = exact ?? rows.find(({ key }) => key.startsWith("~") && matches(asking, key, source));
    const chosen = matched ?? rows.find(({ key }) => key === "default");
    return fillVariables(asking, chosen?.value ?? "");
  } finally {
    asking.mapDepth--;
  }
}

function unescapeKey(key: string): string {
  return key.startsWith("\\") ? key.slice(1) : key;
}

/** Matches `~expression` and `~*expression`, and stores the captured groups. */
function matches(asking: Asking, key: string, text: string): boolean {
  const ignoresCase = key.startsWith("~*");
  return matchedBy(asking, key.slice(ignoresCase ? 2 : 1), text, ignoresCase);
}

/** Reports whether an expression matches, and stores `$1` and the named groups. */
export function matchedBy(asking: Asking, source: string, text: string, ignoresCase = false): boolean {
  const { spend } = asking;
  const pattern: Pattern | { readonly error: string } = spend(compileUnits(source))
    ? compilePattern(source, { ignoresCase })
    : { error: "" };
  const match = isPattern(pattern) ? pattern.find(text, 0, spend) : undefined;
  if (!match) return false;
  asking.captures = match.groups;
  const groups = [...source.matchAll(/\((?:\?P?<([a-zA-Z]\w*)>|(?!\?))/g)].map(([, group]) => group);
  for (const [at, group] of groups.entries()) if (group) asking.definedValues.set(group, match.groups[at + 1] ?? "");
  return true;
}

const proxyAddress = "10.128.0.1";

/** Returns the first name of a server; "" if it has none. */
function nameOf(server: Directive | undefined): string {
  const name = server?.body?.find((candidate) => candidate.name === "server_name")?.args[0] ?? "";
  return name === "_" ? "_" : name;
}
