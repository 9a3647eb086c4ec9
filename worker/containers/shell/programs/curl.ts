// curl: what it asks, what it writes and where, and its exit codes.
import type { Task } from "../../../../shared/shell/task.ts";
import { before } from "../../../../shared/base/trim.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { absolute } from "../files.ts";
import { isTyped } from "../input.ts";
import type { ServerAnswer } from "../../../../shared/k8s/port-request.ts";
import { edit } from "../process.ts";
import type { ProgramCall } from "../program.ts";
import { open, type Opened } from "./connection.ts";
import { headOf, hostOf, pageOfOutside, redirected, type Url, urlOf } from "./http.ts";
import { certificateProblem, handshake } from "./certificates.ts";
import { type Parsed, parsed } from "./long-options.ts";

const names = {
  s: "silent",
  S: "show-error",
  f: "fail",
  i: "include",
  I: "head",
  v: "verbose",
  L: "location",
  k: "insecure",
  G: "get",
  O: "remote-name",
  N: "no-buffer",
  g: "globoff",
  q: "disable",
  "#": "progress-bar",
  "4": "ipv4",
  "6": "ipv6",
  o: "output=",
  w: "write-out=",
  X: "request=",
  d: "data=",
  H: "header=",
  m: "max-time=",
  u: "user=",
  A: "user-agent=",
  e: "referer=",
  b: "cookie=",
  c: "cookie-jar=",
  x: "proxy=",
  E: "cert=",
  T: "upload-file=",
  F: "form=",
  r: "range=",
  D: "dump-header=",
  "connect-timeout": "connect-timeout=",
  "data-raw": "data-raw=",
  "data-binary": "data-binary=",
  "data-urlencode": "data-urlencode=",
  cacert: "cacert=",
  capath: "capath=",
  key: "key=",
  url: "url=",
  interface: "interface=",
  retry: "retry=",
  "retry-delay": "retry-delay=",
  "retry-max-time": "retry-max-time=",
  resolve: "resolve=",
  "unix-socket": "unix-socket=",
  "retry-connrefused": "retry-connrefused",
  "retry-all-errors": "retry-all-errors",
  "fail-with-body": "fail-with-body",
  "no-progress-meter": "no-progress-meter",
  http1: "http1.1",
  http2: "http2",
  version: "version",
  compressed: "compressed",
} as const;

const mostRedirects = 50;
const version = "8.14.1";

export function* curl(call: ProgramCall): Task<number> {
  const asked = parsed(call.args, names);
  if (asked.has("version")) {
    call.out(`curl ${version} (x86_64-pc-linux-gnu) libcurl/${version}\n`);
    return 0;
  }
  if (asked.unknown !== undefined) {
    const dashes = asked.unknown.length > 1 ? "--" : "-";
    call.err(`curl: option ${dashes}${asked.unknown}: is unknown\ncurl: try 'curl --help' for more information\n`);
    return 2;
  }
  const texts = [...asked.all("url"), ...asked.rest];
  if (texts.length === 0) {
    call.err("curl: (2) no URL specified\ncurl: try 'curl --help' for more information\n");
    return 2;
  }
  let code = 0;
  for (const text of texts) {
    if (call.process.paused) break;
    const url = urlOf(text);
    code = url
      ? yield* tried(call, asked, url)
      : complain(call, asked, 3, "URL rejected: Malformed input to a URL function");
  }
  return code;
}

/** As often as it is told to. */
function* tried(call: ProgramCall, asked: Parsed, url: Url): Task<number> {
  const again = Number(asked.value("retry") ?? 0);
  for (let attempt = 0; ; attempt++) {
    const code = yield* asks(call, asked, url, 0);
    const isPassing = code === 28 || asked.has("retry-all-errors") || (code === 7 && asked.has("retry-connrefused"));
    if (code === 0 || !isPassing || attempt >= again || call.process.paused) return code;
    const seconds = Number(asked.value("retry-delay") ?? 2 ** attempt);
    yield* call.shell.run(call.shell, ["sleep", String(seconds)]);
  }
}

