// The lines that nginx writes: of each visitor in its format, and of what went wrong.
import type { Page, PageEdit } from "../../shell/server.ts";
import { errorTime } from "../../shell/log-lines.ts";
import { logPath, outPath } from "../../shell/outside-input.ts";
import { headerOf, timeValues, type Asking, valueOf } from "./variables.ts";
import { allInherited, type Blocks, inherited } from "./tree.ts";

export interface Problem {
  readonly text: string;
  /** `error`, if it is not said. */
  readonly level?: "error" | "info" | "warn";
  /** The address that was asked. */
  readonly upstream?: string;
}

const combined =
  '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';
const accessPath = "/var/log/nginx/access.log";
const errorPath = "/var/log/nginx/error.log";
/** In the image they are links to the container's own. */
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
  const given = allInherited(blocks, "access_log");
  const all = given.length > 0 ? given.map(({ args }) => args) : [[accessPath]];
  return all.flatMap(([path = "", ...more]) => {
    if (path === "off" || path === "/dev/null" || path.startsWith("syslog:")) return [];
    const condition = more.find((one) => one.startsWith("if="))?.slice(3);
    if (condition !== undefined && ["", "0"].includes(valueOf(asking, condition.replace(/^\$/, "")))) return [];
    const name = more.find((one) => !one.includes("=")) ?? "combined";
    const format = http.find((one) => one.name === "log_format" && one.args[0] === name)?.args.slice(1) ?? [combined];
    const text = format.filter((one) => !one.startsWith("escape=")).join("");
    return [written(path, lineOf(asking, text), visit.nowMs)];
  });
}

/** The line at any moment: what does not depend on that is worked out once. */
function lineOf(asking: Asking, format: string): (atMs: number) => string {
  const parts: (string | ((ms: number) => string))[] = [""];
  const add = (text: string) => {
    const last = parts.at(-1);
    if (typeof last === "string") parts[parts.length - 1] = last + text;
    else parts.push(text);
  };
  let at = 0;
  for (const found of format.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    add(format.slice(at, found.index));
    at = found.index + found[0].length;
    const name = found[1] ?? found[2] ?? "";
    const timed = Object.hasOwn(timeValues, name) ? timeValues[name] : undefined;
    if (timed) parts.push(timed);
    else add(shown(valueOf(asking, name)) || "-");
  }
  add(`${format.slice(at)}\n`);
  return (atMs) => parts.map((one) => (typeof one === "string" ? one : one(atMs))).join("");
}

/** One line, whatever was asked. */
function shown(text: string): string {
  return text.replace(
    /["\\\0-\x1f\x7f]/g,
    (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}

const levels = ["debug", "info", "notice", "warn", "error", "crit", "alert", "emerg"];

function errorLines(asking: Asking, blocks: Blocks, problems: readonly Problem[]): PageEdit[] {
  const { visit } = asking;
  const [path = errorPath, least = "error"] = inherited(blocks, "error_log")?.args ?? [];
  if (path === "/dev/null") return [];
  const host = headerOf(visit, "host");
  const server = valueOf(asking, "server_name");
  return problems.flatMap(({ text, level = "error", upstream }) => {
    if (levels.indexOf(level) < levels.indexOf(least)) return [];
    const more = [
      `client: ${visit.from ?? "10.128.0.1"}`,
      `server: ${server}`,
      `request: "${shown(`${visit.method} ${visit.path}`)} HTTP/1.1"`,
      ...(upstream === undefined ? [] : [`upstream: "${upstream}"`]),
      ...(host === undefined ? [] : [`host: "${shown(host)}"`]),
    ];
    const line = `${text}, ${more.join(", ")}\n`;
    return [written(path, (atMs) => `${errorTime(atMs)} [${level}] 29#29: *1 ${line}`, visit.nowMs)];
  });
}
