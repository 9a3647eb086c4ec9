// agnhost's servers with one fixed answer: serve-hostname, test-webserver, liveness.
import type { Task } from "../../../../shared/shell/task.ts";
import { trimmedEnd } from "../../../../shared/base/trim.ts";
import { isFolder, namesIn } from "../../shell/files.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Page, Server, Visit } from "../../shell/server.ts";
import { flagsOf } from "./flags.ts";
import { logLine, logs } from "./log.ts";
import { fails, formOf, listen, listenTo, redirects, textPage } from "./serving.ts";
import { sleep } from "../../shell/system-call.ts";

const lingerMs = 60_000;

export function* serveHostname(call: ProgramCall): Task<number> {
  const { process, err } = call;
  const flags = flagsOf(call.args, ["tcp", "udp", "http", "close"]);
  const port = flags.number("port", 9376);
  const isUdp = flags.is("udp");
  const isTcp = flags.is("tcp");
  if (flags.is("http", true) && (isTcp || isUdp)) {
    err(logLine(process.clockMs, "Can't server TCP/UDP mode and HTTP mode at the same time", "F"));
    return 255;
  }
  const ports = [
    ...(isUdp ? [{ port, protocol: "UDP" as const }] : []),
    ...(isTcp || !isUdp ? [{ port, protocol: "TCP" as const }] : []),
  ];
  err(logLine(process.clockMs, `Serving on port ${port}.`));
  return yield* listenTo(
    call,
    () => listen(call, (visit) => serveHostnameAnswer(visit, isTcp), ports),
    function* () {
      err(logLine(process.clockMs, "Shutting down after receiving signal: terminated."));
      err(logLine(process.clockMs, "Awaiting pod deletion."));
      yield* sleep(process, lingerMs);
      return 0;
    },
  );
}

/** `isRaw`: whether the server answers any text over TCP. */
function serveHostnameAnswer({ host, nowMs, data, from = "10.244.0.1" }: Visit, isRaw = false): Page {
  const kind = data === undefined ? "HTTP" : "UDP";
  const edits = logs(nowMs, `${kind} request from ${from}:43210`);
  return textPage(host, 200, isRaw ? { edits, isRaw } : { edits });
}

export function* testWebserver(call: ProgramCall): Task<number> {
  const port = flagsOf(call.args).number("port", 80);
  return yield* listen(call, testWebserverAnswer, [{ port }]);
}

/** Returns the container's files as Go's file server does. */
export function testWebserverAnswer({ path, files }: Visit): Page {
  const [bare = "/"] = path.split("?");
  const file = trimmedEnd(decodePath(bare), "/") || "/";
  const text = files.get(file)?.text ?? files.get(`${file === "/" ? "" : file}/index.html`)?.text;
  if (text !== undefined) return { contentType: typeOf(file), body: text, status: 200 };
  if (!isFolder(files, file)) return fails("404 page not found", 404);
  const names = namesIn(files, file).map((entryName) => {
    const name = isFolder(files, `${file === "/" ? "" : file}/${entryName}`) ? `${entryName}/` : entryName;
    return `<a href="${name}">${name}</a>\n`;
  });
  const body = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${names.join("")}</pre>\n`;
  return { contentType: "text/html; charset=utf-8", body, status: 200 };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function typeOf(file: string): string {
  return /\.html?$/.test(file) ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
}

const wellMs = 10_000;

export function* liveness(call: ProgramCall): Task<number> {
  const sinceMs = call.process.clockMs;
  const changeMs = sinceMs + wellMs + 1;
  const changesMs: Server["changesMs"] = (_, nowMs) => (changeMs > nowMs ? changeMs : Number.POSITIVE_INFINITY);
  return yield* listen(call, (visit) => livenessAnswer(visit, sinceMs), [{ port: 8080 }], { changesMs });
}

/** Returns the answer of a server that is healthy for ten seconds. */
export function livenessAnswer(visit: Visit, sinceMs: number): Page {
  const ageMs = visit.nowMs - sinceMs;
  switch (visit.path.split("?")[0]) {
    case "/started":
      return textPage(`${ageMs / 1000}s`);
    case "/healthz":
      return ageMs > wellMs ? textPage(`error: ${ageMs / 1000}`, 500) : textPage("ok");
    case "/redirect":
      return redirects(visit, formOf(visit).get("loc") ?? "", 302);
    default:
      return fails("404 page not found", 404);
  }
}
