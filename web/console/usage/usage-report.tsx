// Usage as totals, as a bar for each day, and as a table: of the user's own sandboxes or, for an operator, of a tenant's.
import type { Usage } from "../../../shared/contract/hosted/usage.ts";
import { bytesText, countText, dollarsText, shortCountText } from "../../parts/numbers.ts";
import { Table, type TableColumn } from "../../parts/table.tsx";
import { sandboxPath } from "../route.ts";
import { texts as all } from "../../messages/usage.ts";

const texts = all.usageReport;

type Row = Usage["rows"][number];

interface Props {
  readonly usage: Usage;
  readonly by: "sandbox" | "day";
  /** Reports whether sandboxes have no links, because an operator cannot open them. */
  readonly withoutLinks?: boolean;
}

export function UsageReport({ usage, by, withoutLinks = false }: Props) {
  const { total, rows, pricesOf, from, to } = usage;
  return (
    <>
      <dl class="tiles">
        <Tile name={texts.price} value={dollarsText(total.price)} />
        <Tile name={texts.hoursOfSandboxes} value={countText(total.sandboxHours)} />
        <Tile name={texts.requests} value={countText(total.requests)} />
        <Tile name={texts.rowsWritten} value={countText(total.rowsWritten)} />
        <Tile name={texts.mostStored} value={bytesText(total.bytes)} />
      </dl>
      <Bars days={sums(rows, ({ day }) => day)} from={from} to={to} />
      {by === "day" ? <DayTable rows={rows} /> : <SandboxTable rows={rows} withoutLinks={withoutLinks} />}
      <p class="hint">
        {texts.pricesDate} {pricesOf}
        {texts.pricesHint}
      </p>
    </>
  );
}

function Tile({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** The price of each day, including days without usage. The table has the same figures. */
function Bars({
  days,
  from,
  to,
}: {
  readonly days: ReadonlyMap<string, Row>;
  readonly from: string;
  readonly to: string;
}) {
  const all = daysBetween(from, to);
  const most = Math.max(...[...days.values()].map(({ price }) => price));
  if (most === 0) return null;
  return (
    <figure class="panel bars">
      <figcaption>
        {texts.priceByDay} {dollarsText(most)}
      </figcaption>
      <div aria-hidden="true">
        {all.map((day) => {
          const price = days.get(day)?.price ?? 0;
          return (
            <span key={day} title={`${day}: ${dollarsText(price)}`}>
              <span style={{ height: `${(price / most) * 100}%` }} />
            </span>
          );
        })}
      </div>
      <p class="ends" aria-hidden="true">
        <span>{all[0]}</span>
        <span>{all.at(-1)}</span>
      </p>
    </figure>
  );
}

function DayTable({ rows }: { readonly rows: readonly Row[] }) {
  const days = [...sums(rows, ({ day }) => day)].sort(([a], [b]) => (a < b ? 1 : -1));
  return <UsageTable head={texts.day} rows={days} headOf={([day]) => day} nameOf={([day]) => day} />;
}

function SandboxTable({ rows, withoutLinks }: { readonly rows: readonly Row[]; readonly withoutLinks: boolean }) {
  const sandboxes = [...sums(rows, ({ sandbox }) => sandbox?.id ?? "")].sort(([, a], [, b]) => b.price - a.price);
  return (
    <UsageTable
      head={texts.sandbox}
      rows={sandboxes}
      nameOf={([, { sandbox }]) => sandbox?.name ?? texts.eventStreams}
      headOf={([id, { sandbox }]) =>
        sandbox ? (
          <>
            {withoutLinks ? sandbox.name : <a href={sandboxPath(id)}>{sandbox.name}</a>} <code>{id}</code>
          </>
        ) : (
          texts.eventStreams
        )
      }
    />
  );
}

type Sum = readonly [key: string, row: Row];

interface UsageTableProps {
  readonly head: string;
  readonly rows: readonly Sum[];
  headOf(sum: Sum): preact.ComponentChildren;
  nameOf(sum: Sum): string | undefined;
}

function UsageTable({ head, rows, headOf, nameOf }: UsageTableProps) {
  const amount = (name: string, of: (row: Row) => number, text: (value: number) => string): TableColumn<Sum> => ({
    name,
    cell: ([, row]) => text(of(row)),
    sortBy: ([, row]) => of(row),
  });
  return (
    <Table
      class="numbers"
      label={texts.usageBy(head.toLowerCase())}
      rows={rows}
      keyOf={([key]) => key}
      nameOf={nameOf}
      columns={[
        { name: head, cell: headOf, sortBy: (sum) => nameOf(sum) ?? "" },
        amount(texts.hours, ({ sandboxHours }) => sandboxHours, countText),
        amount(texts.awake, ({ awakeHours }) => awakeHours, countText),
        amount(texts.requests, ({ requests }) => requests, shortCountText),
        amount(texts.rowsRead, ({ rowsRead }) => rowsRead, shortCountText),
        amount(texts.rowsWritten, ({ rowsWritten }) => rowsWritten, shortCountText),
        amount(texts.stored, ({ bytes }) => bytes, bytesText),
        amount(texts.price, ({ price }) => price, dollarsText),
      ]}
    />
  );
}

/** Adds up rows by a key. For bytes, the sum is the maximum, as in the service. */
function sums(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlyMap<string, Row> {
  const all = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = all.get(key);
    all.set(key, sum ? added(sum, row) : row);
  }
  return all;
}

function added(sum: Row, row: Row): Row {
  return {
    ...sum,
    ...(row.sandbox ? { sandbox: row.sandbox } : {}),
    sandboxHours: sum.sandboxHours + row.sandboxHours,
    awakeHours: sum.awakeHours + row.awakeHours,
    requests: sum.requests + row.requests,
    rowsRead: sum.rowsRead + row.rowsRead,
    rowsWritten: sum.rowsWritten + row.rowsWritten,
    bytes: Math.max(sum.bytes, row.bytes),
    price: sum.price + row.price,
  };
}

function daysBetween(from: string, to: string): string[] {
  const dayMs = 86_400_000;
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += dayMs) days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
}
