// What learners have scored as CSV (RFC 4180), as spreadsheets read it.
import type { Result } from "../../../shared/contract/lesson.ts";

const columns = [
  ...(["learner", "lesson", "version", "state", "step", "points", "maxPoints", "lastPoints"] as const),
  ...(["startedAt", "stepStartedAt", "changedAt", "expiresAt", "run"] as const),
];

/** `steps`: how many the lesson has; each has columns for its points and for how often it was tried. */
export function resultsCsv(results: readonly Result[], steps: number): string {
  const numbers = Array.from({ length: steps }, (_, at) => at);
  const head = [...columns, "sandbox", ...numbers.flatMap((at) => [`step${at + 1}`, `attempts${at + 1}`])];
  const rows = results.map((one) => [
    ...columns.map((name) => cell(String(one[name]))),
    one.sandbox.id,
    ...numbers.flatMap((at) => [one.steps[at]?.best ?? 0, one.steps[at]?.attempts ?? 0]),
  ]);
  return [head, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/** A spreadsheet takes what begins so for a formula. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
