// A tenant's sandboxes as they are counted: which are there, and which were made within the last hour. In memory, and written through.
import { limits } from "../../shared/base/limits.ts";
import type {
  Admitted,
  CountedLimit,
  LiveSandbox,
  Quota,
  Quotas,
  Source,
  TrialSource,
  Visit,
  Visited,
} from "../../shared/contract/tenant-object.ts";
import type { Sql } from "../store/sql.ts";
import { hourMs, Visits } from "./visits.ts";

/** See `told` of the table. */
export const told = { ready: 1, expiringSoon: 2 } as const;

export interface Counted extends LiveSandbox {
  name: string;
  expiresAtMs: number;
  /** Null while it is there. */
  goneAtMs: number | null;
  isMade: boolean;
  told: number;
  /** Of a trial; else empty. */
  readonly address: string;
  readonly ticket: string;
}

interface Row {
  address: string;
  ticket: string;
  id: string;
  name: string;
  created_ms: number;
  expires_ms: number;
  gone_ms: number | null;
  is_made: number;
  told: number;
}

const fresh = { goneAtMs: null, isMade: false, told: 0, address: "", ticket: "" };

export class LiveSandboxes {
  readonly #sql: Sql;
  readonly #ended: (sandbox: Counted) => void;
  readonly #all = new Map<string, Counted>();
  readonly #visits: Visits;
  /** Until when requests that make sandboxes have them. In memory alone: a lease is shorter than the grace after the opening. */
  readonly #leases = new Map<string, number>();
  readonly #openedMs: number;
  #reconciledMs = Number.NEGATIVE_INFINITY;

