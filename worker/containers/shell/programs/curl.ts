// curl: its requests, its output and its exit codes.
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
  const parsedArgs = parsed(call.args, names);
  if (parsedArgs.has("version")) {
    call.out(`curl ${version} (x86_64-pc-linux-gnu) libcurl/${version}\n`);
    return 0;
  }
  if (parsedArgs.unknown !== undefined) {
    const dashes = parsedArgs.unknown.length > 1 ? "--" : "-";
    call.err(`curl: option ${dashes}${parsedArgs.unknown}: is unknown\ncurl: try 'curl --help' for more information\n`);
    return 2;
  }
  const texts = [...parsedArgs.all("url"), ...parsedArgs.rest];
  if (texts.length === 0) {
    call.err("curl: (2) no URL specified\ncurl: try 'curl --help' for more information\n");
    return 2;
  }
  let code = 0;
  for (const text of texts) {
    if (call.process.paused) break;
    const url = urlOf(text);
    code = url
      ? yield* tried(call, parsedArgs, url)
      : complain(call, parsedArgs, 3, "URL rejected: Malformed input to a URL function");
  }
  return code;
}

/** Repeats a request as often as `--retry` says. */
function* tried(call: ProgramCall, parsedArgs: Parsed, url: Url): Task<number> {
  const again = Number(parsedArgs.value("retry") ?? 0);
  for (let attempt = 0; ; attempt++) {
    const code = yield* asks(call, parsedArgs, url, 0);
    const isPassing =
      code === 28 || parsedArgs.has("retry-all-errors") || (code === 7 && parsedArgs.has("retry-connrefused"));
    if (code === 0 || !isPassing || attempt >= again || call.process.paused) return code;
    const seconds = Number(parsedArgs.value("retry-delay") ?? 2 ** attempt);
    yield* call.shell.run(call.shell, ["sleep", String(seconds)]);
  }
}

function* asks(call: ProgramCall, parsedArgs: Parsed, url: Url, redirects: number): Task<number> {
  const { process } = call;
  const startMs = process.clockMs;
  const wholeMs = Number(parsedArgs.value("max-time") ?? 0) * 1000 || Number.POSITIVE_INFINITY;
  const connectMs = Number(parsedArgs.value("connect-timeout") ?? 0) * 1000 || Number.POSITIVE_INFINITY;
  const isAddress = /^[\d.]+$|:/.test(url.host);
  const isSecureWay = url.scheme === "https";
  const request = {
    ...requestOf(call, parsedArgs, url),
    isTls: isSecureWay,
    ...(isSecureWay && !isAddress ? { serverName: url.host } : {}),
  };
  const tell = parsedArgs.has("verbose") ? (text: string) => call.err(`* ${text}\n`) : () => undefined;
  const opened = yield* open(process, {
    host: resolvedTo(parsedArgs, url) ?? url.host,
    port: url.port,
    request,
    limitMs: Math.min(wholeMs, connectMs),
    onReached: (address) => {
      if (address !== url.host) tell(`Host ${url.host}:${url.port} was resolved.\n* IPv6: (none)\n* IPv4: ${address}`);
      tell(`  Trying ${address}:${url.port}...`);
    },
  });
  if (process.paused) return 28;
  const isLocal = !url.host.includes(".") || /\.(svc|local|cluster)|^[\d.]+$/.test(url.host);
  const answer = opened.reached.kind === "outside" ? pageOfOutside(url) : opened.reached.answer;
  if (!answer) return failed(call, parsedArgs, url, opened, wholeMs <= connectMs);
  tell(`Connected to ${url.host} (${opened.address ?? ""}) port ${url.port}`);
  if (url.scheme === "https" && !isSecure(url, opened.reached, answer)) {
    return complain(call, parsedArgs, 35, "TLS connect error: error:0A0000C6:SSL routines::packet length too long");
  }
  if (isSecureWay && opened.reached.kind !== "outside") {
    const file = parsedArgs.value("cacert");
    const trusted = file === undefined ? undefined : (process.files.get(absolute(file, call.shell.folder))?.text ?? "");
    const problem = certificateProblem(answer.certificate, url.host, { trusted, isLocal, nowMs: process.clockMs });
    if (answer.certificate) for (const line of handshake(answer.certificate, problem)) tell(line);
    if (problem && !parsedArgs.has("insecure"))
      return complain(call, parsedArgs, 60, `${problem.text}\nMore details here: https://curl.se/docs/sslcerts.html`);
  }
  const next = parsedArgs.has("location") ? redirected(url, answer) : undefined;
  talk(call, parsedArgs, request, answer);
  if (next && redirects < mostRedirects) return yield* asks(call, parsedArgs, next, redirects + 1);
  return written(call, parsedArgs, { url, answer, address: opened.address ?? "", tookMs: process.clockMs - startMs });
}

