// Chooses the columns that fit into the width, and their widths. Independent of the page.
import type { Column } from "../../live/table-row.ts";
import type { Row } from "./rows.ts";

export interface ShownColumn {
  readonly name: string;
  /** The index of the cell. -1 is the namespace, which is not a cell. */
  readonly at: number;
  /** The desired width in characters. */
  readonly width: number;
}

/** The mean width of a character at the console's font size of 13 px. */
const characterPx = 7;
const paddingCharacters = 2.6;
const extraOfName = 2.5;
/** The extra width of a state with its dot. */
const extraOfState = 4;
/** The maximum width in characters. Longer texts are truncated and shown in full on hover. */
const widestCharacters = 120;
/** The width of the longest duration that kubectl prints, such as `10m30s`, because ages grow while they are shown. */
const ageCharacters = 6;
/** The width up to which a name is shown in full although other columns are dropped. */
const mostOfName = 45;
const ageColumns = new Set(["Age", "Last Seen", "First Seen", "Duration"]);
const sampleRows = 2000;

/** The width in characters at which a message is still useful beside the other columns. */
const leastOfMessage = 48;

export interface TableLayout {
  readonly shownColumns: readonly ShownColumn[];
  /** The column whose text has lines of its own below the row. Undefined if it fits beside the others, or if there is none. */
  readonly below: ShownColumn | undefined;
}

/** Chooses columns like `columnsFor`. A message that does not fit, or is on a card, stands below its row: it says most about an event. */
export function layoutFor(columns: readonly Column[], rows: readonly Row[], fit: Fit): TableLayout {
  const beside = columnsFor(columns, rows, fit);
  const at = columns.findIndex(({ name }) => name === "Message");
  if (at < 1) return { shownColumns: beside, below: undefined };
  const longest = rows.reduce((most, { texts }) => Math.max(most, texts[at]?.length ?? 0), 0);
  const width = beside.find((column) => column.at === at)?.width ?? 0;
  if (!fit.isCard && width >= Math.min(longest, leastOfMessage)) return { shownColumns: beside, below: undefined };
  return { shownColumns: columnsFor(columns, rows, { ...fit, without: at }), below: { name: "Message", at, width: 1 } };
}

interface Fit {
  readonly widthPx: number;
  readonly withNamespace: boolean;
  /** The index of a column that is not shown. */
  readonly without?: number;
  readonly isCard?: boolean;
}

/**
 * Chooses columns; the first is the name. Wide columns are added if there is room. If there is too little, columns are dropped from the
 * end, except the age.
 */
export function columnsFor(
  columns: readonly Column[],
  rows: readonly Row[],
  { widthPx, withNamespace, without = -1 }: Fit,
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
    // Names are bold, so they are wider.
    width:
      longest(column.name, (row) => row.texts[at] ?? "") +
      (at === 0 ? extraOfName : 0) +
      (column.name === "Status" ? extraOfState : 0),
    isWide: (column.priority ?? 0) > 0,
  }));
  const [first, ...rest] = all.filter(({ at }) => at !== without);
  if (!first) return [];
  const namespace = { name: "Namespace", at: -1, width: longest("Namespace", (row) => row.namespace), isWide: false };
  const candidates = [first, ...(withNamespace ? [namespace] : []), ...rest];
  const chosen = new Set<ShownColumn>(candidates.filter(({ isWide }) => !isWide));
  const room = widthPx / characterPx;
  const leastOfName = Math.min(first.width, mostOfName);
  const used = () => [...chosen].reduce((sum, { width }) => sum + leastOf(width), leastOfName - leastOf(first.width));
  for (const column of [...chosen].slice(2).reverse()) {
    if (used() <= room) break;
    if (column.name !== "Age" && column.at !== 1) chosen.delete(column);
  }
  // Wide columns are added only if they do not shrink the others.
  const totalWidth = () => [...chosen].reduce((sum, { width }) => sum + width, 0);
  for (const column of candidates) {
    if (column.isWide && totalWidth() + column.width <= room) chosen.add(column);
  }
  return fitted(
    candidates.filter((column) => chosen.has(column)),
    room,
  );
}

/** Returns the minimum width at which a text is still useful. */
function leastOf(width: number): number {
  return Math.min(width, 24);
}

/**
 * If the columns are wider than the room, shrinks only the widest. The name is shrunk last, because its last characters tell a pod from the
 * others.
 */
function fitted([first, ...rest]: readonly ShownColumn[], room: number): ShownColumn[] {
  if (!first) return [];
  const most = mostWidth(rest, room - Math.min(first.width, mostOfName, room / 2));
  const narrowed = rest.map((column) => ({ ...column, width: Math.min(column.width, most) }));
  const left = room - narrowed.reduce((sum, { width }) => sum + width, 0);
  return [{ ...first, width: Math.min(first.width, left) }, ...narrowed].map(({ name, at, width }) => ({
    name,
    at,
    width: Math.max(1, Math.round(10 * width) / 10),
  }));
}

/** Returns the width to which the widest columns are shrunk so that all fit into the room. */
function mostWidth(columns: readonly ShownColumn[], room: number): number {
  const widths = columns.map(({ width }) => width).sort((leftWidth, rightWidth) => leftWidth - rightWidth);
  let left = room;
  for (const [at, width] of widths.entries()) {
    const share = left / (widths.length - at);
    if (width > share) return share;
    left -= width;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the value of `grid-template-columns`. */
export function templateOf(columns: readonly ShownColumn[]): string {
  return columns.map(({ width }) => `minmax(0, ${width}fr)`).join(" ");
}