  /** `ended` is told of each that is there no more. */
  constructor(sql: Sql, openedMs: number, ended: (sandbox: Counted) => void) {
    this.#sql = sql;
    this.#openedMs = openedMs;
    this.#ended = ended;
    this.#visits = new Visits(sql);
    for (const row of sql.all<Row>("SELECT * FROM sandboxes")) {
      this.#all.set(row.id, {
        id: row.id,
        name: row.name,
        createdAtMs: row.created_ms,
        expiresAtMs: row.expires_ms,
        goneAtMs: row.gone_ms,
        isMade: row.is_made === 1,
        told: row.told,
        address: row.address,
        ticket: row.ticket,
      });
    }
  }

  /** Counts it, unless that would be one too many. */
  admit(
    sandbox: LiveSandbox,
    limited: Readonly<Record<CountedLimit, number | null>>,
    nowMs: number,
    source: Source | undefined,
  ): Admitted {
    this.settle(nowMs);
    const before = this.quotas(limited, nowMs);
    const isDoubtful = this.isDoubtful(nowMs) || this.#reconciledMs <= nowMs - limits.recountMs;
    const refused = source && this.#refusalOf(source, nowMs);
    if (refused) return { ok: false, quotas: before, isDoubtful, ...refused };
    const most = { ...limited, liveSandboxes: Math.min(limited.liveSandboxes ?? Infinity, limits.tenantSandboxes) };
    for (const limit of ["creationsPerHour", "liveSandboxes"] as const) {
      if (before[limit].used >= (most[limit] ?? Infinity)) return { ok: false, limit, quotas: before, isDoubtful };
    }
    const { address = "", ticket = "" } = source?.kind === "trial" ? source : {};
    this.#add({ ...sandbox, ...fresh, address, ticket });
    this.renew(sandbox.id, nowMs);
    if (source?.kind === "visit") this.#visits.add(sandbox.id, source);
    return { ok: true, quotas: this.quotas(limited, nowMs) };
  }

  renew(id: string, nowMs: number): boolean {
    if (!this.#isLive(id)) return false;
    this.#leases.set(id, nowMs + limits.requestLeaseMs);
    return true;
  }

  /** Reports whether no request has a lease of it any more. */
  isAbandoned(id: string, nowMs: number): boolean {
    return this.#leaseOf(id) <= nowMs;
  }

  /** Reports whether a request may have been cut off before it counted what it did. */
  isDoubtful(nowMs: number): boolean {
    const live = this.live();
    const isUnchecked =
      this.#reconciledMs === Number.NEGATIVE_INFINITY && live.some((one) => !this.#leases.has(one.id));
    return isUnchecked || live.some(({ id, isMade }) => !isMade && this.isAbandoned(id, nowMs));
  }

  /** After the opening, who has made a sandbox may still be at work: there is time to renew. */
  #leaseOf(id: string): number {
    const one = this.#all.get(id);
    const isRecent = one !== undefined && one.createdAtMs > this.#openedMs - limits.sandboxMakingMs;
    return this.#leases.get(id) ?? (isRecent ? this.#openedMs + limits.requestLeaseMs : Number.NEGATIVE_INFINITY);
  }

  /** The sandbox that a visitor has. */
  visited(visit: Pick<Visit, "key" | "visitor" | "wish">): Visited | undefined {
    return this.#visits.find(visit, this.live());
  }

  #refusalOf(source: Source, nowMs: number): Pick<Extract<Admitted, { ok: false }>, "limit" | "reached"> | undefined {
    if (source.kind === "visit") return this.#visits.refusalOf(source, [...this.#all.values()], nowMs);
    const limit = this.#trialRefusal(source, nowMs);
    return limit && { limit };
  }

  #trialRefusal({ address, ticket, most }: TrialSource, nowMs: number): "creationsPerAddress" | "ticket" | undefined {
    const made = [...this.#all.values()].filter((one) => one.createdAtMs > nowMs - hourMs && one.address === address);
    if (made.some((one) => one.ticket === ticket)) return "ticket";
    return made.length >= most ? "creationsPerAddress" : undefined;
  }

  quotas(limited: Readonly<Record<CountedLimit, number | null>>, nowMs: number): Quotas {
    const live = this.live();
    const made = [...this.#all.values()].filter(({ createdAtMs }) => createdAtMs > nowMs - hourMs);
    const least = (times: readonly number[]) =>
      times.length === 0 ? undefined : Math.max(0, times.reduce((a, b) => Math.min(a, b)) - nowMs);
    const quota = (limit: CountedLimit, used: number, times: readonly number[]): Quota => {
      return { limited: limited[limit], used, resetMs: least(times) };
    };
    return {
      creationsPerHour: quota(
        "creationsPerHour",
        made.length,
        made.map(({ createdAtMs }) => createdAtMs + hourMs),
      ),
      liveSandboxes: quota(
        "liveSandboxes",
        live.length,
        live.map(({ expiresAtMs }) => expiresAtMs),
      ),
    };
  }

  find(id: string): Counted | undefined {
    return this.#all.get(id);
  }

  live(): Counted[] {
    return [...this.#all.values()].filter(({ goneAtMs }) => goneAtMs === null);
  }

  /** Those whose time is up are gone, and what nobody counts any more is forgotten. Returns who expired. */
  settle(nowMs: number): Counted[] {
    const expired = this.live().filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
    for (const one of expired) this.end(one.id, one.expiresAtMs);
    for (const { id, goneAtMs, createdAtMs } of [...this.#all.values()]) {
      // A list of the directory that is on its way may still have it.
      if (goneAtMs === null || createdAtMs > nowMs - hourMs || goneAtMs > nowMs - limits.sandboxMakingMs) continue;
      this.#all.delete(id);
      this.#leases.delete(id);
      this.#sql.run("DELETE FROM sandboxes WHERE id = ?", id);
      this.#visits.forget(id);
    }
    return expired.filter(({ isMade }) => isMade);
  }

  change(id: string, to: Partial<Pick<Counted, "name" | "expiresAtMs" | "isMade" | "told">>): void {
    const one = this.#all.get(id);
    if (!one) return;
    Object.assign(one, to);
    this.#write(one);
  }

  end(id: string, atMs: number): void {
    const one = this.#all.get(id);
    if (!one || one.goneAtMs !== null) return;
    one.goneAtMs = Math.min(atMs, one.expiresAtMs);
    this.#write(one);
    this.#ended(one);
  }

  /** Returns how many were counted that are not there, or not counted that are. What changed after the list was made is not in question. */
  reconcile(live: readonly LiveSandbox[], listedAtMs: number, nowMs: number): number {
    this.settle(nowMs);
    this.#reconciledMs = nowMs;
    const there = new Map(live.filter(({ expiresAtMs }) => expiresAtMs > nowMs).map((one) => [one.id, one]));
    const lost = this.live().filter(({ id }) => !there.has(id) && this.isAbandoned(id, listedAtMs));
    for (const { id } of lost) this.end(id, nowMs);
    const hasEnded = (id: string) => (this.#all.get(id)?.goneAtMs ?? Number.NEGATIVE_INFINITY) > listedAtMs;
    const unknown = [...there.values()].filter(({ id }) => !this.#isLive(id) && !hasEnded(id));
    for (const one of unknown) this.#add({ ...one, ...fresh, isMade: true });
    // Who is in the directory is made, whether that was said or not.
    for (const { id, isMade } of this.live()) if (!isMade && there.has(id)) this.change(id, { isMade: true });
    return lost.length + unknown.length;
  }

  #isLive(id: string): boolean {
    return this.#all.get(id)?.goneAtMs === null;
  }

  #add(one: Counted): void {
    this.#all.set(one.id, one);
    this.#write(one);
  }

  #write({ id, name, createdAtMs, expiresAtMs, goneAtMs, isMade, told: bits, address, ticket }: Counted): void {
    this.#sql.run(
      `INSERT OR REPLACE INTO sandboxes (id, name, created_ms, expires_ms, gone_ms, is_made, told, address, ticket)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      name,
      createdAtMs,
      expiresAtMs,
      goneAtMs,
      isMade ? 1 : 0,
      bits,
      address,
      ticket,
    );
  }
}
