// Rows of a table for searching, sorting and rendering. Independent of the page.
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
  /** The time when an event was last seen, computed from its age in the row. */
  readonly seenAt: string | undefined;
  /** The resource version, which orders rows of the same second. */
  readonly revision: number;
  /** The texts of the columns. */
  readonly texts: readonly string[];
  /** The tone of the status column. Undefined if there is none. */
  readonly tone: Tone | undefined;
  /** The lower-case text that is searched. */
  readonly text: string;
}

/** Returns the rows. `cache` keeps the rows of unchanged table rows. */
export function rowsOf(
  all: readonly TableRow[],
  columns: readonly Column[],
  cache: WeakMap<TableRow, Row>,
  nowMs: number,
): readonly Row[] {
  return all.map((tableRow) => {
    const cached = cache.get(tableRow);
    if (cached) return cached;
    const row = rowOf(tableRow, columns, nowMs);
    cache.set(tableRow, row);
    return row;
  });
}

function rowOf({ metadata, cells }: TableRow, columns: readonly Column[], nowMs: number): Row {
  const { uid = "", name = "", namespace = "", labels = {}, creationTimestamp = "", deletionTimestamp } = metadata;
  const texts = cells.map(cellText);
  const lastSeen = texts[columns.findIndex((column) => column.name === lastSeenColumn)];
  const seenMs = lastSeen === undefined ? undefined : durationMs(lastSeen);
  const seenAt = seenMs === undefined ? undefined : new Date(nowMs - seenMs).toISOString();
  const revision = Number(metadata.resourceVersion ?? 0);
  const tone = deletionTimestamp ? "busy" : toneOf(columns, texts);
  const text = [name, namespace, ...texts, formatLabels(labels)].join("\n").toLowerCase();
  return { uid, name, namespace, labels, createdAt: creationTimestamp ?? "", seenAt, revision, texts, tone, text };
}

export const lastSeenColumn = "Last Seen";

const unitMs: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, y: 365 * 864e5 };

/** Parses a duration as kubectl prints it, such as `3m20s`. */
function durationMs(text: string): number | undefined {
  // The clocks differ, and the time is in the future.
  if (text === "<invalid>") return 0;
  const units = [...text.matchAll(/(\d{1,9})([smhdy])/g)];
  if (units.length === 0) return undefined;
  return units.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}

/** The maximum length of a cell, because a cell of a custom kind may be as long as its object. */
const cellCharacters = 500;

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return (typeof cell === "string" ? cell : JSON.stringify(cell)).slice(0, cellCharacters);
}

const statusColumns = new Set(["status", "phase", "state", "ready", "available", "synced", "healthy"]);

/** Returns the index of the column that shows the status, or -1. */
export function statusColumn(columns: readonly Column[]): number {
  const names = columns.map(({ name }) => name.toLowerCase());
  for (const columnName of statusColumns) {
    const at = names.indexOf(columnName);
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
  /** The name of a column, "namespace", or empty for namespace and name. */
  readonly by: string;
  readonly isDown: boolean;
}

/** Parses a sorting such as `-age` or `restarts`. */
export function readSorting(text: string, columns: readonly Column[] = []): Sorting {
  // Events are sorted by last seen, newest first.
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
  // Older objects sort later because their age is greater.
  if (by === "age") return (a, b) => compareText(b.createdAt, a.createdAt);
  if (by === lastSeenColumn.toLowerCase())
    return (a, b) => compareText(b.seenAt ?? "", a.seenAt ?? "") || b.revision - a.revision;
  if (by === "namespace" || at < 0) return byPlace;
  return (a, b) => compareCells(a.texts[at] ?? "", b.texts[at] ?? "");
}

function byPlace(a: Row, b: Row): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

/** Compares numbers by value, including `3 (5m ago)` and `2/3`. */
function compareCells(a: string, b: string): number {
  const [left, right] = [Number.parseFloat(a), Number.parseFloat(b)];
  if (!Number.isNaN(left) && !Number.isNaN(right) && left !== right) return left - right;
  return compareText(a, b);
}
