// agnhost's log lines, with times as upstream's logger writes them.
import { logged } from "../../shell/outside-input.ts";
import type { PageEdit } from "../../shell/server.ts";

/** Returns a line. `level`: I, W, E or F. */
export function logLine(atMs: number, text: string, level = "I"): string {
  const [date = "", time = ""] = new Date(atMs).toISOString().split("T");
  return `${level}${date.slice(5).replace("-", "")} ${time.slice(0, 12)}000       1 log.go:245] ${text}\n`;
}

/** Returns the edits for lines that a visit makes the server print. */
export function logs(atMs: number, ...texts: readonly string[]): PageEdit[] {
  const textAt = (ms: number) => texts.map((text) => logLine(ms, text)).join("");
  return texts.length === 0 ? [] : [{ ...logged(textAt(atMs)), textAt }];
}
