// Programs that open connections: HTTP clients, nc and telnet, and database clients.
import type { Task } from "../../../../shared/shell/task.ts";
import { sleep } from "../system-call.ts";
import { type ProgramCall, type Programs } from "../program.ts";
import { options } from "../../../../shared/shell/options.ts";
import { takeAll } from "../input.ts";
import { kernelMs, open, type Opened } from "./connection.ts";
import { badRequest } from "./http.ts";
import type { Server } from "../server.ts";
import type { ServerAnswer } from "../../../../shared/k8s/port-request.ts";
import { curl } from "./curl.ts";
import { wget } from "./wget.ts";

export const netPrograms: Programs = {
  wget,
  curl,
  nc: netcat,
  ncat: netcat,
  netcat,
  telnet,
};

function option(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === name || (arg.startsWith(name) && !arg.startsWith("--")));
  return args[at] === name ? args[at + 1] : args[at]?.slice(name.length).replace(/^=/, "");
}

function isOpen({ reached: { kind } }: Opened): boolean {
  return kind === "open" || kind === "answered" || kind === "outside";
}

/** The names of ports in Debian's list of services. */
const services: Readonly<Record<number, string>> = {
  21: "ftp",
  22: "ssh",
  25: "smtp",
  53: "domain",
  80: "http",
  389: "ldap",
  443: "https",
  5672: "amqp",
  8080: "http-alt",
  8081: "tproxy",
};

/** Runs nc. Busybox prints little, and results only with `-v`. */
function* netcat(call: ProgramCall): Task<number> {
  const { process, args, out, err, name } = call;
  const isListening = args.some((arg) => arg === "--listen" || (/^-\w+$/.test(arg) && arg.includes("l")));
  if (isListening) return yield* listen(call);
  const { flags, values, rest } = options(args, "wipesqPXx");
  const protocol = flags.has("u") ? "UDP" : "TCP";
  const [host = "", text = ""] = rest;
  const limitMs = Number(values.get("w") ?? 0) * 1000 || kernelMs;
  const isBusybox = process.programs?.has("ash") ?? false;
  let code = 0;
  for (const port of portsIn(text)) {
    const inputText = flags.has("z") ? undefined : ((yield* takeAll(process, call.input)) ?? "");
    const request = inputText === undefined || process.paused ? undefined : requestOf(inputText);
    const sent = request ? { request } : inputText === undefined || inputText === "" ? {} : { data: inputText };
    const opened = yield* open(process, { host, port, limitMs, ...(flags.has("u") ? { protocol } : {}), ...sent });
    if (process.paused) return 1;
    // The address is printed if it is not what the command names.
    const target = flags.has("n") || opened.address === host ? host : `${host} (${opened.address ?? ""})`;
    // A datagram is sent whether or not somebody receives it.
    if (isOpen(opened) || (protocol === "UDP" && ["dropped", "timeout"].includes(opened.reached.kind))) {
      const resultText = isBusybox
        ? `${host} (${opened.address ?? ""}:${port}) open`
        : `Connection to ${target} ${port} port [${protocol.toLowerCase()}/${flags.has("n") ? "*" : (services[port] ?? "*")}] succeeded!`;
      if (flags.has("v")) err(`${resultText}\n`);
      const { answer } = opened.reached;
      if (answer && "data" in sent) {
        out(protocol === "UDP" ? answer.body : rawAnswer(answer));
        if (protocol === "UDP") yield* sleep(process, values.has("w") ? limitMs : Number.POSITIVE_INFINITY);
      }
      if (answer && request)
        out(`HTTP/1.1 ${answer.status}\r\nContent-Type: ${answer.contentType}\r\n\r\n${answer.body}`);
      continue;
    }
    code = 1;
    const reason = why(opened);
    if (opened.reached.kind === "unresolved") {
      err(
        isBusybox
          ? `nc: bad address '${host}'\n`
          : `${name}: getaddrinfo for host "${host}" port ${port}: Name or service not known\n`,
      );
    } else if (isBusybox) {
      if (flags.has("v") || opened.reached.kind !== "refused")
        err(`nc: ${host} (${opened.address ?? ""}:${port}): ${reason}\n`);
    } else if (flags.has("v")) {
      const result = opened.reached.kind === "timeout" ? "timed out: Operation now in progress" : `failed: ${reason}`;
      err(`${name}: connect to ${target} port ${port} (${protocol.toLowerCase()}) ${result}\n`);
    }
  }
  return code;
}

