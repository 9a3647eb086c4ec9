// What learners have scored as CSV (RFC 4180), as spreadsheets read it.
import type { Result } from "../../../shared/contract/lesson.ts";

const columns: readonly (keyof Result)[] = [
  ...(["learner", "lesson", "version", "state", "step", "points", "maxPoints"] as const),
  ...(["startedAt", "changedAt", "expiresAt", "run"] as const),
];

export function resultsCsv(results: readonly Result[]): string {
  const rows = results.map((one) => columns.map((name) => cell(String(one[name]))));
  return [columns, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** A spreadsheet takes what begins so for a formula. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
