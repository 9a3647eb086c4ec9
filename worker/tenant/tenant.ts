// A tenant: its counted sandboxes, their usage, and its webhooks. Works over any SQLite, synchronously.
//
// A sandbox is counted before it exists (`admit`), is made when its creation has succeeded (`markMade`), and is abandoned while no
// request has a lease on it. The counts are doubtful if a request may have been interrupted between the two.
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import type { Random } from "../../shared/base/random.ts";
import { limits } from "../../shared/base/limits.ts";
import type {
  Admitted,
  CountedLimit,
  LiveSandbox,
  ReportAnswer,
  Source,
  TenantCounts,
  UsageBy,
  UsageReport,
  UsageRow,
  Visit,
  Visited,
} from "../../shared/contract/tenant-object.ts";
import type { EventType, LessonEventType, LessonProgress, WebhookEvent } from "../../shared/contract/hosted/webhook.ts";
import type { Sql } from "../store/sql.ts";
import { type Counted, LiveSandboxes, sentEventBits } from "./live-sandboxes.ts";
import { Scores } from "./scores.ts";
import { Usage } from "./usage.ts";
import { Webhooks } from "./webhooks.ts";

export class Tenant {
  readonly webhooks: Webhooks;
  readonly scores: Scores;
  readonly #sandboxes: LiveSandboxes;
  readonly #usage: Usage;
  readonly #nowMs: () => number;
  /** The time at which a limit of a sandbox was last reported. */
  readonly #limitEventsMs = new BoundedCache<string, number>(limits.tenantSandboxes);

  /** The tables must exist. */
  constructor({ sql, random, nowMs }: { readonly sql: Sql; readonly random: Random; nowMs(): number }) {
    this.#nowMs = nowMs;
    this.#usage = new Usage(sql);
    this.webhooks = new Webhooks(sql, random);
    this.scores = new Scores(sql, this.webhooks);
    const onEnd = (sandbox: Counted): void => {
      if (sandbox.isMade) this.#usage.addLifetime(sandbox, sandbox.goneAtMs ?? nowMs());
    };
    this.#sandboxes = new LiveSandboxes(sql, nowMs(), { onEnd });
  }

  admit(sandbox: LiveSandbox, limited: Readonly<Record<CountedLimit, number | null>>, source?: Source): Admitted {
    this.#endExpired();
    return this.#sandboxes.admit(sandbox, limited, this.#nowMs(), source);
  }

  sandboxOfVisitor(visit: Pick<Visit, "key" | "visitor" | "wish">): Visited | undefined {
    this.#endExpired();
    return this.#sandboxes.sandboxOfVisitor(visit);
  }

  renew(id: string): boolean {
    return this.#sandboxes.renew(id, this.#nowMs());
  }

  filterAbandoned(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#sandboxes.isAbandoned(id, this.#nowMs()));
  }

  markMade(id: string): void {
    const sandbox = this.#sandboxes.find(id);
    if (!sandbox || sandbox.isMade) return;
    this.#sandboxes.change(id, { isMade: true });
    this.#sendEvent("sandbox.created", sandbox);
  }

