// The recorded answers: `answers/<file>.jsonl`, one case a line, as `[name, answer]` or, where that is shorter, as what differs from
// the answer of an earlier case: `[name, { like, set, removed }]`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { must } from "../../shared/base/assert.ts";
import { type Difference, difference, withDifference } from "../kinds/difference.ts";
import type { PlainAnswer } from "./normalise.ts";

interface Like extends Partial<Difference> {
  /** The name of the other case. */
  readonly like: string;
}

type Answers = ReadonlyMap<string, PlainAnswer>;

export function readAnswers(name: string): Map<string, PlainAnswer> {
  const answers = new Map<string, PlainAnswer>();
  for (const line of readFileSync(fileOf(name), "utf8").split("\n").filter(Boolean)) {
    // Written in this form, below.
    const [caseName, written] = JSON.parse(line) as [string, PlainAnswer | Like];
    answers.set(caseName, "like" in written ? resolved(answers, written) : written);
  }
  return answers;
}

export function writeAnswers(name: string, answers: Answers): void {
  const earlier = new Map<string, PlainAnswer>();
  const lines = [...answers].map(([caseName, answer]) => {
    const line = JSON.stringify([caseName, shortest(earlier, answer)]);
    earlier.set(caseName, answer);
    return `${line}\n`;
  });
  writeFileSync(fileOf(name), lines.join(""));
}

function resolved(answers: Answers, { like, set = {}, removed = [] }: Like): PlainAnswer {
  // What differs was taken from an answer.
  return withDifference(must(answers.get(like), like), { set, removed }) as PlainAnswer;
}

function shortest(earlier: Answers, answer: PlainAnswer): PlainAnswer | Like {
  let best: PlainAnswer | Like = answer;
  for (const [like, otherAnswer] of earlier) {
    const { set, removed } = difference(otherAnswer, answer);
    const likeness = { like, ...(Object.keys(set).length ? { set } : {}), ...(removed.length ? { removed } : {}) };
    if (JSON.stringify(likeness).length >= JSON.stringify(best).length) continue;
    // Some keys cannot be written as a path.
    if (isDeepStrictEqual(resolved(earlier, likeness), answer)) best = likeness;
  }
  return best;
}

function fileOf(name: string): string {
  return join(import.meta.dirname, "answers", `${name}.jsonl`);
}
