// The head of an HTTP/1 request as Go's net/http parses it, which real API servers use. For several heads that Go accepts or refuses,
// workerd answers 500 and prints a stack trace. Heads that Go accepts and workerd does not are rewritten here. Heads that Go refuses are
// refused with Go's messages.
import { isIP } from "node:net";
import { looksLikeSandboxId } from "../../worker/edge/sandbox-id.ts";
import { sandboxOfToken } from "../../worker/edge/tokens.ts";

/** The limit of a head. workerd accepts 128 KiB, and the front adds a header. */
export const headBytes = 120 * 1024;

export interface HeadRefusal {
  readonly code: 200 | 400 | 404 | 405 | 431 | 501 | 503 | 504 | 505;
  readonly message: string;
}

/** How the body after a head is delimited. */
export type Framing =
  | { readonly kind: "length"; readonly bytes: bigint }
  | { readonly kind: "chunked" }
  /** The connection switches to another protocol. */
  | { readonly kind: "upgrade" };

export interface Head {
  readonly method: string;
  /** The request line and the headers, with the empty line. */
  readonly text: string;
  readonly framing: Framing;
  /** The path without its query. */
  readonly path: string;
  /** The id of the sandbox that the request addresses, not verified; undefined if it addresses the service. */
  readonly sandbox: string | undefined;
}

export class MalformedRequest extends Error {
  override name = "MalformedHead";
  readonly refusal: HeadRefusal;
  readonly path: string;

  constructor(code: HeadRefusal["code"], message: string, path = "") {
    super(message);
    this.refusal = { code, message };
    this.path = path;
  }
}

type Header = readonly [name: string, value: string];

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Control characters except tabs, which are allowed in values.
const control = /[\0-\x08\n-\x1f\x7f]/;
const longestLength = 2n ** 63n - 1n;
/** Known methods. workerd answers others in plain text. */
const methods = new Set(
  `GET HEAD POST PUT PATCH DELETE OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK ACL REPORT MKACTIVITY CHECKOUT
  MERGE MSEARCH NOTIFY PURGE SUBSCRIBE UNSUBSCRIBE`.split(/\s+/),
);

/** Parses a head, as Latin-1 with its empty line. `added` is appended to the headers. Throws `MalformedHead`. */
export function readHead(text: string, added: readonly Header[] = []): Head {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  const { method, target, version } = readRequestLine(lines[0] ?? "");
  const { path } = target;
  try {
    const headers = lines.slice(1, -2).map(readHeader);
    const framing = framingOf(headers);
    const host = target.host || hostOf(headers, version);
    if (target.host !== undefined) requireHost(target.host);
    const isChunked = framing.kind === "chunked";
    const keptHeaders = headers.filter(([name]) => !is(name, "host") && !is(name, "content-length"));
    const length: Header[] = isChunked ? [] : headers.filter(([name]) => is(name, "content-length")).slice(0, 1);
    const all: Header[] = [["Host", host], ...keptHeaders, ...length, ...added];
    const head = [`${method} ${target.text} HTTP/1.${version}`, ...all.map(([name, value]) => `${name}: ${value}`)];
    const sandbox = sandboxOf(path, host, headers);
    return { text: `${head.join("\r\n")}\r\n\r\n`, framing, path, method, sandbox };
  } catch (error) {
    if (!(error instanceof MalformedRequest)) throw error;
    const { code, message } = error.refusal;
    throw new MalformedRequest(code, message, path);
  }
}

/** Returns the sandbox in the path, the host or the token: a cheaper `sandboxAddress` of `worker/edge/address.ts`, which decides. */
function sandboxOf(path: string, host: string, headers: readonly Header[]): string | undefined {
  if (path.startsWith("/c/")) return path.split("/", 3)[2];
  const label = host.split(".", 1)[0] ?? "";
  if (looksLikeSandboxId(label)) return label;
  const authorization = headers.find(([name]) => is(name, "authorization"))?.[1] ?? "";
  const [scheme = "", token = ""] = authorization.split(" ", 2);
  return scheme.toLowerCase() === "bearer" ? sandboxOfToken(token) : undefined;
}

