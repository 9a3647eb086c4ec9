// The table of all pages: sortable columns, and cards on a narrow screen.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { compareNumbered } from "../live/order.ts";
import { texts as all } from "../messages/components.ts";

const texts = all.table;

export interface TableColumn<R> {
  /** The heading. The heading of an action column is visible only to screen readers. */
  readonly name: string;
  cell(row: R): ComponentChildren;
  /** The value by which the column is sorted. Undefined if it cannot be sorted. */
  sortBy?(row: R): string | number;
  /** `wide` takes its own lines on narrow screens; `actions` is at the end. */
  readonly form?: "wide" | "actions";
}

interface Props<R> {
  /** The table's name for screen readers. */
  readonly label: string;
  /** A heading above the table. */
  readonly title?: string;
  readonly class?: string;
  readonly rows: readonly R[];
  /** The columns. The first is the row's header. A row is rendered again only if it or the columns are others. */
  readonly columns: readonly TableColumn<R>[];
  /** An element in the head before the name of the first column. */
  readonly head?: ComponentChildren;
  /** A text that differs if other rows are shown, such as the search: the table then begins again at its first rows. */
  readonly view?: string;
  keyOf(row: R): string;
  /** The name of the row for tests and styles. */
  nameOf?(row: R): string | undefined;
  /** Reports whether the table has no panel of its own. */
  readonly isBare?: boolean;
}

interface Sorting {
  readonly by: string;
  readonly isDown: boolean;
}

export function Table<R>({ label, title, class: kind, columns, keyOf, nameOf, ...props }: Props<R>) {
  const { rows, head, view = "", isBare = false } = props;
  const [sorting, setSorting] = useState<Sorting>();
  const sortedRows = useMemo(() => sorted(rows, columns, sorting), [rows, columns, sorting]);
  const { count, end } = useGrowth(sortedRows.length, `${view}\n${sorting?.by} ${sorting?.isDown}`);
  const sort = (by: string) => setSorting(nextSorting(sorting, by));
  return (
    // The keyboard can scroll the table, too.
    <div class={isBare ? "scroll" : "panel scroll"} tabIndex={0} role="region" aria-label={label}>
      {title && <h2>{title}</h2>}
      <table class={kind}>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <Head
                key={column.name}
                column={column}
                before={at === 0 ? head : undefined}
                sorting={sorting}
                sort={sort}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {sortedRows.slice(0, count).map((row) => (
            <Row key={keyOf(row)} row={row} columns={columns} name={nameOf?.(row)} />
          ))}
        </tbody>
      </table>
      {count < sortedRows.length && <div ref={end} class="table-end" />}
    </div>
  );
}

interface RowProps<R> {
  readonly row: R;
  readonly columns: readonly TableColumn<R>[];
  readonly name: string | undefined;
}

/** An equal element is not compared again, so a change of a long table renders only the rows that changed. */
function Row<R>({ row, columns, name: rowName }: RowProps<R>) {
  return useMemo(
    () => (
      <tr data-name={rowName}>
        {columns.map(({ name, cell, form }, at) =>
          at === 0 ? (
            <th key={name} scope="row">
              {cell(row)}
            </th>
          ) : (
            <td key={name} class={form} data-label={form === "actions" ? undefined : name}>
              {cell(row)}
            </td>
          ),
        )}
      </tr>
    ),
    [row, columns, rowName],
  );
}

const rowsAtFirst = 30;
const rowsMore = 100;

/** Returns how many rows are rendered: more as soon as the end of the table is near, and few again in another view. */
function useGrowth(length: number, view: string) {
  const [grown, setGrown] = useState({ view, count: rowsAtFirst });
  const count = grown.view === view ? grown.count : rowsAtFirst;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = end;
    if (!current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setGrown({ view, count: count + rowsMore }),
      { rootMargin: "800px" },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [view, count, count < length]);
  return { count, end };
}

interface HeadProps<R> {
  readonly column: TableColumn<R>;
  readonly before: ComponentChildren;
  readonly sorting: Sorting | undefined;
  readonly sort: (by: string) => void;
}

function Head<R>({ column: { name, sortBy, form }, before, sorting, sort }: HeadProps<R>) {
  if (!sortBy) return <th scope="col">{form === "actions" ? <span class="unseen">{name}</span> : name}</th>;
  const isBy = sorting?.by === name;
  return (
    <th scope="col" aria-sort={isBy ? (sorting.isDown ? "descending" : "ascending") : "none"}>
      {before}
      <button type="button" class="sort" title={texts.sortBy(name)} onClick={() => sort(name)}>
        {name}
        {isBy && <span aria-hidden="true">{sorting.isDown ? " ↓" : " ↑"}</span>}
      </button>
    </th>
  );
}

/** Returns the next sorting: ascending, descending, unsorted. */
function nextSorting(sorting: Sorting | undefined, by: string): Sorting | undefined {
  if (sorting?.by !== by) return { by, isDown: false };
  return sorting.isDown ? undefined : { by, isDown: true };
}

function sorted<R>(rows: readonly R[], columns: readonly TableColumn<R>[], sorting: Sorting | undefined): readonly R[] {
  const sortBy = columns.find(({ name }) => name === sorting?.by)?.sortBy;
  if (!sortBy || !sorting) return rows;
  const order = (left: R, right: R) => {
    const [a, b] = [sortBy(left), sortBy(right)];
    return typeof a === "number" && typeof b === "number" ? a - b : compareNumbered(String(a), String(b));
  };
  return [...rows].sort((left, right) => (sorting.isDown ? order(right, left) : order(left, right)));
}
