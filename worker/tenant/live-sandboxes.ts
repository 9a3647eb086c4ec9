// The counted sandboxes of a tenant: the live ones, and those created within the last hour. Held in memory and written through.
import { limits } from "../../shared/base/limits.ts";
import type {
  Admitted,
  CountedLimit,
  CountedLimits,
  LiveSandbox,
  PersonLimit,
  Quota,
  Quotas,
  Source,
  TrialSource,
  Visit,
  Visited,
} from "../../shared/contract/tenant-object.ts";
import type { Sql } from "../store/sql.ts";
import { hourMs, Visits } from "./visits.ts";

/** The bits of the column `told`, one for each event that was sent. */
export const sentEventBits = { ready: 1, expiringSoon: 2 } as const;

export interface Counted extends LiveSandbox {
  name: string;
  expiresAtMs: number;
  /** The time of deletion; null for live sandboxes. */
  goneAtMs: number | null;
  isMade: boolean;
  sentEvents: number;
  isPaused: boolean;
  /** The address of a trial, or empty. */
  readonly address: string;
  readonly ticket: string;
  /** The person who created it, or empty. */
  readonly person: string;
}

interface Row {
  person: string;
  address: string;
  ticket: string;
  id: string;
  name: string;
  created_ms: number;
  expires_ms: number;
  gone_ms: number | null;
  is_made: number;
  sentEvents: number;
  paused: number;
}

/** The reason why a sandbox ends. */
export type SandboxEnd = "expired" | "deleted";

const initialCounters = {
  ...{ goneAtMs: null, isMade: false, sentEvents: 0, isPaused: false },
  ...{ address: "", ticket: "", person: "" },
};

export class LiveSandboxes {
  readonly #sql: Sql;
  readonly #onEnd: (sandbox: Counted, end: SandboxEnd) => void;
  readonly #all = new Map<string, Counted>();
  readonly #visits: Visits;
  /**
   * The leases of requests that create sandboxes. They are only in memory, because a lease is shorter than the grace period after the
   * start.
   */
  readonly #leases = new Map<string, number>();
  readonly #openedMs: number;
  #reconciledMs = Number.NEGATIVE_INFINITY;

