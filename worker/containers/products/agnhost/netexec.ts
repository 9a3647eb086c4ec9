// agnhost netexec: a server over HTTP, UDP and SCTP that reports its identity and the request, and sends requests to other servers.
import type { Task } from "../../../../shared/shell/task.ts";
import { ending } from "../../shell/outside-input.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Protocol } from "../../shell/contact.ts";
import { sleep } from "../../shell/system-call.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { dialData, type Dialed, dialHttp, targetOf } from "../common/dial.ts";
import { durationMs, flagsOf } from "./flags.ts";
import { logLine, logs } from "./log.ts";
import { fails, formOf, listen, listenTo, queryOf, redirects, textPage } from "./serving.ts";

export function* netexec(call: ProgramCall): Task<number> {
  const flags = flagsOf(call.args);
  const ports: readonly [Protocol, number][] = [
    ["TCP", flags.number("http-port", 8080)],
    ["UDP", flags.number("udp-port", 8081)],
    ["SCTP", flags.number("sctp-port", -1)],
  ];
  const open = ports.filter(([, port]) => port !== -1).map(([protocol, port]) => ({ protocol, port }));
  const say = (text: string) => call.err(logLine(call.process.clockMs, text));
  const words = [String(flags.number("http-port", 8080)), flags.text("http-override")];
  for (const { protocol, port } of open) {
    if (protocol === "TCP") say(`Started HTTP server on port ${port}`);
    else say(protocol === "UDP" ? `Started UDP server on port  ${port}` : "Started SCTP server");
  }
  const seconds = flags.number("delay-shutdown", 0);
  const begin = () => listen(call, (visit) => netexecAnswer(visit, words), open);
  if (seconds <= 0) return yield* begin();
  return yield* listenTo(call, begin, function* () {
    say(`Sleeping ${seconds} seconds before terminating...`);
    yield* sleep(call.process, seconds * 1000);
    return 0;
  });
}

/** `words`: the HTTP port, and the path whose answer is given to all requests. */
export function netexecAnswer(visit: Visit, [httpPort = "8080", override = ""]: readonly string[]): Page {
  if (visit.data !== undefined) return datagram(visit, visit.data);
  return answerVisit(
    override === "" ? visit : { ...visit, method: "GET", path: override, headers: [], body: "" },
    httpPort,
  );
}

function answerVisit(visit: Visit, httpPort: string): Page {
  const { path, host, nowMs } = visit;
  const form = formOf(visit);
  const [bare = ""] = path.split("?");
  const say = (body: string, logText: string, status = 200): Page =>
    textPage(body, status, { edits: logs(nowMs, logText) });
  switch (bare) {
    case "/hostname":
    case "/hostName":
      return say(host, `GET ${bare}`);
    case "/echo":
      return echo(visit, form);
    case "/header":
      return header(visit, form);
    case "/redirect":
      return redirect(visit, form);
    case "/clientip":
      return say(`${visit.from ?? proxy}:43210`, "GET /clientip");
    case "/serverport":
      return say(httpPort, "GET /serverport");
    case "/healthz":
      return textPage("");
    case "/readyz":
      return textPage("ok");
    case "/dial":
      return dial(visit);
    case "/shell":
      return shell(visit, form);
    case "/upload":
      return upload(visit);
    case "/shutdown":
      return textPage("", 200, { edits: [...logs(nowMs, "GET /shutdown"), ending(0)] });
    case "/exit":
      return exit(visit, form);
    default:
      return textPage(`NOW: ${goTime(nowMs)}`);
  }
}

/** The source address of requests of the API's proxies. */
const proxy = "10.244.0.1";

function echo({ nowMs }: Visit, form: URLSearchParams): Page {
  const [code, msg] = [form.get("code") ?? "", form.get("msg") ?? ""];
  const edits = logs(nowMs, `GET /echo?msg=${msg}&code=${code}`);
  if (code === "") return textPage(msg, 200, { edits });
  if (!/^[1-9]\d\d$/.test(code)) {
    return textPage(`argument 'code' must be an integer or empty, got ${JSON.stringify(code)}\n`, 200, { edits });
  }
  return textPage(msg, Number(code), { edits });
}

function header({ headers, nowMs }: Visit, form: URLSearchParams): Page {
  const key = form.get("key");
  const edits = logs(nowMs, key ? `GET /header?key=${key}` : "GET /header");
  if (key)
    return textPage(headers.find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1] ?? "", 200, { edits });
  const all = Object.fromEntries(headers.map(([name, value]) => [canonical(name), [value]]));
  return textPage(JSON.stringify(all), 200, { edits });
}

function redirect(visit: Visit, form: URLSearchParams): Page {
  const [location, code] = [form.get("location") ?? "", form.get("code") ?? ""];
  const edits = logs(visit.nowMs, `${visit.method} /redirect?msg=${location}&code=${code}`);
  if (code !== "" && !/^\d+$/.test(code)) {
    return textPage(`argument 'code' must be an integer or empty, got ${JSON.stringify(code)}\n`, 200, { edits });
  }
  return { ...redirects(visit, location, Number(code || 302)), edits };
}

