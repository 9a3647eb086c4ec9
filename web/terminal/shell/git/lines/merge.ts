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

/** Merges the texts. `base` is empty if both sides added the file. */
export function mergeTexts({ base, ours, theirs, ourName, theirName }: Sides): Merged {
  const [baseLines, ourLines, theirLines] = [splitLines(base), splitLines(ours), splitLines(theirs)];
  const [ourEdits, theirEdits] = [editsOf(baseLines, ourLines), editsOf(baseLines, theirLines)];
  let [text, at, hasConflict] = ["", 0, false];
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
    text += baseLines.slice(at, start).join("");
    at = end;
    const our = changed(ourLines, ourEdits.slice(first, i), start, end);
    const their = changed(theirLines, theirEdits.slice(second, j), start, end);
    if (i === first) text += their.join("");
    else if (j === second || our.join("") === their.join("")) text += our.join("");
    else {
      hasConflict = true;
      text += conflict(our, their, ourName, theirName);
    }
  }
  return { text: text + baseLines.slice(at).join(""), hasConflict };
}

/** Returns the lines of one side between two places of the base. */
function changed(lines: readonly string[], edits: readonly Edit[], start: number, end: number): readonly string[] {
  const [first, last] = [edits[0], edits.at(-1)];
  if (!first || !last) return [];
  return lines.slice(first.toStart - (first.fromStart - start), last.toEnd + (end - last.fromEnd));
}

function conflict(ours: readonly string[], theirs: readonly string[], ourName: string, theirName: string): string {
  const most = Math.min(ours.length, theirs.length);
  let begin = 0;
  while (begin < most && ours[begin] === theirs[begin]) begin++;
  let same = 0;
  while (same < most - begin && ours.at(-1 - same) === theirs.at(-1 - same)) same++;
  const side = (lines: readonly string[]) =>
    lines
      .slice(begin, lines.length - same)
      .join("")
      .replace(/[^\n]$/, "$&\n");
  return [
    ...ours.slice(0, begin),
    `<<<<<<< ${ourName}\n`,
    side(ours),
    "=======\n",
    side(theirs),
    `>>>>>>> ${theirName}\n`,
    ...ours.slice(ours.length - same),
  ].join("");
}
