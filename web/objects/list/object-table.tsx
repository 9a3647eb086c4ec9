// A table of any kind that renders only the visible rows.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { messages } from "../../messages.ts";
import { Age } from "../../parts/age.tsx";
import { texts as bulkTexts } from "../../messages/bulk.ts";
import { selected } from "./bulk.ts";
import { type ShownColumn, type TableLayout, layoutFor, templateOf } from "./columns.ts";
import type { Column } from "../../live/table-row.ts";
import { lastSeenColumn, type Row, type Sorting, statusColumn } from "./rows.ts";
import { type View, scrollTo, windowOf } from "./window.ts";

interface Props {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly withNamespace: boolean;
  readonly sorting: Sorting;
  readonly sort: (by: string) => void;
  readonly openedUid: string | undefined;
  readonly open: (row: Row) => void;
  readonly href: (row: Row) => string;
  /** Acts on a row by a key. Reports whether it did. */
  readonly act: (row: Row, key: string) => boolean;
  /** The uids of the selected rows, and how to change them. Undefined: rows cannot be selected. */
  readonly selection: Selection | undefined;
}

interface Selection {
  readonly uids: ReadonlySet<string>;
  set(uids: ReadonlySet<string>): void;
}

const rowPx = 36;
const cardPx = 78;
/** The height of a message of two lines below its row, and below a card. */
const messagePx = 40;
const cardMessagePx = 36;
const fittedPx = 13;
/** Below this width, a row is a card: the name, and the other cells in two lines below it. */
const cardsBelowPx = 560;
/** The width of the column of boxes to tick, at a font size of 13 px. */
const checkPx = 31;

