// A tenant: its counted sandboxes, their usage, and its webhooks. Works over any SQLite, synchronously.
//
// A sandbox is counted before it exists (`admit`), is made when its creation has succeeded (`markMade`), and is abandoned while no
// request has a lease on it. The counts are doubtful if a request may have been interrupted between the two.
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import type { Random } from "../../shared/base/random.ts";
import { limits } from "../../shared/base/limits.ts";
import type {
  Admitted,
  CountedLimits,
  LiveSandbox,
  EventStep,
  ReportAnswer,
  SandboxChange,
  SandboxStart,
  Source,
  TenantCounts,
  UsageBy,
  UsageReport,
  UsageRow,
  Visit,
  Visited,
} from "../../shared/contract/tenant-object.ts";
import type { EventType, LessonEventType, LessonProgress, WebhookEvent } from "../../shared/contract/hosted/webhook.ts";
import type { EventPhase, SandboxPhase } from "../../shared/contract/hosted/sandbox-phase.ts";
import type { Sql } from "../store/sql.ts";
import { TenantEvents } from "./events.ts";
import { type Counted, LiveSandboxes, sentEventBits } from "./live-sandboxes.ts";
import { Reminders } from "./reminders.ts";
import { Scores } from "./scores.ts";
import { Usage } from "./usage.ts";
import { Webhooks } from "./webhooks.ts";

export interface TenantOptions {
  readonly sql: Sql;
  readonly random: Random;
  nowMs(): number;
  /** Called after an event is recorded. */
  eventAdded(): void;
  /** Reports whether a client follows the events, so that they are due when they happen. */
  isFollowed(): boolean;
}

export class Tenant {
  readonly webhooks: Webhooks;
  readonly scores: Scores;
  readonly reminders: Reminders;
  readonly #sandboxes: LiveSandboxes;
  readonly #usage: Usage;
  readonly #events: TenantEvents;
  readonly #options: TenantOptions;
  readonly #nowMs: () => number;
  /** The time at which a limit of a sandbox was last reported. */
  readonly #limitEventsMs = new BoundedCache<string, number>(limits.tenantSandboxes);