/** Dials other servers. Like upstream, reads only the query. */
function dial(visit: Visit): Page {
  const form = new URLSearchParams(queryOf(visit));
  const of = (name: string) => form.get(name) ?? "";
  const [host, port, request, protocol, tries] = [of("host"), of("port"), of("request"), of("protocol"), of("tries")];
  const logText = `GET /dial?host=${host}&protocol=${protocol}&port=${port}&request=${request}&tries=${tries}`;
  const edits = logs(visit.nowMs, logText);
  const refuse = (why: string) => fails(why, 400, { edits });
  if (tries !== "" && !/^[+-]?\d+$/.test(tries)) {
    return refuse(`tries parameter is invalid. strconv.Atoi: parsing ${JSON.stringify(tries)}: invalid syntax`);
  }
  if (request === "") return refuse("request parameter not specified. <nil>");
  const kind = protocol.toLowerCase();
  if (!["", "http", "udp", "sctp"].includes(kind)) return refuse(`unsupported protocol. ${protocol}`);
  const target = targetOf(visit, host, port);
  if (!target) return refuse(`host and/or port param are invalid. lookup ${host}: no such host`);
  const isHttp = kind === "" || kind === "http";
  const results: Dialed[] = [];
  for (let at = 0; at < Math.min(tries === "" ? 1 : Number(tries), mostTries); at++) {
    const visitAtTry = { ...visit, nowMs: visit.nowMs + at };
    results.push(
      isHttp
        ? dialHttp(visitAtTry, target, request)
        : dialData(visitAtTry, kind === "udp" ? "UDP" : "SCTP", target, request),
    );
  }
  return textPage(dialedText(results), 200, { edits });
}

/** The maximum number of connections for one visitor. */
const mostTries = 100;

/** Formats the results as upstream does: without any answers if the last is empty. */
function dialedText(results: readonly Dialed[]): string {
  const errors = results.flatMap((result) => ("error" in result ? [result.error] : []));
  const responses = results.flatMap((result) => ("error" in result ? [] : [result.body]));
  const last = results.at(-1);
  const isTold = last !== undefined && !("error" in last) && last.body !== "";
  return JSON.stringify({ ...(errors.length > 0 ? { errors } : {}), ...(isTold ? { responses } : {}) });
}

function shell({ nowMs, run }: Visit, form: URLSearchParams): Page {
  const script = form.get("shellCommand") || (form.get("cmd") ?? "");
  const done = run?.(script) ?? { text: "", exitCode: 127, edits: [] };
  const output = {
    ...(done.exitCode === 0 ? {} : { error: `exit status ${done.exitCode}` }),
    ...(done.text === "" ? {} : { output: done.text }),
  };
  return textPage(JSON.stringify(output), 200, { edits: [...logs(nowMs, `GET /shell?cmd=${script}`), ...done.edits] });
}

/** Stores the file of a multipart form. */
function upload({ nowMs, headers, body }: Visit): Page {
  const type = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  const sections = boundary === undefined ? [] : body.split(`--${boundary}`);
  const fileSection = sections.find((section) => /^content-disposition:[^\r\n]*\bname="file"/im.test(section));
  const text = fileSection?.slice(fileSection.indexOf("\r\n\r\n") + 4).replace(/\r\n$/, "");
  const uploadLog = logs(nowMs, "GET /upload");
  if (text === undefined)
    return textPage(JSON.stringify({ error: "Unable to upload file." }), 200, { edits: uploadLog });
  const path = `/uploads/upload${nowMs % 1_000_000_000}`;
  const edits = [...logs(nowMs, "GET /upload", `Wrote upload to ${path}`), { path, text, mode: 0o700 }];
  return textPage(JSON.stringify({ output: path }), 201, { edits });
}

function exit({ nowMs }: Visit, form: URLSearchParams): Page {
  const of = (name: string) => form.get(name) ?? "";
  const [code, timeout, wait] = [of("code"), of("timeout"), of("wait")];
  const edits = logs(nowMs, `GET /exit?code=${code}&timeout=${timeout}&wait=${wait}`);
  for (const [name, value] of Object.entries({ timeout, wait })) {
    if (value === "" || durationMs(value) !== undefined) continue;
    const why = `argument '${name}' must be a valid golang duration or empty, got ${JSON.stringify(value)}\n`;
    return textPage(why, 200, { edits });
  }
  if (code !== "" && !/^\d+$/.test(code)) {
    const why = `argument 'code' must be an integer [0-127] or empty, got ${JSON.stringify(code)}\n`;
    return textPage(why, 200, { edits });
  }
  return textPage("", 200, { tookMs: durationMs(wait) ?? 0, edits: [...edits, ending(Number(code) & 255)] });
}

/** Answers over UDP and SCTP. */
function datagram(visit: Visit, data: string): Page {
  const command = data.trim().toLowerCase();
  const { host, from = proxy, nowMs, port = 0, protocol } = visit;
  const of = protocol === "SCTP" ? "SCTP" : "UDP";
  const say = (body: string, logText: string): Page => textPage(body, 200, { edits: logs(nowMs, logText) });
  if (command === "hostname") return say(host, `Sending ${of === "UDP" ? "udp" : of} hostName response`);
  if (command.startsWith("echo "))
    return say(command.slice(5), `Echoing ${command.slice(5)} to ${of} client ${from}:43210`);
  if (command === "clientip") return say(`${from}:43210`, `Sending clientip back to ${of} client ${from}:43210`);
  if (command === "serverport") return say(String(port), `Sending server port to ${of} client ${port}`);
  return command === "" ? textPage("") : say("", `Unknown ${of} command received from ${from}:43210: ${command}`);
}

/** Formats a header's name as Go does. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** Formats a time as Go does. */
function goTime(ms: number): string {
  const [date, time] = new Date(ms).toISOString().split(/[TZ]/);
  return `${date} ${time} +0000 UTC m=+0.000000000`;
}