  recordChange(id: string, { name, expiresAtMs }: { readonly name?: string; readonly expiresAtMs?: number }): void {
    const sandbox = this.#sandboxes.find(id);
    if (!sandbox) return;
    this.#sandboxes.change(id, {
      ...(name === undefined ? {} : { name }),
      // After a change of the expiry, the event is sent again.
      ...(expiresAtMs === undefined
        ? {}
        : { expiresAtMs, sentEvents: sandbox.sentEvents & ~sentEventBits.expiringSoon }),
    });
  }

  recordRotation(id: string): void {
    const sandbox = this.#sandboxes.find(id);
    if (sandbox) this.#sendEvent("sandbox.token_rotated", sandbox);
  }

  recordEnd(id: string): void {
    this.#endExpired();
    this.#sandboxes.end(id, this.#nowMs());
  }

  report(report: UsageReport): ReportAnswer {
    const sandbox = this.#sandboxes.find(report.id);
    this.#usage.report(report, { id: report.id, name: sandbox?.name ?? "" });
    if (!sandbox || sandbox.goneAtMs !== null) return { wantsReady: false };
    for (const limit of report.limits) this.#sendLimitReached(sandbox, limit);
    if (report.isReady) this.#sendReady(sandbox);
    return { wantsReady: (sandbox.sentEvents & sentEventBits.ready) === 0 && this.webhooks.wants("sandbox.ready") };
  }

  sendLessonEvent(type: LessonEventType, lesson: LessonProgress): void {
    const nowMs = this.#nowMs();
    this.webhooks.enqueueEvent({ type, timestamp: new Date(nowMs).toISOString(), data: { lesson } }, nowMs);
  }

  usage(from: string, to: string, by: UsageBy): UsageRow[] | undefined {
    this.#endExpired();
    const live = this.#sandboxes.live().filter(({ isMade }) => isMade);
    return this.#usage.rowsBetween({ from, to, by }, live, this.#nowMs());
  }

  counts(): TenantCounts {
    this.#endExpired();
    return {
      ...this.#sandboxes.counts(this.#nowMs()),
      webhooks: this.webhooks.list().length,
      waitingDeliveries: this.webhooks.waiting,
      isDoubtful: this.#sandboxes.isDoubtful(this.#nowMs()),
    };
  }

  reconcile(live: readonly LiveSandbox[], listedAtMs: number): number {
    this.#endExpired();
    const nowMs = this.#nowMs();
    this.#usage.forget(nowMs);
    this.webhooks.forget(nowMs);
    this.scores.forget(nowMs);
    return this.#sandboxes.reconcile(live, listedAtMs, nowMs);
  }

  /** Ends expired sandboxes, and sends `sandbox.expiring_soon` for those that expire soon. */
  tick(): void {
    this.#endExpired();
    if (!this.webhooks.wants("sandbox.expiring_soon")) return;
    for (const sandbox of this.#sandboxes.live()) {
      if (
        !sandbox.isMade ||
        (sandbox.sentEvents & sentEventBits.expiringSoon) !== 0 ||
        expiringSoonAtMs(sandbox) > this.#nowMs()
      )
        continue;
      this.#sandboxes.change(sandbox.id, { sentEvents: sandbox.sentEvents | sentEventBits.expiringSoon });
      this.#sendEvent("sandbox.expiring_soon", sandbox);
    }
  }

  /** Returns the time of the next event or delivery; infinity if none is due, for example without webhooks. */
  nextDueMs(): number {
    const [wantsExpiringSoon, wantsExpired] = [
      this.webhooks.wants("sandbox.expiring_soon"),
      this.webhooks.wants("sandbox.expired"),
    ];
    const times = [this.webhooks.nextDueMs()];
    if (wantsExpiringSoon || wantsExpired) {
      for (const sandbox of this.#sandboxes.live()) {
        if (wantsExpired) times.push(sandbox.expiresAtMs);
        if (wantsExpiringSoon && (sandbox.sentEvents & sentEventBits.expiringSoon) === 0)
          times.push(expiringSoonAtMs(sandbox));
      }
    }
    return times.reduce((a, b) => Math.min(a, b));
  }

  /** Ends the sandboxes whose time is over, and sends their events. */
  #endExpired(): void {
    for (const sandbox of this.#sandboxes.endExpired(this.#nowMs())) this.#sendEvent("sandbox.expired", sandbox);
  }

  #sendReady(sandbox: Counted): void {
    if ((sandbox.sentEvents & sentEventBits.ready) !== 0) return;
    this.#sandboxes.change(sandbox.id, { sentEvents: sandbox.sentEvents | sentEventBits.ready });
    this.#sendEvent("sandbox.ready", sandbox);
  }

  /** Sends the event at most once an hour. */
  #sendLimitReached(sandbox: Counted, limit: string): void {
    const [key, nowMs] = [`${sandbox.id} ${limit}`, this.#nowMs()];
    if ((this.#limitEventsMs.get(key) ?? Number.NEGATIVE_INFINITY) > nowMs - limits.limitEventIntervalMs) return;
    this.#limitEventsMs.set(key, nowMs);
    this.#sendEvent("sandbox.limit_reached", sandbox, limit);
  }

  #sendEvent(type: EventType, { id, name, expiresAtMs }: LiveSandbox, limit?: string): void {
    const nowMs = this.#nowMs();
    const event: WebhookEvent = {
      type,
      timestamp: new Date(nowMs).toISOString(),
      data: {
        sandbox: { id, name, expiresAt: new Date(expiresAtMs).toISOString() },
        ...(limit === undefined ? {} : { limit }),
      },
    };
    this.webhooks.enqueueEvent(event, nowMs);
  }
}

/** Returns the time at which `sandbox.expiring_soon` is due: `limits.expiringSoonMs` before the end, and for a short sandbox in its last sixth. */
function expiringSoonAtMs({ createdAtMs, expiresAtMs }: LiveSandbox): number {
  return expiresAtMs - Math.min(limits.expiringSoonMs, (expiresAtMs - createdAtMs) / 6);
}
