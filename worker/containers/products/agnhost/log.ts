// The lines that agnhost logs: each with the time, as upstream's logger writes it.
import { logged } from "../../shell/outside-input.ts";
import type { PageEdit } from "../../shell/server.ts";

/** `level`: I, W, E or F. */
export function logLine(atMs: number, text: string, level = "I"): string {
  const [date = "", time = ""] = new Date(atMs).toISOString().split("T");
  return `${level}${date.slice(5).replace("-", "")} ${time.slice(0, 12)}000       1 log.go:245] ${text}\n`;
}

/** The same as what a visit makes the server print. */
export function logs(atMs: number, ...texts: readonly string[]): PageEdit[] {
  const textAt = (ms: number) => texts.map((text) => logLine(ms, text)).join("");
  return texts.length === 0 ? [] : [{ ...logged(textAt(atMs)), textAt }];
}