  /** Loads the sandboxes. `onEnd` is called for each one that ends. */
  constructor(sql: Sql, openedMs: number, { onEnd }: { readonly onEnd: (sandbox: Counted, end: SandboxEnd) => void }) {
    this.#sql = sql;
    this.#openedMs = openedMs;
    this.#onEnd = onEnd;
    this.#visits = new Visits(sql);
    for (const row of sql.all<Row>("SELECT *, told AS sentEvents FROM sandboxes")) {
      this.#all.set(row.id, {
        id: row.id,
        name: row.name,
        createdAtMs: row.created_ms,
        expiresAtMs: row.expires_ms,
        goneAtMs: row.gone_ms,
        isMade: row.is_made === 1,
        sentEvents: row.sentEvents,
        isPaused: row.paused === 1,
        address: row.address,
        ticket: row.ticket,
        person: row.person,
      });
    }
  }

  /** Counts a sandbox unless that would exceed a limit. */
  admit(sandbox: LiveSandbox, limited: CountedLimits, nowMs: number, source: Source | undefined): Admitted {
    this.endExpired(nowMs);
    const before = this.quotas(limited, nowMs);
    const isDoubtful = this.isDoubtful(nowMs) || this.#reconciledMs <= nowMs - limits.recountMs;
    const refused = source && this.#refusalOf(source, nowMs);
    if (refused) return { ok: false, quotas: before, isDoubtful, ...refused };
    const effectiveLimits = {
      ...limited,
      liveSandboxes: Math.min(limited.liveSandboxes ?? Infinity, limits.tenantSandboxes),
    };
    for (const limit of ["creationsPerHour", "liveSandboxes"] as const) {
      if (before[limit].used >= (effectiveLimits[limit] ?? Infinity))
        return { ok: false, limit, quotas: before, isDoubtful };
    }
    const { person = "" } = sandbox;
    const ofPerson = this.#refusalOfPerson(person, limited, nowMs);
    if (ofPerson) return { ok: false, quotas: before, isDoubtful, ...ofPerson };
    const { address = "", ticket = "" } = source?.kind === "trial" ? source : {};
    this.#add({ ...sandbox, ...initialCounters, address, ticket, person });
    this.renew(sandbox.id, nowMs);
    if (source?.kind === "visit") this.#visits.add(sandbox.id, source);
    return { ok: true, quotas: this.quotas(limited, nowMs) };
  }

  renew(id: string, nowMs: number): boolean {
    if (!this.#isLive(id)) return false;
    this.#leases.set(id, nowMs + limits.requestLeaseMs);
    return true;
  }

  /** Reports whether no request has a lease on the sandbox. */
  isAbandoned(id: string, nowMs: number): boolean {
    return this.#leaseOf(id) <= nowMs;
  }

  /** Reports whether a request may have been interrupted before it counted its effect. */
  isDoubtful(nowMs: number): boolean {
    const live = this.live();
    const isUnchecked =
      this.#reconciledMs === Number.NEGATIVE_INFINITY && live.some((sandbox) => !this.#leases.has(sandbox.id));
    return isUnchecked || live.some(({ id, isMade }) => !isMade && this.isAbandoned(id, nowMs));
  }

  /** After the start, every sandbox has a lease for the grace period, so that running requests can renew theirs. */
  #leaseOf(id: string): number {
    const sandbox = this.#all.get(id);
    const isRecent = sandbox !== undefined && sandbox.createdAtMs > this.#openedMs - limits.sandboxMakingMs;
    return this.#leases.get(id) ?? (isRecent ? this.#openedMs + limits.requestLeaseMs : Number.NEGATIVE_INFINITY);
  }

  /** Returns the sandbox of a visitor. */
  sandboxOfVisitor(visit: Pick<Visit, "key" | "visitor" | "wish">): Visited | undefined {
    return this.#visits.find(visit, this.live());
  }

  #refusalOf(source: Source, nowMs: number): Pick<Extract<Admitted, { ok: false }>, "limit" | "reached"> | undefined {
    if (source.kind === "visit") return this.#visits.refusalOf(source, [...this.#all.values()], nowMs);
    const limit = this.#trialRefusal(source, nowMs);
    return limit && { limit };
  }

  /** Returns the limit of the person that is reached. */
  #refusalOfPerson(
    person: string,
    limited: CountedLimits,
    nowMs: number,
  ): { readonly limit: PersonLimit; readonly reached: Quota } | undefined {
    if (person === "") return undefined;
    const isOwn = (sandbox: Counted) => sandbox.person === person;
    const quotas = this.#quotasOf(limited, this.live().filter(isOwn), this.#recent(nowMs).filter(isOwn), nowMs);
    for (const counted of ["creationsPerHour", "liveSandboxes"] as const) {
      const limit = `${counted}PerPerson` as const;
      const most = limited[limit] ?? null;
      if (most !== null && quotas[counted].used >= most)
        return { limit, reached: { ...quotas[counted], limited: most } };
    }
    return undefined;
  }

  #trialRefusal({ address, ticket, most }: TrialSource, nowMs: number): "creationsPerAddress" | "ticket" | undefined {
    const recentOfAddress = [...this.#all.values()].filter(
      (sandbox) => sandbox.createdAtMs > nowMs - hourMs && sandbox.address === address,
    );
    if (recentOfAddress.some((sandbox) => sandbox.ticket === ticket)) return "ticket";
    return recentOfAddress.length >= most ? "creationsPerAddress" : undefined;
  }

  /** Counts the live sandboxes, and those created within the last hour. */
  counts(nowMs: number): { readonly liveSandboxes: number; readonly creationsLastHour: number } {
    return { liveSandboxes: this.live().length, creationsLastHour: this.#recent(nowMs).length };
  }

  quotas(limited: CountedLimits, nowMs: number): Quotas {
    return this.#quotasOf(limited, this.live(), this.#recent(nowMs), nowMs);
  }

  #quotasOf(limited: CountedLimits, live: readonly Counted[], recent: readonly Counted[], nowMs: number): Quotas {
    const earliestResetMs = (times: readonly number[]) =>
      times.length === 0 ? undefined : Math.max(0, times.reduce((a, b) => Math.min(a, b)) - nowMs);
    const quota = (limit: CountedLimit, used: number, times: readonly number[]): Quota => {
      return { limited: limited[limit], used, resetMs: earliestResetMs(times) };
    };
    return {
      creationsPerHour: quota(
        "creationsPerHour",
        recent.length,
        recent.map(({ createdAtMs }) => createdAtMs + hourMs),
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

  /** Ends expired sandboxes and deletes rows that no limit counts any more. */
  endExpired(nowMs: number): void {
    for (const { id, expiresAtMs } of this.live()) if (expiresAtMs <= nowMs) this.end(id, expiresAtMs, "expired");
    for (const { id, goneAtMs, createdAtMs } of [...this.#all.values()]) {
      // A concurrent list of the directory may still contain it.
      if (goneAtMs === null || createdAtMs > nowMs - hourMs || goneAtMs > nowMs - limits.sandboxMakingMs) continue;
      this.#all.delete(id);
      this.#leases.delete(id);
      this.#sql.run("DELETE FROM sandboxes WHERE id = ?", id);
      this.#visits.forget(id);
    }
  }

  change(id: string, to: Partial<Pick<Counted, "name" | "expiresAtMs" | "isMade" | "sentEvents" | "isPaused">>): void {
    const sandbox = this.#all.get(id);
    if (!sandbox) return;
    Object.assign(sandbox, to);
    this.#write(sandbox);
  }

  end(id: string, atMs: number, end: SandboxEnd): void {
    const sandbox = this.#all.get(id);
    if (!sandbox || sandbox.goneAtMs !== null) return;
    sandbox.goneAtMs = Math.min(atMs, sandbox.expiresAtMs);
    this.#write(sandbox);
    this.#onEnd(sandbox, end);
  }

  /** Returns the number of wrong and missing entries. Changes after the list was made are preserved. */
  reconcile(live: readonly LiveSandbox[], listedAtMs: number, nowMs: number): number {
    this.endExpired(nowMs);
    this.#reconciledMs = nowMs;
    const listed = new Map(
      live.filter(({ expiresAtMs }) => expiresAtMs > nowMs).map((sandbox) => [sandbox.id, sandbox]),
    );
    const missing = this.live().filter(({ id }) => !listed.has(id) && this.isAbandoned(id, listedAtMs));
    for (const { id } of missing) this.end(id, nowMs, "deleted");
    const hasEnded = (id: string) => (this.#all.get(id)?.goneAtMs ?? Number.NEGATIVE_INFINITY) > listedAtMs;
    const uncounted = [...listed.values()].filter(({ id }) => !this.#isLive(id) && !hasEnded(id));
    for (const sandbox of uncounted) this.#add({ ...sandbox, ...initialCounters, isMade: true });
    // A sandbox in the directory was created, even if that was not reported.
    for (const { id, isMade } of this.live()) if (!isMade && listed.has(id)) this.change(id, { isMade: true });
    return missing.length + uncounted.length;
  }

  #recent(nowMs: number): Counted[] {
    return [...this.#all.values()].filter(({ createdAtMs }) => createdAtMs > nowMs - hourMs);
  }

  #isLive(id: string): boolean {
    return this.#all.get(id)?.goneAtMs === null;
  }

  #add(sandbox: Counted): void {
    this.#all.set(sandbox.id, sandbox);
    this.#write(sandbox);
  }

  #write(sandbox: Counted): void {
    const { id, name, createdAtMs, expiresAtMs, goneAtMs, isMade, sentEvents, isPaused, ...origin } = sandbox;
    this.#sql.run(
      `INSERT OR REPLACE INTO sandboxes (id, name, created_ms, expires_ms, gone_ms, is_made, told, address, ticket, paused, person)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      name,
      createdAtMs,
      expiresAtMs,
      goneAtMs,
      isMade ? 1 : 0,
      sentEvents,
      origin.address,
      origin.ticket,
      isPaused ? 1 : 0,
      origin.person,
    );
  }
}
