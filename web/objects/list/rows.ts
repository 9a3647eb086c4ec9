// Rows of a table as they are searched, sorted and shown. Knows no page.
import { formatLabels } from "../../../shared/k8s/selectors/labels.ts";
import { compareText } from "../../live/order.ts";
import { type Tone, troubled } from "../../live/status.ts";
import type { Column, TableRow } from "../../live/table-row.ts";

export interface Row {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: string;
  /** When an event was last seen: the column says how long ago that was when the row came. */
  readonly seenAt: string | undefined;
  /** The resource version: the order of what was seen in one second. */
  readonly revision: number;
  /** A text for each column. */
  readonly texts: readonly string[];
  /** Of the column that says how it is; absent where none does. */
  readonly tone: Tone | undefined;
  /** All of it in lower case, to search in. */
  readonly text: string;
}

/** `made` remembers rows: one that has not changed is not made again. */
export function rowsOf(
  all: readonly TableRow[],
  columns: readonly Column[],
  made: WeakMap<TableRow, Row>,
  nowMs: number,
): readonly Row[] {
  return all.map((one) => {
    const known = made.get(one);
    if (known) return known;
    const row = rowOf(one, columns, nowMs);
    made.set(one, row);
    return row;
  });
}

function rowOf({ metadata, cells }: TableRow, columns: readonly Column[], nowMs: number): Row {
  const { uid = "", name = "", namespace = "", labels = {}, creationTimestamp = "", deletionTimestamp } = metadata;
  const texts = cells.map(cellText);
  const seen = texts[columns.findIndex((column) => column.name === lastSeenColumn)];
  const seenMs = seen === undefined ? undefined : durationMs(seen);
  const seenAt = seenMs === undefined ? undefined : new Date(nowMs - seenMs).toISOString();
  const revision = Number(metadata.resourceVersion ?? 0);
  const tone = deletionTimestamp ? "busy" : toneOf(columns, texts);
  const text = [name, namespace, ...texts, formatLabels(labels)].join("\n").toLowerCase();
  return { uid, name, namespace, labels, createdAt: creationTimestamp ?? "", seenAt, revision, texts, tone, text };
}

export const lastSeenColumn = "Last Seen";

const unitMs: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, y: 365 * 864e5 };

/** Reads what kubectl prints of a duration, such as `3m20s`. */
function durationMs(text: string): number | undefined {
  // A time that is still to come, by another clock.
  if (text === "<invalid>") return 0;
  const units = [...text.matchAll(/(\d{1,9})([smhdy])/g)];
  if (units.length === 0) return undefined;
  return units.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}

/** Of a custom kind a cell may be as long as its object. */
const cellCharacters = 500;

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return (typeof cell === "string" ? cell : JSON.stringify(cell)).slice(0, cellCharacters);
}

const statusColumns = new Set(["status", "phase", "state", "ready", "available", "synced", "healthy"]);

/** The column that says how an object is, by its place; -1 where none does. */
export function statusColumn(columns: readonly Column[]): number {
  const names = columns.map(({ name }) => name.toLowerCase());
  for (const wanted of statusColumns) {
    const at = names.indexOf(wanted);
    if (at >= 0) return at;
  }
  return -1;
}

const fine =
  /^(running|active|bound|ready|available|complete|completed|succeeded|true|healthy|approved.*|established|deployed)$/i;
const waiting =
  /^(pending|terminating|released|progressing|creating|suspended|unknown|failing|.*creating|podinitializing|init:.*)$/i;

function toneOf(columns: readonly Column[], texts: readonly string[]): Tone | undefined {
  const at = statusColumn(columns);
  const text = texts[at];
  if (text === undefined || text === "") return undefined;
  const ready = texts[columns.findIndex(({ name }) => name.toLowerCase() === "ready")] ?? "";
  const counted = /^(\d+)\/(\d+)$/.exec(ready);
  const isWhole = !counted || Number(counted[1]) >= Number(counted[2]);
  if (counted && text === ready) return isWhole ? (counted[2] === "0" ? "idle" : "ok") : "busy";
  if (troubled.test(text) || /^(notready|false|lost|failed)\b/i.test(text)) return "bad";
  if (/^(complete|completed|succeeded)$/i.test(text) || /SchedulingDisabled/.test(text)) return "idle";
  if (fine.test(text)) return isWhole ? "ok" : "busy";
  return waiting.test(text) ? "busy" : "idle";
}

export interface Sorting {
  /** A column's name, or "namespace"; "" for namespace and name. */
  readonly by: string;
  readonly isDown: boolean;
}

/** `-age`, `restarts`. */
export function readSorting(text: string, columns: readonly Column[] = []): Sorting {
  // The newest events come first.
  if (text === "" && columns.some(({ name }) => name === lastSeenColumn)) text = lastSeenColumn.toLowerCase();
  return text.startsWith("-") ? { by: text.slice(1), isDown: true } : { by: text, isDown: false };
}

export function sorted(rows: readonly Row[], columns: readonly Column[], { by, isDown }: Sorting): readonly Row[] {
  const at = columns.findIndex(({ name }) => name.toLowerCase() === by);
  const compare = comparing(by, at);
  const all = [...rows].sort((a, b) => compare(a, b) || byPlace(a, b));
  return isDown ? all.reverse() : all;
}

function comparing(by: string, at: number): (a: Row, b: Row) => number {
  // The older comes later: its age is more.
  if (by === "age") return (a, b) => compareText(b.createdAt, a.createdAt);
  if (by === lastSeenColumn.toLowerCase())
    return (a, b) => compareText(b.seenAt ?? "", a.seenAt ?? "") || b.revision - a.revision;
  if (by === "namespace" || at < 0) return byPlace;
  return (a, b) => compareCells(a.texts[at] ?? "", b.texts[at] ?? "");
}

function byPlace(a: Row, b: Row): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

/** Numbers by their values, `3 (5m ago)` and `2/3` among them. */
function compareCells(a: string, b: string): number {
  const [one, other] = [Number.parseFloat(a), Number.parseFloat(b)];
  if (!Number.isNaN(one) && !Number.isNaN(other) && one !== other) return one - other;
  return compareText(a, b);
}
