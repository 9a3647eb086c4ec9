// The line that a server of pages writes of each visitor in the common log format.
import { byteLength } from "../../../shared/base/byte-text.ts";
import type { Visit } from "./server.ts";
import { localTime } from "./log-times.ts";

/** The line of a moment: all but the time is worked out once. */
export function accessLine(
  { method, path, from = "10.128.0.1" }: Visit,
  status: number,
  body: string,
): (atMs: number) => string {
  const end = `] "${method} ${shown(path)} HTTP/1.1" ${status} ${byteLength(body)}\n`;
  return (atMs) => `${from} - - [${localTime(atMs)}${end}`;
}

/** One line, whatever was asked. */
function shown(text: string): string {
  return text.replace(
    /["\\\0-\x1f\x7f]/g,
    (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}
