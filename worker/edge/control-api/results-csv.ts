// Encodes the results of learners as CSV (RFC 4180) for spreadsheets.
import type { Result } from "../../../shared/contract/lesson.ts";

const columns = [
  ...(["learner", "lesson", "version", "state", "step", "points", "maxPoints", "lastPoints"] as const),
  ...(["startedAt", "stepStartedAt", "changedAt", "expiresAt", "run"] as const),
];

/**
 * Encodes results. `steps` is the number of the lesson's steps; each has columns for points, attempts, seconds, hints and answers. `classes`
 * are titles by id.
 */
export function resultsCsv(results: readonly Result[], steps: number, classes: ReadonlyMap<string, string>): string {
  const numbers = Array.from({ length: steps }, (_, at) => at);
  const head = [
    ...columns,
    "sandbox",
    ...numbers.flatMap((at) => [`step${at + 1}`, `attempts${at + 1}`]),
    ...(["class", "email", "members"] as const),
    ...numbers.flatMap((at) => [`seconds${at + 1}`, `hints${at + 1}`, `answers${at + 1}`]),
    ...(["gradedAt", "gradedBy"] as const),
  ];
  const rows = results.map((result) => [
    ...columns.map((name) => cell(String(result[name]))),
    result.sandbox.id,
    ...numbers.flatMap((at) => [result.steps[at]?.best ?? 0, result.steps[at]?.attempts ?? 0]),
    cell(classes.get(result.class ?? "") ?? result.class ?? ""),
    cell(result.email ?? ""),
    cell((result.members ?? []).join("; ")),
    ...numbers.flatMap((at) => {
      const { seconds = "", hints = 0, answers = {} } = result.steps[at] ?? {};
      return [seconds, hints, cell(answersText(answers))];
    }),
    result.graded?.at ?? "",
    result.graded?.by ?? "",
  ]);
  return [head, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

function answersText(answers: Result["steps"][number]["answers"]): string {
  return Object.entries(answers)
    .map(([name, { answer, passed }]) => `${name}: ${answer.join("; ")} (${passed ? "right" : "wrong"})`)
    .join(" | ");
}

/** Escapes a cell that a spreadsheet would evaluate as a formula. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