export function ObjectTable(props: Props) {
  const { label, columns, rows, withNamespace, open, openedUid, href } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const { view, widthPx, scroll } = useView(box);
  const isCards = widthPx < cardsBelowPx;
  // A card has no room for a box to tick.
  const selection = isCards ? undefined : props.selection;
  const roomPx = isCards ? 4 * cardsBelowPx : widthPx - (selection ? checkPx : 0);
  const { shownColumns, below } = useMemo(
    () => layoutFor(columns, rows, { widthPx: roomPx, withNamespace, isCard: isCards }),
    [columns, isCards, roomPx, withNamespace, rows],
  );
  const eachPx = (isCards ? cardPx : rowPx) + (below ? (isCards ? cardMessagePx : messagePx) : 0);
  const { active, setActive, select, press } = useActive({ ...props, selection }, eachPx, view, box);
  const { from, to, offsetPx, totalPx } = windowOf(rows.length, eachPx, view);
  return (
    <div
      class={["grid", isCards && "cards-of-rows", below && "stacked"].filter(Boolean).join(" ")}
      style={{
        "--template": `${selection ? "2.4rem " : ""}${templateOf(shownColumns)}`,
        "--row": `${eachPx}px`,
      }}
    >
      <div
        ref={box}
        class="grid-box"
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-multiselectable={selection !== undefined}
        aria-rowcount={rows.length + 1}
        aria-colcount={shownColumns.length + (below ? 1 : 0) + (selection ? 1 : 0)}
        aria-activedescendant={active >= from && active < to ? `${id}-${active}` : undefined}
        onKeyDown={press}
        onScroll={scroll}
        data-grid
      >
        <HeadRow {...props} selection={selection} shownColumns={shownColumns} below={below} />
        <div role="rowgroup" style={{ height: `${totalPx}px` }}>
          <div role="presentation" style={{ transform: `translateY(${offsetPx}px)` }}>
            {rows.slice(from, to).map((row, place) => (
              <BodyRow
                key={row.uid}
                id={`${id}-${from + place}`}
                row={row}
                shownColumns={shownColumns}
                below={below}
                index={from + place}
                columns={columns}
                isActive={active === from + place}
                isOpened={row.uid === openedUid}
                href={href(row)}
                isSelected={selection?.uids.has(row.uid)}
                select={(isRange) => select(from + place, isRange)}
                open={() => {
                  setActive(from + place);
                  open(row);
                }}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Holds the active row, which the keys move, open, select and act on. */
function useActive(
  { rows, open, act, selection }: Props,
  eachPx: number,
  view: View,
  box: { readonly current: HTMLDivElement | null },
) {
  const [active, setActive] = useState(-1);
  const select = (at: number, isRange: boolean) => {
    selection?.set(selected(selection.uids, rows, { at, from: isRange && active >= 0 ? active : undefined }));
    setActive(at);
  };
  const activate = (at: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    setActive(next);
    if (box.current) box.current.scrollTop = scrollTo(next, eachPx, view);
  };
  const press = (event: KeyboardEvent) => {
    const row = rows[active];
    const withControl = event.ctrlKey || event.metaKey;
    const to = rowFor(event.key, active, rows.length, Math.max(1, Math.floor(view.heightPx / eachPx) - 1));
    if (withControl && event.key === "a" && selection) selection.set(new Set(rows.map(({ uid }) => uid)));
    else if (withControl || event.altKey) return;
    else if (to !== undefined) activate(to);
    else if (event.key === "Enter" && row) open(row);
    else if (event.key === "x" && row && selection) select(active, false);
    else if (!row || !act(row, event.key)) return;
    event.preventDefault();
  };
  return { active, setActive, select, press };
}

/** Returns the row that a key moves to, or undefined if the key does not move. */
function rowFor(key: string, active: number, count: number, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    j: 1,
    ArrowUp: -1,
    k: -1,
    PageDown: page,
    PageUp: -page,
  };
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = steps[key];
  return step === undefined ? undefined : active + step;
}

/** Tracks the visible range and the width of the box. */
function useView(box: { readonly current: HTMLDivElement | null }) {
  const [view, setView] = useState<View>({ scrollPx: 0, heightPx: 600 });
  const [widthPx, setWidth] = useState(900);
  const drawing = useRef(0);
  const look = () => {
    const { scrollTop = 0, clientHeight = 0, clientWidth = 0 } = box.current ?? {};
    setView({ scrollPx: scrollTop, heightPx: clientHeight });
    // Columns are computed for 13 px, but the user's font may be larger.
    setWidth((clientWidth * fittedPx) / Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  };
  useLayoutEffect(look, []);
  useEffect(() => {
    const observer = new ResizeObserver(look);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const scroll = () => {
    cancelAnimationFrame(drawing.current);
    drawing.current = requestAnimationFrame(look);
  };
  return { view, widthPx, scroll };
}

function HeadRow({ shownColumns, sorting, sort, rows, selection, below }: Props & TableLayout) {
  const isWhole = selection !== undefined && rows.every(({ uid }) => selection.uids.has(uid));
  return (
    <div role="rowgroup" class="grid-head">
      <div role="row" class="grid-row" aria-rowindex={1}>
        {selection && (
          <div role="columnheader" class="check">
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={bulkTexts.selectAll}
              checked={isWhole}
              onChange={() => selection.set(isWhole ? new Set() : new Set(rows.map(({ uid }) => uid)))}
            />
          </div>
        )}
        {shownColumns.map(({ name }) => {
          const by = name.toLowerCase();
          const isBy = sorting.by === by || (sorting.by === "" && by === "name");
          const order = isBy ? (sorting.isDown ? "descending" : "ascending") : "none";
          return (
            <div key={name} role="columnheader" aria-sort={order}>
              <button
                type="button"
                class="sort"
                tabIndex={-1}
                title={messages.list.sortBy(name)}
                onClick={() => sort(by)}
              >
                {name}
                {isBy && <span aria-hidden="true">{sorting.isDown ? " ↓" : " ↑"}</span>}
              </button>
            </div>
          );
        })}
        {below && (
          <div role="columnheader" class="unseen">
            {below.name}
          </div>
        )}
      </div>
    </div>
  );
}

interface BodyProps {
  readonly id: string;
  readonly row: Row;
  readonly shownColumns: readonly ShownColumn[];
  /** The column whose text stands below the others. */
  readonly below: ShownColumn | undefined;
  readonly columns: readonly Column[];
  readonly index: number;
  readonly isActive: boolean;
  readonly isOpened: boolean;
  readonly href: string;
  /** Undefined: rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  /** Selects the row, or all rows from the active one. */
  readonly select: (isRange: boolean) => void;
  readonly open: () => void;
}

function BodyRow(props: BodyProps) {
  const { id, row, shownColumns, below, columns, index, isActive, isOpened, href, isSelected, select, open } = props;
  const status = statusColumn(columns);
  const classes = ["grid-row", isActive && "active", isOpened && "selected"].filter(Boolean).join(" ");
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.button !== 0) return;
    event.preventDefault();
    open();
  };
  return (
    <div
      id={id}
      role="row"
      class={classes}
      aria-rowindex={index + 2}
      aria-selected={isSelected ?? isOpened}
      data-name={row.name}
      onClick={follow}
    >
      {isSelected !== undefined && (
        <div role="gridcell" class="check" onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={bulkTexts.select(row.name)}
            checked={isSelected}
            onClick={(event) => {
              event.stopPropagation();
              select(event.shiftKey);
            }}
          />
        </div>
      )}
      {shownColumns.map(({ name, at }, place) => {
        const text = at < 0 ? row.namespace : (row.texts[at] ?? "");
        const content = <CellContent row={row} name={name} text={text} isStatus={at === status} />;
        return (
          <div key={name} role="gridcell" data-label={name} title={text}>
            {place === 0 ? (
              <a href={href} tabIndex={-1}>
                {content}
              </a>
            ) : (
              content
            )}
          </div>
        );
      })}
      {below && (
        <div role="gridcell" class="below" title={row.texts[below.at]}>
          {row.texts[below.at]}
        </div>
      )}
    </div>
  );
}

interface CellProps {
  readonly row: Row;
  /** The name of the column. */
  readonly name: string;
  readonly text: string;
  readonly isStatus: boolean;
}

function CellContent({ row, name, text, isStatus }: CellProps) {
  if (isStatus && row.tone && text) return <span class={`chip ${row.tone}`}>{text}</span>;
  if (name === "Age") return <Age time={row.createdAt} />;
  if (name === lastSeenColumn) return <Age time={row.seenAt} />;
  return <>{text}</>;
}