function* asks(call: ProgramCall, asked: Parsed, url: Url, redirects: number): Task<number> {
  const { process } = call;
  const startMs = process.clockMs;
  const wholeMs = Number(asked.value("max-time") ?? 0) * 1000 || Number.POSITIVE_INFINITY;
  const connectMs = Number(asked.value("connect-timeout") ?? 0) * 1000 || Number.POSITIVE_INFINITY;
  const isAddress = /^[\d.]+$|:/.test(url.host);
  const isSecureWay = url.scheme === "https";
  const request = {
    ...requestOf(call, asked, url),
    isTls: isSecureWay,
    ...(isSecureWay && !isAddress ? { serverName: url.host } : {}),
  };
  const tell = asked.has("verbose") ? (text: string) => call.err(`* ${text}\n`) : () => undefined;
  const opened = yield* open(process, {
    host: resolvedTo(asked, url) ?? url.host,
    port: url.port,
    request,
    limitMs: Math.min(wholeMs, connectMs),
    tries: (address) => {
      if (address !== url.host) tell(`Host ${url.host}:${url.port} was resolved.\n* IPv6: (none)\n* IPv4: ${address}`);
      tell(`  Trying ${address}:${url.port}...`);
    },
  });
  if (process.paused) return 28;
  const isLocal = !url.host.includes(".") || /\.(svc|local|cluster)|^[\d.]+$/.test(url.host);
  const answer = opened.reached.kind === "outside" ? pageOfOutside(url) : opened.reached.answer;
  if (!answer) return failed(call, asked, url, opened, wholeMs <= connectMs);
  tell(`Connected to ${url.host} (${opened.address ?? ""}) port ${url.port}`);
  if (url.scheme === "https" && !isSecure(url, opened.reached, answer)) {
    return complain(call, asked, 35, "TLS connect error: error:0A0000C6:SSL routines::packet length too long");
  }
  if (isSecureWay && opened.reached.kind !== "outside") {
    const file = asked.value("cacert");
    const trusted = file === undefined ? undefined : (process.files.get(absolute(file, call.shell.folder))?.text ?? "");
    const problem = certificateProblem(answer.certificate, url.host, { trusted, isLocal, nowMs: process.clockMs });
    if (answer.certificate) for (const line of handshake(answer.certificate, problem)) tell(line);
    if (problem && !asked.has("insecure"))
      return complain(call, asked, 60, `${problem.text}\nMore details here: https://curl.se/docs/sslcerts.html`);
  }
  const next = asked.has("location") ? redirected(url, answer) : undefined;
  talk(call, asked, request, answer);
  if (next && redirects < mostRedirects) return yield* asks(call, asked, next, redirects + 1);
  return written(call, asked, { url, answer, address: opened.address ?? "", tookMs: process.clockMs - startMs });
}

/** `--resolve host:port:address`. */
function resolvedTo(asked: Parsed, { host, port }: Url): string | undefined {
  for (const given of asked.all("resolve")) {
    const [name, at, ...address] = given.replace(/^\+/, "").split(":");
    if ((name === host || name === "*") && at === String(port)) return address.join(":").replace(/^\[|\]$/g, "");
  }
  return undefined;
}

function isSecure({ port }: Url, { kind }: Opened["reached"], { mayBeTls, certificate, isTls }: ServerAnswer): boolean {
  return (
    kind === "outside" ||
    isTls === true ||
    certificate !== undefined ||
    mayBeTls === true ||
    [443, 6443, 8443].includes(port)
  );
}

/** `@file`: what is in it; without `--data-binary` in one line. */
function sentOf({ process, shell }: ProgramCall, asked: Parsed): string[] {
  return ["data", "data-raw", "data-binary", "data-urlencode"].flatMap((name) =>
    asked.all(name).map((text) => {
      if (!text.startsWith("@") || name === "data-raw" || name === "data-urlencode") return text;
      const whole = process.files.get(absolute(text.slice(1), shell.folder))?.text ?? "";
      return name === "data" ? whole.replace(/[\r\n]/g, "") : whole;
    }),
  );
}

function requestOf(call: ProgramCall, asked: Parsed, url: Url) {
  const sent = sentOf(call, asked);
  const isGet = asked.has("get");
  const hasBody = sent.length > 0 && !isGet;
  const method = asked.value("request") ?? (asked.has("head") ? "HEAD" : hasBody ? "POST" : "GET");
  const user = asked.value("user") ?? url.user;
  const given = asked.all("header").map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const own: [string, string][] = [
    ["Host", hostOf(url)],
    ...(user === undefined ? [] : [["Authorization", `Basic ${btoa(user)}`] as [string, string]]),
    ["User-Agent", asked.value("user-agent") ?? `curl/${version}`],
    ["Accept", "*/*"],
    ...(hasBody ? [["Content-Type", "application/x-www-form-urlencoded"] as [string, string]] : []),
  ];
  const said = new Set(given.map(([name]) => name.toLowerCase()));
  const query = isGet && sent.length > 0 ? `${url.path.includes("?") ? "&" : "?"}${sent.join("&")}` : "";
  const headers = [
    ...own.filter(([name]) => !said.has(name.toLowerCase())),
    ...given.filter(([, value]) => value !== ""),
  ];
  return { method, path: url.path + query, headers, body: hasBody ? sent.join("&") : "" };
}

function complain(call: ProgramCall, asked: Parsed, code: number, why: string): number {
  if (!asked.has("silent") || asked.has("show-error")) call.err(`curl: (${code}) ${why}\n`);
  return code;
}

