// The sandboxes of visitors of embedded pages, and the limits of publishable keys. Held in memory and written through.
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

/** The properties of a counted sandbox that visits need. */
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

type StoredVisit = Omit<Visit, "kind" | "most">;
type LimitReached = Pick<Extract<Admitted, { ok: false }>, "limit" | "reached">;

export class Visits {
  readonly #sql: Sql;
  readonly #byId = new Map<string, StoredVisit>();

  /** Requires that the table exists. */
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
      const visit = this.#byId.get(id);
      if (visit?.key === key && visit.visitor === visitor && visit.wish === wish)
        return { id, isMade, user: visit.user };
    }
    return undefined;
  }

  /** Returns the limit that refuses a visit. `all` includes sandboxes of the last hour that are gone. */
  refusalOf(visit: Visit, all: readonly Counted[], nowMs: number): LimitReached | undefined {
    const live = all.filter(({ goneAtMs }) => goneAtMs === null);
    if (this.find(visit, live)) return { limit: "visited" };
    const ofKey = (some: readonly Counted[], matches: (stored: StoredVisit) => boolean) =>
      some.filter(({ id }) => {
        const storedVisit = this.#byId.get(id);
        return storedVisit?.key === visit.key && matches(storedVisit);
      });
    const recent = all.filter(({ createdAtMs }) => createdAtMs > nowMs - hourMs);
    const counted: Readonly<Record<VisitLimit, readonly Counted[]>> = {
      perVisitor: ofKey(live, ({ visitor }) => visitor === visit.visitor),
      atOnce: ofKey(live, () => true),
      perHour: ofKey(recent, () => true),
      // Visitors without a known address are not distinguished.
      perAddress: ofKey(recent, ({ address }) => address !== "" && address === visit.address),
    };
    const limit = visitLimits.find((limitName) => counted[limitName].length >= visit.most[limitName]);
    if (limit === undefined) return undefined;
    const resetTimeOf = limit === "perVisitor" || limit === "atOnce" ? expiry : hourAfterCreation;
    const earliestMs = counted[limit].map(resetTimeOf).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const reached: Quota = {
      limited: visit.most[limit],
      used: counted[limit].length,
      resetMs: Number.isFinite(earliestMs) ? Math.max(0, earliestMs - nowMs) : undefined,
    };
    return { limit, reached };
  }
}

function expiry({ expiresAtMs }: LiveSandbox): number {
  return expiresAtMs;
}

function hourAfterCreation({ createdAtMs }: LiveSandbox): number {
  return createdAtMs + hourMs;
}
