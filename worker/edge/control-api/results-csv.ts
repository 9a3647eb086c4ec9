// Encodes the results of learners as CSV (RFC 4180) for spreadsheets.
import type { Result } from "../../../shared/contract/lesson.ts";

const columns = [
  ...(["learner", "lesson", "version", "state", "step", "points", "maxPoints", "lastPoints"] as const),
  ...(["startedAt", "stepStartedAt", "changedAt", "expiresAt", "run"] as const),
];

/** Encodes results. `steps` is the number of the lesson's steps; each has a column for points and one for attempts. */
export function resultsCsv(results: readonly Result[], steps: number): string {
  const numbers = Array.from({ length: steps }, (_, at) => at);
  const head = [...columns, "sandbox", ...numbers.flatMap((at) => [`step${at + 1}`, `attempts${at + 1}`])];
  const rows = results.map((result) => [
    ...columns.map((name) => cell(String(result[name]))),
    result.sandbox.id,
    ...numbers.flatMap((at) => [result.steps[at]?.best ?? 0, result.steps[at]?.attempts ?? 0]),
  ]);
  return [head, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** Escapes a cell that a spreadsheet would evaluate as a formula. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