/** Returns the address of `--resolve host:port:address`. */
function resolvedTo(parsedArgs: Parsed, { host, port }: Url): string | undefined {
  for (const entry of parsedArgs.all("resolve")) {
    const [name, at, ...address] = entry.replace(/^\+/, "").split(":");
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

/** Returns the data of the request. `@file` is replaced by the file's content, without line ends unless the option is `--data-binary`. */
function sentOf({ process, shell }: ProgramCall, parsedArgs: Parsed): string[] {
  return ["data", "data-raw", "data-binary", "data-urlencode"].flatMap((name) =>
    parsedArgs.all(name).map((text) => {
      if (!text.startsWith("@") || name === "data-raw" || name === "data-urlencode") return text;
      const content = process.files.get(absolute(text.slice(1), shell.folder))?.text ?? "";
      return name === "data" ? content.replace(/[\r\n]/g, "") : content;
    }),
  );
}

function requestOf(call: ProgramCall, parsedArgs: Parsed, url: Url) {
  const sent = sentOf(call, parsedArgs);
  const isGet = parsedArgs.has("get");
  const hasBody = sent.length > 0 && !isGet;
  const method = parsedArgs.value("request") ?? (parsedArgs.has("head") ? "HEAD" : hasBody ? "POST" : "GET");
  const user = parsedArgs.value("user") ?? url.user;
  const userHeaders = parsedArgs.all("header").map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const defaultHeaders: [string, string][] = [
    ["Host", hostOf(url)],
    ...(user === undefined ? [] : [["Authorization", `Basic ${btoa(user)}`] as [string, string]]),
    ["User-Agent", parsedArgs.value("user-agent") ?? `curl/${version}`],
    ["Accept", "*/*"],
    ...(hasBody ? [["Content-Type", "application/x-www-form-urlencoded"] as [string, string]] : []),
  ];
  const userHeaderNames = new Set(userHeaders.map(([name]) => name.toLowerCase()));
  const query = isGet && sent.length > 0 ? `${url.path.includes("?") ? "&" : "?"}${sent.join("&")}` : "";
  const headers = [
    ...defaultHeaders.filter(([name]) => !userHeaderNames.has(name.toLowerCase())),
    ...userHeaders.filter(([, value]) => value !== ""),
  ];
  return { method, path: url.path + query, headers, body: hasBody ? sent.join("&") : "" };
}

function complain(call: ProgramCall, parsedArgs: Parsed, code: number, why: string): number {
  if (!parsedArgs.has("silent") || parsedArgs.has("show-error")) call.err(`curl: (${code}) ${why}\n`);
  return code;
}

function failed(call: ProgramCall, parsedArgs: Parsed, { host, port }: Url, opened: Opened, isWhole: boolean): number {
  const { reached, tookMs } = opened;
  const codes = { unresolved: 6, open: 52, timeout: 28, dropped: 28 } as const;
  const code = Object.hasOwn(codes, reached.kind) ? codes[reached.kind as keyof typeof codes] : 7;
  meter(call, parsedArgs, undefined);
  if (parsedArgs.value("write-out") !== undefined)
    writeOut(call, parsedArgs, { code: "000", size: 0, tookMs, address: "" });
  const failure = `Failed to connect to ${host} port ${port} after ${tookMs} ms: `;
  const reasons: Record<string, string> = {
    unresolved: `Could not resolve host: ${host}`,
    open: "Empty reply from server",
    timeout: isWhole ? `Connection timed out after ${tookMs} milliseconds` : `${failure}Timeout was reached`,
  };
  return complain(call, parsedArgs, code, reasons[reached.kind] ?? `${failure}Could not connect to server`);
}

/** Prints the conversation for `--verbose`. */
function talk(
  call: ProgramCall,
  parsedArgs: Parsed,
  request: ReturnType<typeof requestOf>,
  answer: ServerAnswer,
): void {
  if (!parsedArgs.has("verbose")) return;
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

function written(call: ProgramCall, parsedArgs: Parsed, { url, answer, address, tookMs }: Got): number {
  const { process, shell } = call;
  const isFailure = answer.status >= 400 && (parsedArgs.has("fail") || parsedArgs.has("fail-with-body"));
  const head = headOf(answer, process.clockMs)
    .map((line) => `${line}\r\n`)
    .join("");
  const printedHead = parsedArgs.has("include") || parsedArgs.has("head") ? `${head}\r\n` : "";
  const body = parsedArgs.has("head") || (isFailure && parsedArgs.has("fail")) ? "" : answer.body;
  const outputFile =
    parsedArgs.value("output") ??
    (parsedArgs.has("remote-name") ? (before(url.path, "?").split("/").at(-1) ?? "") : "-");
  meter(call, parsedArgs, body);
  const file = absolute(outputFile, shell.folder);
  if (outputFile === "-") call.out(printedHead + body);
  else if (file !== "/dev/null" && !(isFailure && body === "")) edit(process, { path: file, text: printedHead + body });
  if (parsedArgs.has("verbose")) call.err(`* Connection #0 to host ${url.host} left intact\n`);
  const size = byteLength(body);
  writeOut(call, parsedArgs, { code: String(answer.status), size, tookMs, address, type: answer.contentType });
  return isFailure ? complain(call, parsedArgs, 22, `The requested URL returned error: ${answer.status}`) : 0;
}

interface Facts {
  readonly code: string;
  readonly size: number;
  readonly tookMs: number;
  readonly address: string;
  readonly type?: string;
}

function writeOut({ out }: ProgramCall, parsedArgs: Parsed, { code, size, tookMs, address, type = "" }: Facts): void {
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
  const text = (parsedArgs.value("write-out") ?? "").replace(
    /\\(.)/g,
    (escape, letter: string) => escapes[letter] ?? escape,
  );
  out(text.replace(/%\{(\w+)\}/g, (_, name: string) => values[name] ?? ""));
}

/** Prints the progress meter, unless the body itself is printed to a terminal. */
function meter(call: ProgramCall, parsedArgs: Parsed, body: string | undefined): void {
  const { input, shell } = call;
  const isSeen = isTyped(input) && input.isTerminal && !shell.captured && parsedArgs.value("output") === undefined;
  if (isSeen || ["silent", "no-progress-meter"].some((name) => parsedArgs.has(name))) return;
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
