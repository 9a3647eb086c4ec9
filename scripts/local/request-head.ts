// The head of an HTTP/1 request as Go's net/http takes it, which real API servers use. workerd answers 500 to several heads that Go takes or
// refuses, and prints a stack trace for each. What Go takes and workerd does not is rewritten here; what Go refuses is refused with its words.
import { isIP } from "node:net";

/** Bytes of a head. workerd takes 128 KiB, and the front adds a header. */
export const headBytes = 120 * 1024;

export interface HeadRefusal {
  readonly code: 200 | 400 | 404 | 405 | 431 | 501 | 503 | 504 | 505;
  readonly message: string;
}

/** How the body after a head is delimited. */
export type Framing =
  | { readonly kind: "length"; readonly bytes: bigint }
  | { readonly kind: "chunked" }
  /** Another protocol follows. */
  | { readonly kind: "upgrade" };

export interface Head {
  readonly method: string;
  /** The request line and the headers, with the empty line. */
  readonly text: string;
  readonly framing: Framing;
  /** Without its query. */
  readonly path: string;
}

export class MalformedHead extends Error {
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
// Tabs are allowed in values.
const control = /[\0-\x08\n-\x1f\x7f]/;
const longestLength = 2n ** 63n - 1n;
/** workerd answers others in plain text. */
const methods = new Set(
  `GET HEAD POST PUT PATCH DELETE OPTIONS TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK ACL REPORT MKACTIVITY CHECKOUT
  MERGE MSEARCH NOTIFY PURGE SUBSCRIBE UNSUBSCRIBE`.split(/\s+/),
);

/** Reads a head, as Latin-1 with its empty line. `added` goes to the end of the headers. Throws `MalformedHead`. */
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
    const kept = headers.filter(([name]) => !is(name, "host") && !is(name, "content-length"));
    const length: Header[] = isChunked ? [] : headers.filter(([name]) => is(name, "content-length")).slice(0, 1);
    const all: Header[] = [["Host", host], ...kept, ...length, ...added];
    const head = [`${method} ${target.text} HTTP/1.${version}`, ...all.map(([name, value]) => `${name}: ${value}`)];
    return { text: `${head.join("\r\n")}\r\n\r\n`, framing, path, method };
  } catch (error) {
    if (!(error instanceof MalformedHead)) throw error;
    const { code, message } = error.refusal;
    throw new MalformedHead(code, message, path);
  }
}

function readRequestLine(line: string) {
  const [method = "", text = "", protocol = "", ...more] = line.split(" ");
  if (protocol === "" || more.length > 0) throw new MalformedHead(400, `malformed HTTP request ${quoted(line)}`);
  if (!token.test(method)) throw new MalformedHead(400, `invalid method ${quoted(method)}`);
  const version = /^HTTP\/(\d)\.(\d)$/.exec(protocol);
  if (!version) throw new MalformedHead(400, `malformed HTTP version ${quoted(protocol)}`);
  if (version[1] !== "1") throw new MalformedHead(505, "unsupported protocol version");
  if (method === "OPTIONS" && text === "*") throw new MalformedHead(200, "");
  const target = method === "CONNECT" ? { text, path: text } : readTarget(text);
  if (!methods.has(method))
    throw new MalformedHead(405, "the server does not allow this method on the requested resource", target.path);
  return { method, target: { host: undefined, ...target }, version: version[2] === "0" ? 0 : 1 };
}

/** A target in origin form. Of one in absolute form, `host` is the authority, which stands before the header `Host`. */
function readTarget(text: string): { readonly text: string; readonly path: string; readonly host?: string } {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)([/?].*)?$/i.exec(text);
  const rest = absolute ? (absolute[2] ?? "") : text;
  const origin = absolute && !rest.startsWith("/") ? `/${rest}` : rest;
  const path = origin.split("?", 1)[0] ?? "";
  if (control.test(text)) throw new MalformedHead(400, "net/url: invalid control character in URL", path);
  if (!origin.startsWith("/")) throw new MalformedHead(400, `parse ${quoted(text)}: invalid URI for request`, path);
  const escape = /%(?![0-9a-f]{2}).{0,2}/i.exec(path)?.[0];
  if (escape !== undefined)
    throw new MalformedHead(400, `parse ${quoted(text)}: invalid URL escape ${quoted(escape)}`, path);
  // workerd resolves such a path against an origin and takes its beginning for a host.
  if (/^\/[/\\]/.test(path)) throw new MalformedHead(404, "the server could not find the requested resource", path);
  const host = absolute?.[1]?.replace(/^.*@/, "");
  return { text: origin, path, ...(host === undefined ? {} : { host }) };
}

function readHeader(line: string): Header {
  const [, name = "", value = ""] = /^([^:]*):(.*)$/s.exec(line) ?? [];
  if (!token.test(name)) throw new MalformedHead(400, `malformed MIME header line: ${quoted(line)}`);
  if (control.test(value)) throw new MalformedHead(400, "invalid header value");
  // By hand: a pattern would look at every run of spaces, and `trimEnd` takes bytes of UTF-8 for spaces.
  let start = 0;
  let end = value.length;
  while (start < end && " \t".includes(value[start] ?? "")) start++;
  while (end > start && " \t".includes(value[end - 1] ?? "")) end--;
  return [name, value.slice(start, end)];
}

function hostOf(headers: readonly Header[], version: number): string {
  const hosts = headers.filter(([name]) => is(name, "host"));
  const host = hosts[0]?.[1] ?? "";
  if (hosts.length > 1) throw new MalformedHead(400, "too many Host headers");
  if (host !== "") return requireHost(host);
  if (version > 0) throw new MalformedHead(400, "missing required Host header");
  // A client of HTTP/1.0 need not name one, and workerd needs one.
  return "localhost";
}

function requireHost(host: string): string {
  const [, name = "", port = "80"] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]*)(?::(\d{1,5}))?$/i.exec(host) ?? [];
  const isName = name.startsWith("[") ? isIP(name.slice(1, -1)) === 6 : URL.canParse(`http://${name}/`);
  if (host !== "" && !(isName && Number(port) <= 65_535)) throw new MalformedHead(400, "malformed Host header");
  return host;
}

function framingOf(headers: readonly Header[]): Framing {
  const values = (wanted: string) => headers.filter(([name]) => is(name, wanted)).map(([, value]) => value);
  const encodings = values("transfer-encoding");
  const lengths = new Set(values("content-length"));
  if (encodings.length > 0 && (encodings.length > 1 || !is(encodings[0] ?? "", "chunked")))
    throw new MalformedHead(501, "Unsupported transfer encoding");
  if (lengths.size > 1) throw new MalformedHead(400, "http: message cannot contain multiple Content-Length headers");
  const [length = "0"] = lengths;
  if (!/^\d+$/.test(length) || BigInt(length.slice(0, 30)) > longestLength)
    throw new MalformedHead(400, `bad Content-Length ${quoted(length)}`);
  if (encodings.length > 0) return { kind: "chunked" };
  const isUpgrade = values("connection").some((value) => /(^|,)\s*upgrade\s*(,|$)/i.test(value));
  if (isUpgrade && values("upgrade").length > 0) return { kind: "upgrade" };
  return { kind: "length", bytes: BigInt(length) };
}

function is(text: string, lower: string): boolean {
  return text.toLowerCase() === lower;
}

/** Quotes a text of a stranger, up to a bound. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
