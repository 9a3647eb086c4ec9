// Which columns there is room for, and how wide each is. Knows no page.
import type { Column } from "../../live/table-row.ts";
import type { Row } from "./rows.ts";

export interface ShownColumn {
  readonly name: string;
  /** Its place among the cells; -1 is the namespace, which is none. */
  readonly at: number;
  /** What it wants of the width, in characters. */
  readonly width: number;
}

/** The mean width of a character at the console's 13 px. */
const characterPx = 7;
const paddingCharacters = 2.2;
const extraOfName = 2.5;
/** Round a state, and its dot. */
const extraOfState = 4;
/** A text that is longer may be cut, and is shown in full when it is pointed at. */
const widestCharacters = 120;
/** The longest duration that kubectl prints, such as `10m30s`: ages grow while they are shown. */
const ageCharacters = 6;
const ageColumns = new Set(["Age", "Last Seen", "First Seen", "Duration"]);
const sampleRows = 2000;

/** The first is the name. What kubectl shows with `-o wide` alone comes where there is room; what does not fit goes from the end, but the age. */
export function columnsFor(
  columns: readonly Column[],
  rows: readonly Row[],
  { widthPx, withNamespace }: { readonly widthPx: number; readonly withNamespace: boolean },
): ShownColumn[] {
  const sample = rows.slice(0, sampleRows);
  const longest = (name: string, textOf: (row: Row) => string) =>
    Math.min(
      widestCharacters,
      sample.reduce(
        (most, row) => Math.max(most, textOf(row).length),
        Math.max(name.length + 2, ageColumns.has(name) ? ageCharacters : 0),
      ),
    ) + paddingCharacters;
  const all = columns.map((column, at) => ({
    name: column.name,
    at,
    // Names are bold, and what is looked for first.
    width:
      longest(column.name, (row) => row.texts[at] ?? "") +
      (at === 0 ? extraOfName : 0) +
      (column.name === "Status" ? extraOfState : 0),
    isWide: (column.priority ?? 0) > 0,
  }));
  const [first, ...rest] = all;
  if (!first) return [];
  const namespace = { name: "Namespace", at: -1, width: longest("Namespace", (row) => row.namespace), isWide: false };
  const wanted = [first, ...(withNamespace ? [namespace] : []), ...rest];
  const shown = new Set<ShownColumn>(wanted.filter(({ isWide }) => !isWide));
  const room = widthPx / characterPx;
  const used = () => [...shown].reduce((sum, { width }) => sum + leastOf(width), 0);
  for (const column of [...shown].slice(2).reverse()) {
    if (used() <= room) break;
    if (column.name !== "Age" && column.at !== 1) shown.delete(column);
  }
  // They come where nothing else is cut for them.
  const whole = () => [...shown].reduce((sum, { width }) => sum + width, 0);
  for (const column of wanted) {
    if (column.isWide && whole() + column.width <= room) shown.add(column);
  }
  return fitted(
    wanted.filter((column) => shown.has(column)),
    room,
  );
}

/** Below this a text says nothing any more. */
function leastOf(width: number): number {
  return Math.min(width, 16);
}

/** If the columns are wider than the room, cuts the widest of them alone. */
function fitted(columns: readonly ShownColumn[], room: number): ShownColumn[] {
  const widths = columns.map(({ width }) => width).sort((one, other) => one - other);
  let left = room;
  let most = Number.POSITIVE_INFINITY;
  for (const [at, width] of widths.entries()) {
    const share = left / (widths.length - at);
    if (width > share) {
      most = share;
      break;
    }
    left -= width;
  }
  return columns.map(({ name, at, width }) => ({
    name,
    at,
    width: Math.max(1, Math.round(10 * Math.min(width, most)) / 10),
  }));
}

/** For `grid-template-columns`. */
export function templateOf(shown: readonly ShownColumn[]): string {
  return shown.map(({ width }) => `minmax(0, ${width}fr)`).join(" ");
}
