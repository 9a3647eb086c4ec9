// Lines of servers' access logs in the common log format, and the times in logs.
import { byteLength } from "../../../shared/base/byte-text.ts";
import type { Visit } from "./server.ts";

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Formats a time as `22/Nov/2026:22:34:38 +0000`. */
export function localTime(ms: number): string {
  const [day = "", clock = ""] = new Date(ms).toISOString().slice(0, 19).split("T");
  const [year = "", month = "", date = ""] = day.split("-");
  return `${date}/${months[Number(month) - 1] ?? ""}/${year}:${clock} +0000`;
}

/** Formats a time as `2026/11/22 22:34:38`. */
export function errorTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
}

/** Returns a function from a time to a log line. All but the time is computed once. */
export function accessLine(
  { method, path, from = "10.128.0.1" }: Visit,
  status: number,
  body: string,
): (atMs: number) => string {
  const end = `] "${method} ${escaped(path)} HTTP/1.1" ${status} ${byteLength(body)}\n`;
  return (atMs) => `${from} - - [${localTime(atMs)}${end}`;
}

/** Returns a text as one line, with special characters escaped. */
function escaped(text: string): string {
  return text.replace(
    /["\\\0-\x1f\x7f]/g,
    (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}
