// A comparison of runs: pairs that share what few others share. It is a hint to look closer, never a verdict.
import type { Comparison } from "../../../../shared/contract/hosted/teaching.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import type { LedRuns } from "../../db/learn/teaching.ts";
import { lessonNamed } from "../lessons.ts";
import type { ControlApiServer } from "../server.ts";

/** The bounds of a comparison: runs, stored lines, pairs in the response, and shared traits of a pair. */
const most = { runs: 200, lines: 40_000, pairs: 50, shared: 10 };
/** A trait that more than this part of the runs has is the lesson's own, and tells nothing. */
const commonPart = 0.3;
/** The fewest rare traits that two runs share before they are listed. */
const leastShared = 3;
/** Characters of a line below which it is too short to tell anything. */
const shortestLine = 12;
const idsAtOnce = 50;

/** Compares the newest runs of a lesson, or of a class. */
export async function compareRuns(controlApi: ControlApiServer, which: LedRuns): Promise<Comparison> {
  const { tenantId, lesson, class: classId } = which;
  await lessonNamed(controlApi, tenantId, lesson);
  const rows = await controlApi.lessons.listRuns({ tenantId, lesson, classId, limit: most.runs });
  const lines = await linesOf(controlApi, rows);
  const traits = new Map(rows.map((row) => [row.id, traitsOf(row, lines.get(row.id) ?? [])]));
  const weights = rareTraits([...traits.values()]);
  const pairs = rows.flatMap((row, at) =>
    rows.slice(at + 1).flatMap((peer) => pairOf(row, peer, { traits, weights }) ?? []),
  );
  pairs.sort((a, b) => b.similarity - a.similarity || b.shared.length - a.shared.length);
  return { pairs: pairs.slice(0, most.pairs), compared: rows.length };
}

async function linesOf({ teaching }: ControlApiServer, rows: readonly LessonRunRow[]): Promise<Map<string, string[]>> {
  const lines = new Map<string, string[]>();
  for (let at = 0, left = most.lines; at < rows.length && left > 0; at += idsAtOnce) {
    const ids = rows.slice(at, at + idsAtOnce).map(({ id }) => id);
    const portion = await teaching.linesOf(ids, left);
    left -= portion.length;
    for (const { runId, line } of portion) lines.set(runId, [...(lines.get(runId) ?? []), line]);
  }
  return lines;
}

/** Returns what a run can share: its lines, and its answers. Wrong answers and free texts tell most, because few give them by themselves. */
function traitsOf({ progress }: LessonRunRow, lines: readonly string[]): Set<string> {
  const typed = lines.map((line) => line.trim().replaceAll(/\s+/g, " ")).filter((line) => line.length >= shortestLine);
  const answers = Object.entries(progress.steps).flatMap(([step, { questions = {} }]) =>
    Object.entries(questions).map(([name, { answer }]) => `${step}. ${name}: ${answer.join("; ")}`),
  );
  return new Set([...typed, ...answers]);
}

/** Returns the weight of each trait that at least two and only few runs have: rarer ones weigh more. */
function rareTraits(all: readonly ReadonlySet<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const traits of all) for (const trait of traits) counts.set(trait, (counts.get(trait) ?? 0) + 1);
  const limit = Math.max(2, all.length * commonPart);
  const rare = [...counts].filter(([, count]) => count <= limit);
  return new Map(rare.map(([trait, count]) => [trait, 1 / count]));
}

interface Traits {
  readonly traits: ReadonlyMap<string, ReadonlySet<string>>;
  readonly weights: ReadonlyMap<string, number>;
}

function pairOf(row: LessonRunRow, peer: LessonRunRow, { traits, weights }: Traits) {
  // The same learner repeats what they did before.
  if (row.learner === peer.learner) return undefined;
  const weigh = (trait: string) => weights.get(trait) ?? 0;
  const [first, second] = [row, peer].map(({ id }) => [...(traits.get(id) ?? [])].filter((trait) => weigh(trait) > 0));
  if (!first || !second) return undefined;
  const traitsOfPeer = new Set(second);
  const shared = first.filter((trait) => traitsOfPeer.has(trait));
  if (shared.length < leastShared) return undefined;
  const sum = (some: readonly string[]) => some.reduce((total, trait) => total + weigh(trait), 0);
  const similarity = sum(shared) / Math.min(sum(first), sum(second));
  return {
    runs: [row, peer].map(({ id, learner }) => ({ run: id, learner })),
    similarity: Math.round(similarity * 100) / 100,
    shared: shared.slice(0, most.shared),
  };
}
