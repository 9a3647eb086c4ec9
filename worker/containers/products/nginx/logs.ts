// nginx's log lines: the access log in its format, and the error log.
import type { Page, PageEdit } from "../../shell/server.ts";
import { errorTime } from "../../shell/log-lines.ts";
import { logPath, outPath } from "../../shell/outside-input.ts";
import { headerOf, timeValues, type Asking, valueOf } from "./variables.ts";
import { allInherited, type Blocks, inheritedDirective } from "./configuration.ts";

export interface Problem {
  readonly text: string;
  /** Default: `error`. */
  readonly level?: "error" | "info" | "warn";
  /** The address of the upstream server. */
  readonly upstream?: string;
}

const combined =
  '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';
const accessPath = "/var/log/nginx/access.log";
const errorPath = "/var/log/nginx/error.log";
/** The log files that are links to the container's own streams in the image. */
const streams: Readonly<Record<string, string>> = {
  [accessPath]: outPath,
  "/dev/stdout": outPath,
  "/proc/self/fd/1": outPath,
  [errorPath]: logPath,
  "/dev/stderr": logPath,
  stderr: logPath,
  "/proc/self/fd/2": logPath,
};

export function withLogs(asking: Asking, blocks: Blocks, page: Page, problems: readonly Problem[]): Page {
  const edits = [...errorLines(asking, blocks, problems), ...accessLines(asking, blocks)];
  return edits.length === 0 ? page : { ...page, edits };
}

function written(path: string, textAt: (atMs: number) => string, nowMs: number): PageEdit {
  return { path: streams[path] ?? path, text: textAt(nowMs), appends: true, textAt };
}

function accessLines(asking: Asking, blocks: Blocks): PageEdit[] {
  const { visit, http } = asking;
  const accessLogs = allInherited(blocks, "access_log");
  const all = accessLogs.length > 0 ? accessLogs.map(({ args }) => args) : [[accessPath]];
  return all.flatMap(([path = "", ...more]) => {
    if (path === "off" || path === "/dev/null" || path.startsWith("syslog:")) return [];
    const condition = more.find((arg) => arg.startsWith("if="))?.slice(3);
    if (condition !== undefined && ["", "0"].includes(valueOf(asking, condition.replace(/^\$/, "")))) return [];
    const name = more.find((arg) => !arg.includes("=")) ?? "combined";
    const format = http
      .find((candidate) => candidate.name === "log_format" && candidate.args[0] === name)
      ?.args.slice(1) ?? [combined];
    const text = format.filter((word) => !word.startsWith("escape=")).join("");
    return [written(path, lineOf(asking, text), visit.nowMs)];
  });
}

/** Returns a function from a time to the line. Everything that does not depend on the time is computed once. */
function lineOf(asking: Asking, format: string): (atMs: number) => string {
  const pieces: (string | ((ms: number) => string))[] = [""];
  const add = (text: string) => {
    const last = pieces.at(-1);
    if (typeof last === "string") pieces[pieces.length - 1] = last + text;
    else pieces.push(text);
  };
  let at = 0;
  for (const variable of format.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    add(format.slice(at, variable.index));
    at = variable.index + variable[0].length;
    const name = variable[1] ?? variable[2] ?? "";
    const timed = Object.hasOwn(timeValues, name) ? timeValues[name] : undefined;
    if (timed) pieces.push(timed);
    else add(escapeText(valueOf(asking, name)) || "-");
  }
  add(`${format.slice(at)}\n`);
  return (atMs) => pieces.map((piece) => (typeof piece === "string" ? piece : piece(atMs))).join("");
}

/** Escapes a text to one line. */
function escapeText(text: string): string {
  return text.replace(
    /["\\\0-\x1f\x7f]/g,
    (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}

const levels = ["debug", "info", "notice", "warn", "error", "crit", "alert", "emerg"];

function errorLines(asking: Asking, blocks: Blocks, problems: readonly Problem[]): PageEdit[] {
  const { visit } = asking;
  const [path = errorPath, least = "error"] = inheritedDirective(blocks, "error_log")?.args ?? [];
  if (path === "/dev/null") return [];
  const host = headerOf(visit, "host");
  const server = valueOf(asking, "server_name");
  return problems.flatMap(({ text, level = "error", upstream }) => {
    if (levels.indexOf(level) < levels.indexOf(least)) return [];
    const more = [
      `client: ${visit.from ?? "10.128.0.1"}`,
      `server: ${server}`,
      `request: "${escapeText(`${visit.method} ${visit.path}`)} HTTP/1.1"`,
      ...(upstream === undefined ? [] : [`upstream: "${upstream}"`]),
      ...(host === undefined ? [] : [`host: "${escapeText(host)}"`]),
    ];
    const line = `${text}, ${more.join(", ")}\n`;
    return [written(path, (atMs) => `${errorTime(atMs)} [${level}] 29#29: *1 ${line}`, visit.nowMs)];
  });
}
