// The sizes of changes, as `git diff --stat` and `git commit` print them.
import type { Change, CountedChange } from "../changes.ts";
import type { Paint } from "../paint.ts";

const width = 80;
const fixedColumns = 6;
const leastGraph = 6;

export function statText(changes: readonly CountedChange[], paint: Paint): string {
  if (changes.length === 0) return "";
  const most = Math.max(...changes.map(({ added, removed }) => added + removed));
  const numberWidth = String(most).length;
  let nameWidth = Math.max(...changes.map((change) => nameIn(change).length));
  let graphWidth = most;
  if (nameWidth + numberWidth + fixedColumns + graphWidth > width) {
    const share = Math.floor((width * 3) / 8) - numberWidth - fixedColumns;
    if (graphWidth > share) graphWidth = Math.max(share, leastGraph);
    const room = width - numberWidth - fixedColumns - graphWidth;
    if (nameWidth > room) nameWidth = room;
    else graphWidth = width - numberWidth - fixedColumns - nameWidth;
  }
  const lines = changes.map((change) => {
    const total = change.added + change.removed;
    const [plus, minus] = scaled(change, most, graphWidth);
    const graph = paint("green", "+".repeat(plus)) + paint("red", "-".repeat(minus));
    return ` ${shortened(nameIn(change), nameWidth).padEnd(nameWidth)} | ${String(total).padStart(numberWidth)}${graph && ` ${graph}`}\n`;
  });
  return lines.join("") + totalText(changes);
}

function scaled({ added, removed }: CountedChange, most: number, graphWidth: number): [number, number] {
  if (graphWidth >= most) return [added, removed];
  const scale = (count: number) => (count === 0 ? 0 : 1 + Math.floor((count * (graphWidth - 1)) / most));
  const total = Math.max(scale(added + removed), added > 0 && removed > 0 ? 2 : 0);
  return added < removed ? [scale(added), total - scale(added)] : [total - scale(removed), scale(removed)];
}

/** Cuts a long path at its beginning, at a slash if there is one. */
function shortened(name: string, nameWidth: number): string {
  if (name.length <= nameWidth) return name;
  const end = name.slice(name.length - nameWidth + 3);
  return `...${end.includes("/") ? end.slice(end.indexOf("/")) : end}`;
}

export function totalText(changes: readonly CountedChange[]): string {
  const sum = (key: "added" | "removed") => changes.reduce((total, change) => total + change[key], 0);
  const [added, removed] = [sum("added"), sum("removed")];
  const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const insertions = added > 0 || removed === 0 ? `, ${plural(added, "insertion")}(+)` : "";
  const deletions = removed > 0 || added === 0 ? `, ${plural(removed, "deletion")}(-)` : "";
  return ` ${plural(changes.length, "file")} changed${insertions}${deletions}\n`;
}

/** Lists created, deleted and renamed files. */
export function summaryText(changes: readonly Change[]): string {
  return changes
    .map((change) => {
      if (change.kind === "A") return ` create mode 100644 ${change.path}\n`;
      if (change.kind === "D") return ` delete mode 100644 ${change.path}\n`;
      return change.kind === "R" ? ` rename ${nameIn(change)} (100%)\n` : "";
    })
    .join("");
}

/** Returns the path, of a renamed file as `a/{b => c}/d`. */
function nameIn({ path, oldPath }: Change): string {
  if (oldPath === undefined) return path;
  const [from, to] = [oldPath.split("/"), path.split("/")];
  let begin = 0;
  while (begin < from.length - 1 && begin < to.length - 1 && from[begin] === to[begin]) begin++;
  let same = 0;
  const most = Math.min(from.length, to.length) - Math.max(begin, 1);
  while (same < most && from.at(-1 - same) === to.at(-1 - same)) same++;
  if (begin + same === 0) return `${oldPath} => ${path}`;
  const middle = (segments: readonly string[]) => segments.slice(begin, segments.length - same).join("/");
  const before = begin > 0 ? `${from.slice(0, begin).join("/")}/` : "";
  const after = same > 0 ? `/${from.slice(from.length - same).join("/")}` : "";
  return `${before}{${middle(from)} => ${middle(to)}}${after}`;
}
