// Which sandboxes visitors of others' pages have, and what a publishable key still allows. In memory, and written through.
import {
  type Admitted,
  type LiveSandbox,
  type Quota,
  type Visit,
  type Visited,
  type VisitLimit,
  type VisitUser,
  visitLimits,
} from "../../shared/contract/tenant-object.ts";
import type { Sql } from "../store/sql.ts";

export const hourMs = 3_600_000;

/** As far as it is looked at here. */
interface Counted extends LiveSandbox {
  readonly goneAtMs: number | null;
  readonly isMade: boolean;
}

interface Row {
  id: string;
  key: string;
  visitor: string;
  wish: string;
  address: string;
  user: string;
  groups: string;
}

type Known = Omit<Visit, "kind" | "most">;
type LimitReached = Pick<Extract<Admitted, { ok: false }>, "limit" | "reached">;

export class Visits {
  readonly #sql: Sql;
  readonly #byId = new Map<string, Known>();

  /** Its table exists. */
  constructor(sql: Sql) {
    this.#sql = sql;
    for (const { id, user, groups, ...row } of sql.all<Row>("SELECT * FROM visits")) {
      // `add` wrote a list of strings.
      this.#byId.set(id, { ...row, user: { name: user, groups: JSON.parse(groups) as VisitUser["groups"] } });
    }
  }

  add(id: string, { key, visitor, wish, address, user }: Visit): void {
    this.#byId.set(id, { key, visitor, wish, address, user });
    this.#sql.run(
      "INSERT OR REPLACE INTO visits (id, key, visitor, wish, address, user, groups) VALUES (?, ?, ?, ?, ?, ?, ?)",
      id,
      key,
      visitor,
      wish,
      address,
      user.name,
      JSON.stringify(user.groups),
    );
  }

  forget(id: string): void {
    if (this.#byId.delete(id)) this.#sql.run("DELETE FROM visits WHERE id = ?", id);
  }

  find({ key, visitor, wish }: Pick<Visit, "key" | "visitor" | "wish">, live: readonly Counted[]): Visited | undefined {
    for (const { id, isMade } of live) {
      const known = this.#byId.get(id);
      if (known?.key === key && known.visitor === visitor && known.wish === wish)
        return { id, isMade, user: known.user };
    }
    return undefined;
  }

  /** Why there is no further one for this visit. `all`: also those that are gone and were made within the last hour. */
  refusalOf(visit: Visit, all: readonly Counted[], nowMs: number): LimitReached | undefined {
    const live = all.filter(({ goneAtMs }) => goneAtMs === null);
    if (this.find(visit, live)) return { limit: "visited" };
    const of = (some: readonly Counted[], is: (known: Known) => boolean) =>
      some.filter(({ id }) => {
        const known = this.#byId.get(id);
        return known?.key === visit.key && is(known);
      });
    const made = all.filter(({ createdAtMs }) => createdAtMs > nowMs - hourMs);
    const counted: Readonly<Record<VisitLimit, readonly Counted[]>> = {
      perVisitor: of(live, ({ visitor }) => visitor === visit.visitor),
      atOnce: of(live, () => true),
      perHour: of(made, () => true),
      // Of who comes from nowhere that is known nothing is told apart.
      perAddress: of(made, ({ address }) => address !== "" && address === visit.address),
    };
    const limit = visitLimits.find((one) => counted[one].length >= visit.most[one]);
    if (limit === undefined) return undefined;
    const endOf = limit === "perVisitor" || limit === "atOnce" ? expiry : hourAfter;
    const first = counted[limit].map(endOf).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const reached: Quota = {
      limited: visit.most[limit],
      used: counted[limit].length,
      resetMs: Number.isFinite(first) ? Math.max(0, first - nowMs) : undefined,
    };
    return { limit, reached };
  }
}

function expiry({ expiresAtMs }: LiveSandbox): number {
  return expiresAtMs;
}

function hourAfter({ createdAtMs }: LiveSandbox): number {
  return createdAtMs + hourMs;
}
