// Prints tables of the server as rows of text, with columns for namespaces, kinds and labels.
import { formatLabels } from "../../../shared/k8s/selectors/labels.ts";
import { type JsonObject, equalJson, isObject } from "../../../shared/schema/json-values.ts";
import { age } from "../../../shared/k8s/time.ts";
import { metadataOf, nameOf, namespaceOf, stringsAt, textOf } from "../object.ts";
import { escapeTerminal } from "./escape.ts";
import { goValue } from "./go-value.ts";

export interface TableOptions {
  readonly withNamespace: boolean;
  /** The prefix of names: `pod`, `deployment.apps`. */
  readonly kind: string;
  readonly isWide: boolean;
  readonly hasHeaders: boolean;
  readonly labelColumns: readonly string[];
  readonly showsLabels: boolean;
}

export interface TablePrinter {
  /** Returns lines with tabs between cells. */
  rows(object: JsonObject, eventType?: string): string;
}

export interface Column {
  readonly name: string;
  readonly format?: string;
  readonly type?: string;
  readonly priority?: number;
}

export interface Row {
  readonly cells: readonly unknown[];
  readonly object?: JsonObject;
}

export function newTablePrinter(options: TableOptions, nowMs: () => number): TablePrinter {
  let last: readonly Column[] = [];
  let hasPrinted = false;
  return {
    rows: (object, eventType) => {
      const table = isTable(object) ? tableOf(object) : metaTable(object, nowMs());
      const columns = table.columns.length ? table.columns : last;
      if (!equalJson(columns, last)) hasPrinted = false;
      const showsHeaders = options.hasHeaders && !hasPrinted;
      last = columns;
      if (table.rows.length > 0) hasPrinted = true;
      return textOfTable(decorated({ columns, rows: table.rows }, options, eventType), options, showsHeaders);
    },
  };
}

export function isTable(object: JsonObject): boolean {
  return object.kind === "Table" && textOf(object.apiVersion).startsWith("meta.k8s.io/");
}

interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export function tableOf(object: JsonObject): Table {
  // The server always returns this form.
  const { columnDefinitions, rows } = object as { columnDefinitions?: Column[]; rows?: Row[] | null };
  return { columns: columnDefinitions ?? [], rows: rows ?? [] };
}

/** Returns the table of objects that the server returned without one: name and age. */
function metaTable(object: JsonObject, nowMs: number): Table {
  const objects = Array.isArray(object.items) ? object.items.filter(isObject) : [object];
  if (object.kind === "Status") {
    const cells = [object.status, object.reason, object.message].map((field) => textOf(field));
    return { columns: ["Status", "Reason", "Message"].map((name) => ({ name })), rows: [{ cells }] };
  }
  return {
    columns: [{ name: "Name", type: "string", format: "name" }, { name: "Age" }],
    rows: objects.map((object) => ({
      cells: [nameOf(object), age(textOf(metadataOf(object).creationTimestamp), nowMs)],
      object,
    })),
  };
}

function decorated({ columns, rows }: Table, options: TableOptions, eventType: string | undefined): Table {
  const { withNamespace, kind, labelColumns, showsLabels } = options;
  const named = kind ? columns.findIndex(({ format, type }) => format === "name" && type === "string") : -1;
  const extra: Column[] = labelColumns.map((label) => ({ name: (label.split("/").at(-1) ?? "").toUpperCase() }));
  if (showsLabels) extra.push({ name: "Labels" });
  const event: Column[] = eventType ? [{ name: "Event" }] : [];
  return {
    columns: [...event, ...(withNamespace ? [{ name: "Namespace" }] : []), ...columns, ...extra],
    rows: rows.map(({ cells, object = {} }) => {
      const namedCells = cells.map((cell, at) => (at === named ? `${kind}/${goValue(cell)}` : cell));
      const labels = stringsAt(object, "metadata", "labels");
      const more: unknown[] = labelColumns.map((label) => labels[label] ?? "");
      if (showsLabels) more.push(formatLabels(labels));
      const padded = more.length
        ? [...namedCells, ...Array<null>(Math.max(0, columns.length - namedCells.length)).fill(null)]
        : namedCells;
      const first = eventType ? [eventNames[eventType] ?? eventType] : [];
      return { cells: [...first, ...(withNamespace ? [namespaceOf(object)] : []), ...padded, ...more] };
    }),
  };
}

const eventNames: Readonly<Record<string, string>> = {
  ADDED: "ADDED   ",
  MODIFIED: "MODIFIED",
  DELETED: "DELETED ",
  ERROR: "ERROR   ",
};

function textOfTable({ columns, rows }: Table, { isWide }: TableOptions, showsHeaders: boolean): string {
  const isShown = (at: number) => isWide || !columns[at]?.priority;
  const lines: string[] = [];
  if (showsHeaders && rows.length > 0) {
    lines.push(columns.flatMap(({ name }, at) => (isShown(at) ? [name.toUpperCase()] : [])).join("\t"));
  }
  for (const { cells } of rows) {
    const visibleCells = cells.slice(0, columns.length).flatMap((cell, at) => (isShown(at) ? [cellText(cell)] : []));
    lines.push(visibleCells.join("\t"));
  }
  return lines.map((line) => `${line}\n`).join("");
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "string") return escapeTerminal(goValue(cell));
  const end = cell.search(/[\f\n\r]/);
  return end < 0 ? escapeTerminal(cell) : `${escapeTerminal(cell.slice(0, end))}...`;
}