  /** The tables must exist. */
  constructor(options: TenantOptions) {
    const { sql, random, nowMs } = options;
    this.#options = options;
    this.#nowMs = nowMs;
    this.#usage = new Usage(sql);
    this.#events = new TenantEvents(sql);
    this.webhooks = new Webhooks(sql, random);
    this.scores = new Scores(sql, this.webhooks);
    this.reminders = new Reminders(sql);
    this.#sandboxes = new LiveSandboxes(sql, nowMs(), {
      onEnd: (sandbox, end) => {
        if (!sandbox.isMade) return;
        this.#usage.addLifetime(sandbox, sandbox.goneAtMs ?? nowMs());
        this.#sendEvent(`sandbox.${end}`, sandbox);
      },
    });
  }

  admit(sandbox: LiveSandbox, limited: CountedLimits, source?: Source): Admitted {
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

  markMade(id: string, start?: SandboxStart): void {
    const sandbox = this.#sandboxes.find(id);
    if (!sandbox || sandbox.goneAtMs !== null) return;
    if (!sandbox.isMade) {
      this.#sandboxes.change(id, { isMade: true, isPaused: start?.isPaused ?? false });
      this.#sendEvent("sandbox.created", sandbox);
    }
    if (start?.isReady) this.#sendReady(sandbox);
  }

  recordChange(id: string, { name, expiresAtMs, isPaused }: SandboxChange): void {
    const sandbox = this.#sandboxes.find(id);
    if (!sandbox || sandbox.goneAtMs !== null) return;
    const isClockOnly = isPaused !== undefined && name === undefined && expiresAtMs === undefined;
    if (isClockOnly && isPaused === sandbox.isPaused) return;
    this.#sandboxes.change(id, {
      ...(name === undefined ? {} : { name }),
      ...(isPaused === undefined ? {} : { isPaused }),
      // After a change of the expiry, the event is sent again.
      ...(expiresAtMs === undefined
        ? {}
        : { expiresAtMs, sentEvents: sandbox.sentEvents & ~sentEventBits.expiringSoon }),
    });
    this.#sendEvent("sandbox.changed", sandbox);
  }

  phases(ids: readonly string[]): Record<string, SandboxPhase> {
    const sandboxes = ids.flatMap((id) => this.#sandboxes.find(id) ?? []);
    return Object.fromEntries(sandboxes.map((sandbox) => [sandbox.id, livePhaseOf(sandbox)]));
  }

  /** Returns the events after a position. */
  events(after: number | undefined): EventStep {
    this.#endExpired();
    return this.#events.after(after);
  }

  recordRotation(id: string): void {
    const sandbox = this.#sandboxes.find(id);
    if (sandbox) this.#sendEvent("sandbox.token_rotated", sandbox);
  }

  recordEnd(id: string): void {
    this.#endExpired();
    this.#sandboxes.end(id, this.#nowMs(), "deleted");
  }

  report(report: UsageReport): ReportAnswer {
    const sandbox = this.#sandboxes.find(report.id);
    this.#usage.report(report, { id: report.id, name: sandbox?.name ?? "" });
    if (!sandbox || sandbox.goneAtMs !== null) return { wantsReady: false };
    for (const limit of report.limits) this.#sendLimitReached(sandbox, limit);
    if (report.isReady && sandbox.isMade) this.#sendReady(sandbox);
    return { wantsReady: (sandbox.sentEvents & sentEventBits.ready) === 0 };
  }

  sendLessonEvent(type: LessonEventType, lesson: LessonProgress): void {
    const nowMs = this.#nowMs();
    this.#send({ type, timestamp: new Date(nowMs).toISOString(), data: { lesson } });
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
    this.#events.forget(nowMs);
    this.scores.forget(nowMs);
    return this.#sandboxes.reconcile(live, listedAtMs, nowMs);
  }

  /** Ends expired sandboxes, and sends `sandbox.expiring_soon` for those that expire soon. */
  tick(): void {
    this.#endExpired();
    if (!this.#wants("sandbox.expiring_soon")) return;
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

  /** Returns the time of the next event, delivery or reminder; infinity if none is due, for example without webhooks and followers. */
  nextDueMs(): number {
    const [wantsExpiringSoon, wantsExpired] = [this.#wants("sandbox.expiring_soon"), this.#wants("sandbox.expired")];
    const times = [this.webhooks.nextDueMs(), this.reminders.nextDueMs()];
    if (wantsExpiringSoon || wantsExpired) {
      for (const sandbox of this.#sandboxes.live()) {
        if (wantsExpired) times.push(sandbox.expiresAtMs);
        if (wantsExpiringSoon && (sandbox.sentEvents & sentEventBits.expiringSoon) === 0)
          times.push(expiringSoonAtMs(sandbox));
      }
    }
    return times.reduce((a, b) => Math.min(a, b));
  }

  #endExpired(): void {
    this.#sandboxes.endExpired(this.#nowMs());
  }

  #wants(type: EventType): boolean {
    return this.#options.isFollowed() || this.webhooks.wants(type);
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

  #sendEvent(type: EventType, sandbox: Counted, limit?: string): void {
    const { id, name, expiresAtMs, goneAtMs } = sandbox;
    this.#send({
      type,
      timestamp: new Date(goneAtMs ?? this.#nowMs()).toISOString(),
      data: {
        sandbox: { id, name, expiresAt: new Date(expiresAtMs).toISOString(), phase: phaseOf(sandbox) },
        ...(limit === undefined ? {} : { limit }),
      },
    });
  }

  #send(event: WebhookEvent): void {
    const nowMs = this.#nowMs();
    this.#events.add(event, nowMs);
    this.webhooks.enqueueEvent(event, nowMs);
    this.#options.eventAdded();
  }
}

function phaseOf(sandbox: Counted): EventPhase {
  const { goneAtMs, expiresAtMs } = sandbox;
  if (goneAtMs === null) return livePhaseOf(sandbox);
  return goneAtMs >= expiresAtMs ? "Expired" : "Deleted";
}

function livePhaseOf({ sentEvents, isPaused }: Counted): SandboxPhase {
  if (isPaused) return "Paused";
  return (sentEvents & sentEventBits.ready) === 0 ? "Pending" : "Running";
}

/** Returns the time at which `sandbox.expiring_soon` is due: `limits.expiringSoonMs` before the end, and for a short sandbox in its last sixth. */
function expiringSoonAtMs({ createdAtMs, expiresAtMs }: LiveSandbox): number {
  return expiresAtMs - Math.min(limits.expiringSoonMs, (expiresAtMs - createdAtMs) / 6);
}
