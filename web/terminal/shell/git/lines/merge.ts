// Merges two changes of one text. Changes that touch each other conflict, and are marked as git marks them.
import { type Edit, editsOf, splitLines } from "./edits.ts";

export interface Merged {
  readonly text: string;
  readonly hasConflict: boolean;
}

export interface Sides {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly ourName: string;
  readonly theirName: string;
}

/** A part of the result: unchanged lines, lines that one side changed, or two versions of the same lines. */
type Segment =
  | { readonly kind: "same" | "changed"; readonly lines: readonly string[] }
  | { readonly kind: "conflict"; readonly ours: readonly string[]; readonly theirs: readonly string[] };

/** Merges the texts. `base` is empty if both sides added the file. */
export function mergeTexts({ base, ours, theirs, ourName, theirName }: Sides): Merged {
  const segments = joined(segmentsOf(splitLines(base), splitLines(ours), splitLines(theirs)));
  const text = segments.map((segment) =>
    segment.kind === "conflict"
      ? conflictText(segment.ours, segment.theirs, ourName, theirName)
      : segment.lines.join(""),
  );
  return { text: text.join(""), hasConflict: segments.some(({ kind }) => kind === "conflict") };
}

function segmentsOf(base: readonly string[], ours: readonly string[], theirs: readonly string[]): Segment[] {
  const [ourEdits, theirEdits] = [editsOf(base, ours), editsOf(base, theirs)];
  const segments: Segment[] = [];
  let at = 0;
  for (let [i, j] = [0, 0]; i < ourEdits.length || j < theirEdits.length; ) {
    const [first, second] = [i, j];
    const start = Math.min(ourEdits[i]?.fromStart ?? Infinity, theirEdits[j]?.fromStart ?? Infinity);
    let end = start;
    for (let isGrowing = true; isGrowing; ) {
      isGrowing = false;
      for (let edit; (edit = ourEdits[i]) && edit.fromStart <= end; i++, isGrowing = true)
        end = Math.max(end, edit.fromEnd);
      for (let edit; (edit = theirEdits[j]) && edit.fromStart <= end; j++, isGrowing = true)
        end = Math.max(end, edit.fromEnd);
    }
    segments.push({ kind: "same", lines: base.slice(at, start) });
    at = end;
    const our = changed(ours, ourEdits.slice(first, i), start, end);
    const their = changed(theirs, theirEdits.slice(second, j), start, end);
    if (i === first) segments.push({ kind: "changed", lines: their });
    else if (j === second) segments.push({ kind: "changed", lines: our });
    else segments.push(...refined(our, their));
  }
  return [...segments, { kind: "same", lines: base.slice(at) }];
}

/** Takes the lines out of a conflict that both sides have. */
function refined(ours: readonly string[], theirs: readonly string[]): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const { fromStart, fromEnd, toStart, toEnd } of editsOf(ours, theirs)) {
    segments.push({ kind: "same", lines: ours.slice(at, fromStart) });
    segments.push({ kind: "conflict", ours: ours.slice(fromStart, fromEnd), theirs: theirs.slice(toStart, toEnd) });
    at = fromEnd;
  }
  return [...segments, { kind: "same", lines: ours.slice(at) }];
}

/** The most unchanged lines between two conflicts that are shown as one. */
const closeLines = 3;

function joined(segments: readonly Segment[]): Segment[] {
  const result: Segment[] = [];
  for (const segment of segments) {
    if (segment.kind === "same" && segment.lines.length === 0) continue;
    const [before, last] = [result.at(-2), result.at(-1)];
    if (segment.kind === "same" && last?.kind === "same")
      result.splice(-1, 1, { kind: "same", lines: [...last.lines, ...segment.lines] });
    else if (segment.kind !== "conflict") result.push(segment);
    else if (last?.kind === "conflict") result.splice(-1, 1, both(last, [], segment));
    else if (before?.kind === "conflict" && last?.kind === "same" && last.lines.length <= closeLines)
      result.splice(-2, 2, both(before, last.lines, segment));
    else result.push(segment);
  }
  return result;
}

type Conflict = Extract<Segment, { readonly kind: "conflict" }>;

function both(first: Conflict, between: readonly string[], second: Conflict): Conflict {
  return {
    kind: "conflict",
    ours: [...first.ours, ...between, ...second.ours],
    theirs: [...first.theirs, ...between, ...second.theirs],
  };
}

/** Returns the lines of one side between two places of the base. */
function changed(lines: readonly string[], edits: readonly Edit[], start: number, end: number): readonly string[] {
  const [first, last] = [edits[0], edits.at(-1)];
  if (!first || !last) return [];
  return lines.slice(first.toStart - (first.fromStart - start), last.toEnd + (end - last.fromEnd));
}

function conflictText(ours: readonly string[], theirs: readonly string[], ourName: string, theirName: string): string {
  const side = (lines: readonly string[]) => lines.join("").replace(/[^\n]$/, "$&\n");
  return `<<<<<<< ${ourName}\n${side(ours)}=======\n${side(theirs)}>>>>>>> ${theirName}\n`;
}
