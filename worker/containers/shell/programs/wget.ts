// wget of busybox and of GNU: its downloads, its output, and its exit codes.
import type { Task } from "../../../../shared/shell/task.ts";
import { before } from "../../../../shared/base/trim.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { absolute } from "../files.ts";
import type { ServerAnswer } from "../../../../shared/k8s/port-request.ts";
import { edit } from "../process.ts";
import type { Reached } from "../contact.ts";
import type { ProgramCall } from "../program.ts";
import { open, type Opened } from "./connection.ts";
import { headOf, hostOf, pageOfOutside, redirected, type Url, urlOf } from "./http.ts";
import { type Parsed, parsed } from "./long-options.ts";

const names = {
  q: "quiet",
  S: "server-response",
  c: "continue",
  O: "output-document=",
  o: "output-file=",
  T: "timeout=",
  t: "tries=",
  U: "user-agent=",
  P: "directory-prefix=",
  Y: "proxy=",
  "no-check-certificate": "no-check-certificate",
  spider: "spider",
  header: "header=",
  "post-data": "post-data=",
  "post-file": "post-file=",
  method: "method=",
  "body-data": "body-data=",
} as const;

const mostRedirects = 10;
/** The time limit if the user sets none. */
const patienceMs = 900_000;

interface Download {
  readonly call: ProgramCall;
  readonly parsedArgs: Parsed;
  readonly isGnu: boolean;
  /** Prints progress. */
  readonly say: (text: string) => void;
}

export function* wget(call: ProgramCall): Task<number> {
  const parsedArgs = parsed(call.args, names);
  const isGnu = !(call.process.programs?.has("ash") ?? /busybox|alpine/.test(call.process.self.image));
  const [text] = parsedArgs.rest;
  const url = text === undefined ? undefined : urlOf(text);
  if (parsedArgs.unknown !== undefined || !url) {
    call.err(
      `wget: ${parsedArgs.unknown === undefined ? "missing URL" : `unrecognized option: ${parsedArgs.unknown}`}\n`,
    );
    return isGnu ? 2 : 1;
  }
  const say = parsedArgs.has("quiet") ? () => undefined : call.err;
  return yield* fetchUrl({ call, parsedArgs, isGnu, say }, url, 0);
}

function* fetchUrl(fetching: Download, url: Url, redirects: number): Task<number> {
  const { call, parsedArgs, isGnu, say } = fetching;
  const { process } = call;
  const limitMs = Number(parsedArgs.value("timeout") ?? 0) * 1000 || patienceMs;
  const { host, port } = url;
  if (isGnu) say(`--${stamp(process.clockMs)}--  ${url.scheme}://${hostOf(url)}${url.path}\n`);
  const tries = (address: string, reached: Reached) =>
    void say(isGnu ? gnuConnects(url, address, reached) : `Connecting to ${host} (${bracketed(address)}:${port})\n`);
  const opened = yield* open(process, {
    host,
    port,
    request: { ...requestOf(parsedArgs, url), isTls: url.scheme === "https" },
    limitMs,
    onReached: tries,
  });
  if (process.paused) return 1;
  if (!isGnu && url.scheme === "https" && !parsedArgs.has("no-check-certificate")) {
    call.err("wget: note: TLS certificate validation not implemented\n");
  }
  const answer = opened.reached.kind === "outside" ? pageOfOutside(url) : opened.reached.answer;
  if (!answer) return reportFailure(fetching, url, opened);
  const head = headOf(answer, process.clockMs);
  if (isGnu) say(`HTTP request sent, awaiting response... ${head[0]?.slice("HTTP/1.1 ".length) ?? ""}\n`);
  if (parsedArgs.has("server-response")) call.err(head.map((line) => `  ${line}\n`).join(""));
  const next = redirected(url, answer);
  if (next && redirects < mostRedirects) return yield* fetchUrl(fetching, next, redirects + 1);
  if (answer.status >= 400) {
    if (!isGnu) call.err(`wget: server returned error: ${head[0] ?? ""}\n`);
    else say(`${stamp(process.clockMs)} ERROR ${head[0]?.slice("HTTP/1.1 ".length) ?? ""}.\n\n`);
    return isGnu ? 8 : 1;
  }
  if (parsedArgs.has("spider")) {
    say(isGnu ? "Remote file exists.\n\n" : "remote file exists\n");
    return 0;
  }
  return saveBody(fetching, url, answer);
}