/** Returns a server's answer to a text that is not an HTTP request. */
function rawAnswer({ isRaw, body }: ServerAnswer): string {
  return isRaw ? body : badRequest;
}

function why({ reached: { kind } }: Opened): string {
  const reasons: Record<string, string> = {
    refused: "Connection refused",
    unreachable: "No route to host",
    timeout: "Connection timed out",
    dropped: "Connection timed out",
  };
  return reasons[kind] ?? "";
}

/** Parses `80` and `80-82`. */
function portsIn(text: string): number[] {
  const [first = 0, last = first] = text.split("-").map(Number);
  return Array.from({ length: Math.min(Math.max(1, last - first + 1), 1000) }, (_, at) => first + at);
}

/** Parses the input as an HTTP request, if it is one. */
function requestOf(text: string) {
  const [line = "", ...lines] = text.split(/\r?\n/);
  const [, method = "", path = ""] = /^([A-Z]+) (\S+)/.exec(line) ?? [];
  if (method === "") return undefined;
  const end = lines.indexOf("");
  const headers = lines.slice(0, end < 0 ? undefined : end).flatMap((headerLine): [string, string][] => {
    const colon = headerLine.indexOf(":");
    return colon <= 0 ? [] : [[headerLine.slice(0, colon), headerLine.slice(colon + 1).trimStart()]];
  });
  return { method, path, headers, body: end < 0 ? "" : lines.slice(end + 1).join("\n") };
}

/** Returns a server that gives each visitor the same text, without the head of an answer that it may begin with. */
function sayingServer(response: string): Server {
  const body = response.replace(/^HTTP\/[^]*?\r?\n\r?\n/, "");
  return { answer: () => ({ contentType: "text/plain", body, isRaw: true }) };
}

/** Listens and sends the piped input to each client. */
function* listen(call: ProgramCall): Task<number> {
  const { process, args } = call;
  const port = Number(
    option(args, "-p") ?? /-l\w*p\s*(\d+)/.exec(args.join(" "))?.[1] ?? args.findLast((arg) => /^\d+$/.test(arg)),
  );
  const response = call.input && call.input.more === undefined ? call.input.rest : "";
  process.ports.set(port, process.clockMs);
  if (response !== "") process.server ??= sayingServer(response);
  yield* sleep(process, Number.POSITIVE_INFINITY);
  return 0;
}

function* telnet(call: ProgramCall): Task<number> {
  const { process, out, err } = call;
  const [host = "", port = "23"] = call.args.filter((arg) => !arg.startsWith("-"));
  const isBusybox = process.programs?.has("ash") ?? false;
  const opened = yield* open(process, {
    host,
    port: Number(port),
    limitMs: kernelMs,
    onReached: (address) => void (isBusybox || out(`Trying ${address}...\n`)),
  });
  if (process.paused) return 1;
  if (isOpen(opened)) {
    const greeting = isBusybox
      ? `Connected to ${host}\n\nEntering character mode\nEscape character is '^]'.\n\n`
      : `Connected to ${host}.\nEscape character is '^]'.\n`;
    out(greeting);
    if (call.input?.more) yield* takeAll(process, call.input);
    if (!process.paused) err(isBusybox ? "" : "Connection closed by foreign host.\n");
    return isBusybox ? 0 : 1;
  }
  if (opened.reached.kind === "unresolved")
    err(
      isBusybox
        ? `telnet: bad address '${host}'\n`
        : `telnet: could not resolve ${host}/${port}: Name or service not known\n`,
    );
  else if (isBusybox) err(`telnet: can't connect to remote host (${opened.address ?? ""}): ${why(opened)}\n`);
  else err(`telnet: Unable to connect to remote host: ${why(opened)}\n`);
  return 1;
}
