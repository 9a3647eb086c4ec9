// The place of a group of changed lines that can slide: the split of the text that looks most natural by its indentation. The weights are
// those of upstream's xdiff.

const maxIndent = 200;
const maxBlanks = 20;
const maxSliding = 100;
const indentWeight = 60;

const penalties = {
  startOfFile: 1,
  endOfFile: 21,
  blank: -30,
  blankAfter: 6,
  indent: [-4, 10],
  outdent: [24, 17],
  dedent: [23, 17],
} as const;

interface Group {
  readonly size: number;
  /** The places where the group can end. */
  readonly firstEnd: number;
  readonly lastEnd: number;
}

interface Score {
  readonly indent: number;
  readonly penalty: number;
}

/** Returns the end of the group in its best place. */
export function placeOf(lines: readonly string[], { size, firstEnd, lastEnd }: Group): number {
  let best: { readonly end: number; readonly score: Score } | undefined;
  for (let end = Math.max(firstEnd, lastEnd - size - 1, lastEnd - maxSliding); end <= lastEnd; end++) {
    const [first, second] = [scoreOf(lines, end), scoreOf(lines, end - size)];
    const score = { indent: first.indent + second.indent, penalty: first.penalty + second.penalty };
    if (!best || compare(score, best.score) <= 0) best = { end, score };
  }
  return best?.end ?? lastEnd;
}

function compare(a: Score, b: Score): number {
  return indentWeight * Math.sign(a.indent - b.indent) + (a.penalty - b.penalty);
}

/** Returns the indentation of a line, or -1 for a blank or missing one. */
function indentOf(line: string | undefined): number {
  if (line === undefined || line.trim() === "") return -1;
  let indent = 0;
  for (const letter of line) {
    if (letter === " ") indent++;
    else if (letter === "\t") indent += 8 - (indent % 8);
    else break;
  }
  return Math.min(indent, maxIndent);
}

/** Returns the indentation of the nearest line that is not blank, and the number of blank ones before it. */
function nearest(lines: readonly string[], from: number, step: 1 | -1): { indent: number; blanks: number } {
  let blanks = 0;
  for (let at = from; at >= 0 && at < lines.length; at += step) {
    const indent = indentOf(lines[at]);
    if (indent >= 0) return { indent, blanks };
    if (++blanks === maxBlanks) return { indent: 0, blanks };
  }
  return { indent: -1, blanks };
}

/** Scores a split of the text before this line. */
function scoreOf(lines: readonly string[], split: number): Score {
  const here = indentOf(lines[split]);
  const before = nearest(lines, split - 1, -1);
  const after = nearest(lines, split + 1, 1);
  const blanksAfter = here === -1 ? 1 + after.blanks : 0;
  const blanks = before.blanks + blanksAfter;
  const indent = here === -1 ? after.indent : here;
  const withBlanks = blanks === 0 ? 0 : 1;
  let penalty = penalties.blank * blanks + penalties.blankAfter * blanksAfter;
  if (before.indent === -1 && before.blanks === 0) penalty += penalties.startOfFile;
  if (split >= lines.length) penalty += penalties.endOfFile;
  if (indent !== -1 && before.indent !== -1) {
    if (indent > before.indent) penalty += penalties.indent[withBlanks];
    else if (indent < before.indent)
      penalty +=
        after.indent !== -1 && after.indent > indent ? penalties.outdent[withBlanks] : penalties.dedent[withBlanks];
  }
  return { indent, penalty };
}