function requestOf(parsedArgs: Parsed, url: Url) {
  const posted = parsedArgs.value("post-data") ?? parsedArgs.value("body-data");
  const userHeaders = parsedArgs.all("header").map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const form: [string, string][] = posted === undefined ? [] : [["Content-Type", "application/x-www-form-urlencoded"]];
  const headers: [string, string][] = [
    ["Host", hostOf(url)],
    ["User-Agent", parsedArgs.value("user-agent") ?? "Wget"],
    ["Connection", "close"],
    ...form,
    ...userHeaders,
  ];
  const method = parsedArgs.value("method") ?? (posted === undefined ? "GET" : "POST");
  return { method, path: url.path, headers, body: posted ?? "" };
}

function reportFailure({ call, isGnu, say }: Download, { host }: Url, { address = "", reached }: Opened): number {
  const reason = { refused: "Connection refused", unreachable: "No route to host", dropped: "Connection timed out" }[
    reached.kind as string
  ];
  if (isGnu) {
    if (reached.kind === "unresolved") call.err(`wget: unable to resolve host address '${host}'\n`);
    else
      say(
        reached.kind === "open"
          ? "HTTP request sent, awaiting response... No data received.\n"
          : `failed: ${reason ?? "Connection timed out"}.\n`,
      );
    return 4;
  }
  if (reached.kind === "unresolved") call.err(`wget: bad address '${host}'\n`);
  else if (reached.kind === "timeout") call.err("wget: download timed out\n");
  else if (reached.kind === "open") call.err("wget: error getting response\n");
  else call.err(`wget: can't connect to remote host (${address}): ${reason ?? ""}\n`);
  return 1;
}

function saveBody(
  { call, parsedArgs, isGnu, say }: Download,
  { path }: Url,
  { body, contentType }: ServerAnswer,
): number {
  const { process, shell } = call;
  const outputFile = parsedArgs.value("output-document");
  const name = outputFile ?? (before(path, "?").split("/").at(-1) || "index.html");
  const isPrinted = name === "-";
  const file = absolute(
    name,
    outputFile === undefined ? absolute(parsedArgs.value("directory-prefix") ?? "", shell.folder) : shell.folder,
  );
  const size = byteLength(body);
  const isOld = /busybox[^:/]*:1\.([12]\d|30)(\D|$)/.test(process.self.image);
  if (!isPrinted && outputFile === undefined && !isGnu && process.files.has(file)) {
    call.err(`wget: can't open '${name}': File exists\n`);
    return 1;
  }
  if (isGnu)
    say(`Length: ${size} [${contentType.split(";")[0] ?? ""}]\nSaving to: '${isPrinted ? "STDOUT" : name}'\n\n`);
  else if (!isOld) say(isPrinted ? "writing to stdout\n" : `saving to '${name}'\n`);
  if (isPrinted) call.out(body);
  else if (file !== "/dev/null") edit(process, { path: file, text: body });
  if (isGnu) {
    say(
      `     0K ${" ".repeat(50)} 100% 10.0M=0s\n\n${stamp(process.clockMs)} (10.0 MB/s) - ${isPrinted ? "written to stdout" : `'${name}' saved`} [${size}/${size}]\n\n`,
    );
    return 0;
  }
  say(`${name.slice(0, 20).padEnd(20)} 100% |${"*".repeat(32)}| ${sizeText(size)}  0:00:00 ETA\n`);
  if (!isOld) say(isPrinted ? "written to stdout\n" : `'${name}' saved\n`);
  return 0;
}

function sizeText(size: number): string {
  return size < 100_000 ? String(size).padStart(5) : `${Math.round(size / 1024)}k`.padStart(5);
}

function gnuConnects({ host, port }: Url, address: string, reached: Reached): string {
  const isOpen = reached.kind === "answered" || reached.kind === "open" || reached.kind === "outside";
  const resolving = host === address ? "" : `Resolving ${host} (${host})... ${address}\n`;
  const target = host === address ? `${host}` : `${host} (${host})|${address}|`;
  return `${resolving}Connecting to ${target}:${port}... ${isOpen ? "connected.\n" : ""}`;
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function stamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}
