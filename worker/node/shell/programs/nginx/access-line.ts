// The line that a server of pages writes of each visitor, as nginx (combined) and httpd (common) have it.
import { byteLength } from "../../../../../shared/base/byte-text.ts";
import type { Visit } from "../page.ts";

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The line of a moment: all but the time is worked out once. */
export function accessLine(
  { server, method, path, headers, from = "10.128.0.1" }: Visit,
  status: number,
  body: string,
): (atMs: number) => string {
  const header = (name: string) => shown(headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? "-");
  const more = server.startsWith("nginx")
    ? ` "${header("referer")}" "${header("user-agent")}" "${header("x-forwarded-for")}"`
    : "";
  const end = `] "${method} ${shown(path)} HTTP/1.1" ${status} ${byteLength(body)}${more}\n`;
  return (atMs) => `${from} - - [${moment(atMs)}${end}`;
}

/** `22/Nov/2026:22:34:38 +0000` */
function moment(ms: number): string {
  const [day = "", clock = ""] = new Date(ms).toISOString().slice(0, 19).split("T");
  const [year = "", month = "", date = ""] = day.split("-");
  return `${date}/${months[Number(month) - 1] ?? ""}/${year}:${clock} +0000`;
}

/** One line, whatever was asked. */
function shown(text: string): string {
  return text.replace(
    /["\\\0-\x1f\x7f]/g,
    (letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`,
  );
}
