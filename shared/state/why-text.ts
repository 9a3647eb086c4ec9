// Formats the reasons why an object waits: a sentence, and a tree with the commands that show them.
import type { Reason, Why } from "../contract/cluster/past.ts";

export function whyText({ sentence, tree }: Why): string {
  const lines = [sentence, ...linesOf(tree, "")];
  return lines.map((line) => `${line}\n`).join("");
}

const marks = { fine: "✓", waits: "…", fails: "✗" } as const;

function linesOf({ what, state, because, see, reasons = [] }: Reason, indent: string): string[] {
  return [
    `${indent}${marks[state]} ${what}: ${because}`,
    ...(see === undefined ? [] : [`${indent}    ${see}`]),
    ...reasons.flatMap((reason) => linesOf(reason, `${indent}  `)),
  ];
}