function failed(call: ProgramCall, asked: Parsed, { host, port }: Url, opened: Opened, isWhole: boolean): number {
  const { reached, tookMs } = opened;
  const codes = { unresolved: 6, open: 52, timeout: 28, dropped: 28 } as const;
  const code = Object.hasOwn(codes, reached.kind) ? codes[reached.kind as keyof typeof codes] : 7;
  meter(call, asked, undefined);
  if (asked.value("write-out") !== undefined) writeOut(call, asked, { code: "000", size: 0, tookMs, address: "" });
  const failure = `Failed to connect to ${host} port ${port} after ${tookMs} ms: `;
  const reasons: Record<string, string> = {
    unresolved: `Could not resolve host: ${host}`,
    open: "Empty reply from server",
    timeout: isWhole ? `Connection timed out after ${tookMs} milliseconds` : `${failure}Timeout was reached`,
  };
  return complain(call, asked, code, reasons[reached.kind] ?? `${failure}Could not connect to server`);
}

/** What it says of the conversation when it is to say all. */
function talk(call: ProgramCall, asked: Parsed, request: ReturnType<typeof requestOf>, answer: ServerAnswer): void {
  if (!asked.has("verbose")) return;
  const sent = [
    `${request.method} ${request.path} HTTP/1.1`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    "",
  ];
  const got = [...headOf(answer, call.process.clockMs), ""];
  call.err(
    `${sent.map((line) => `> ${line}\n`).join("")}* Request completely sent off\n${got.map((line) => `< ${line}\n`).join("")}`,
  );
}

interface Got {
  readonly url: Url;
  readonly answer: ServerAnswer;
  readonly address: string;
  readonly tookMs: number;
}

function written(call: ProgramCall, asked: Parsed, { url, answer, address, tookMs }: Got): number {
  const { process, shell } = call;
  const isFailure = answer.status >= 400 && (asked.has("fail") || asked.has("fail-with-body"));
  const head = headOf(answer, process.clockMs)
    .map((line) => `${line}\r\n`)
    .join("");
  const shown = asked.has("include") || asked.has("head") ? `${head}\r\n` : "";
  const body = asked.has("head") || (isFailure && asked.has("fail")) ? "" : answer.body;
  const given =
    asked.value("output") ?? (asked.has("remote-name") ? (before(url.path, "?").split("/").at(-1) ?? "") : "-");
  meter(call, asked, body);
  const file = absolute(given, shell.folder);
  if (given === "-") call.out(shown + body);
  else if (file !== "/dev/null" && !(isFailure && body === "")) edit(process, { path: file, text: shown + body });
  if (asked.has("verbose")) call.err(`* Connection #0 to host ${url.host} left intact\n`);
  const size = byteLength(body);
  writeOut(call, asked, { code: String(answer.status), size, tookMs, address, type: answer.contentType });
  return isFailure ? complain(call, asked, 22, `The requested URL returned error: ${answer.status}`) : 0;
}

interface Facts {
  readonly code: string;
  readonly size: number;
  readonly tookMs: number;
  readonly address: string;
  readonly type?: string;
}

function writeOut({ out }: ProgramCall, asked: Parsed, { code, size, tookMs, address, type = "" }: Facts): void {
  const seconds = (tookMs / 1000).toFixed(6);
  const values: Record<string, string> = {
    http_code: code,
    response_code: code,
    size_download: String(size),
    time_total: seconds,
    time_connect: seconds,
    time_starttransfer: seconds,
    time_namelookup: "0.001000",
    remote_ip: address,
    content_type: type,
    num_redirects: "0",
  };
  const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };
  const text = (asked.value("write-out") ?? "").replace(/\\(.)/g, (whole, letter: string) => escapes[letter] ?? whole);
  out(text.replace(/%\{(\w+)\}/g, (_, name: string) => values[name] ?? ""));
}

/** Where a person looks at what is fetched itself, nothing is measured. */
function meter(call: ProgramCall, asked: Parsed, body: string | undefined): void {
  const { input, shell } = call;
  const isSeen = isTyped(input) && input.isTerminal && !shell.captured && asked.value("output") === undefined;
  if (isSeen || ["silent", "no-progress-meter"].some((name) => asked.has(name))) return;
  const head =
    "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n";
  const none = "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0";
  if (body === undefined) {
    call.err(`${head}\r${none}\r${none}\n`);
    return;
  }
  const size = String(byteLength(body)).padStart(5);
  call.err(
    `${head}\r${none}\r100 ${size}  100 ${size}    0     0   ${"100k".padStart(4)}      0 --:--:-- --:--:-- --:--:-- ${"100k".padStart(5)}\n`,
  );
}