function readRequestLine(line: string) {
  const [method = "", text = "", protocol = "", ...more] = line.split(" ");
  if (protocol === "" || more.length > 0) throw new MalformedRequest(400, `malformed HTTP request ${quoted(line)}`);
  if (!token.test(method)) throw new MalformedRequest(400, `invalid method ${quoted(method)}`);
  const version = /^HTTP\/(\d)\.(\d)$/.exec(protocol);
  if (!version) throw new MalformedRequest(400, `malformed HTTP version ${quoted(protocol)}`);
  if (version[1] !== "1") throw new MalformedRequest(505, "unsupported protocol version");
  if (method === "OPTIONS" && text === "*") throw new MalformedRequest(200, "");
  const target = method === "CONNECT" ? { text, path: text } : readTarget(text);
  if (!methods.has(method))
    throw new MalformedRequest(405, "the server does not allow this method on the requested resource", target.path);
  return { method, target: { host: undefined, ...target }, version: version[2] === "0" ? 0 : 1 };
}

/** Returns a target in origin form. For one in absolute form, `host` is its authority, which takes precedence over the header `Host`. */
function readTarget(text: string): { readonly text: string; readonly path: string; readonly host?: string } {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)([/?].*)?$/i.exec(text);
  const rest = absolute ? (absolute[2] ?? "") : text;
  const origin = absolute && !rest.startsWith("/") ? `/${rest}` : rest;
  const path = origin.split("?", 1)[0] ?? "";
  if (control.test(text)) throw new MalformedRequest(400, "net/url: invalid control character in URL", path);
  if (!origin.startsWith("/")) throw new MalformedRequest(400, `parse ${quoted(text)}: invalid URI for request`, path);
  const escape = /%(?![0-9a-f]{2}).{0,2}/i.exec(path)?.[0];
  if (escape !== undefined)
    throw new MalformedRequest(400, `parse ${quoted(text)}: invalid URL escape ${quoted(escape)}`, path);
  // workerd would resolve such a path against an origin and read its beginning as a host.
  if (/^\/[/\\]/.test(path)) throw new MalformedRequest(404, "the server could not find the requested resource", path);
  const host = absolute?.[1]?.replace(/^.*@/, "");
  return { text: origin, path, ...(host === undefined ? {} : { host }) };
}

function readHeader(line: string): Header {
  const [, name = "", value = ""] = /^([^:]*):(.*)$/s.exec(line) ?? [];
  if (!token.test(name)) throw new MalformedRequest(400, `malformed MIME header line: ${quoted(line)}`);
  if (control.test(value)) throw new MalformedRequest(400, "invalid header value");
  // Trims by hand: a pattern would try every run of spaces, and `trimEnd` treats bytes of UTF-8 as spaces.
  let start = 0;
  let end = value.length;
  while (start < end && " \t".includes(value[start] ?? "")) start++;
  while (end > start && " \t".includes(value[end - 1] ?? "")) end--;
  return [name, value.slice(start, end)];
}

function hostOf(headers: readonly Header[], version: number): string {
  const hosts = headers.filter(([name]) => is(name, "host"));
  const host = hosts[0]?.[1] ?? "";
  if (hosts.length > 1) throw new MalformedRequest(400, "too many Host headers");
  if (host !== "") return requireHost(host);
  if (version > 0) throw new MalformedRequest(400, "missing required Host header");
  // HTTP/1.0 does not require a host, but workerd does.
  return "localhost";
}

function requireHost(host: string): string {
  const [, name = "", port = "80"] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]*)(?::(\d{1,5}))?$/i.exec(host) ?? [];
  const isName = name.startsWith("[") ? isIP(name.slice(1, -1)) === 6 : URL.canParse(`http://${name}/`);
  if (host !== "" && !(isName && Number(port) <= 65_535)) throw new MalformedRequest(400, "malformed Host header");
  return host;
}

function framingOf(headers: readonly Header[]): Framing {
  const values = (headerName: string) => headers.filter(([name]) => is(name, headerName)).map(([, value]) => value);
  const encodings = values("transfer-encoding");
  const lengths = new Set(values("content-length"));
  if (encodings.length > 0 && (encodings.length > 1 || !is(encodings[0] ?? "", "chunked")))
    throw new MalformedRequest(501, "Unsupported transfer encoding");
  if (lengths.size > 1) throw new MalformedRequest(400, "http: message cannot contain multiple Content-Length headers");
  const [length = "0"] = lengths;
  if (!/^\d+$/.test(length) || BigInt(length.slice(0, 30)) > longestLength)
    throw new MalformedRequest(400, `bad Content-Length ${quoted(length)}`);
  if (encodings.length > 0) return { kind: "chunked" };
  const isUpgrade = values("connection").some((value) => /(^|,)\s*upgrade\s*(,|$)/i.test(value));
  if (isUpgrade && values("upgrade").length > 0) return { kind: "upgrade" };
  return { kind: "length", bytes: BigInt(length) };
}

function is(text: string, lower: string): boolean {
  return text.toLowerCase() === lower;
}

/** Quotes a text of a client, up to a limit. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
