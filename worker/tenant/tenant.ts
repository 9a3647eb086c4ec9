// One tenant: its sandboxes as they are counted, what they used, and who is told of their events. Over any SQLite; nothing waits.
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
import { type Counted, LiveSandboxes, told } from "./live-sandboxes.ts";
import { Scores } from "./scores.ts";
import { Usage } from "./usage.ts";
import { Webhooks } from "./webhooks.ts";

export class Tenant {
  readonly webhooks: Webhooks;
  readonly scores: Scores;
  readonly #sandboxes: LiveSandboxes;
  readonly #usage: Usage;
  readonly #nowMs: () => number;
  /** When a limit of a sandbox was told of last. */
  readonly #limitsToldMs = new Map<string, number>();

  /** Its tables exist. */
  constructor({ sql, random, nowMs }: { readonly sql: Sql; readonly random: Random; nowMs(): number }) {
    this.#nowMs = nowMs;
    this.#usage = new Usage(sql);
    this.webhooks = new Webhooks(sql, random);
    this.scores = new Scores(sql, this.webhooks);
    this.#sandboxes = new LiveSandboxes(sql, nowMs(), (one) => {
      if (one.isMade) this.#usage.ended(one, one.goneAtMs ?? nowMs());
    });
  }

  admit(sandbox: LiveSandbox, limited: Readonly<Record<CountedLimit, number | null>>, source?: Source): Admitted {
    this.#settle();
    return this.#sandboxes.admit(sandbox, limited, this.#nowMs(), source);
  }

  visited(visit: Pick<Visit, "key" | "visitor" | "wish">): Visited | undefined {
    this.#settle();
    return this.#sandboxes.visited(visit);
  }

  renew(id: string): boolean {
    return this.#sandboxes.renew(id, this.#nowMs());
  }

  abandoned(ids: readonly string[]): string[] {
    return ids.filter((id) => this.#sandboxes.isAbandoned(id, this.#nowMs()));
  }

  made(id: string): void {
    const one = this.#sandboxes.find(id);
    if (!one || one.isMade) return;
    this.#sandboxes.change(id, { isMade: true });
    this.#tell("sandbox.created", one);
  }

  changed(id: string, { name, expiresAtMs }: { readonly name?: string; readonly expiresAtMs?: number }): void {
    const one = this.#sandboxes.find(id);
    if (!one) return;
    this.#sandboxes.change(id, {
      ...(name === undefined ? {} : { name }),
      // Of an end that was moved, the nearing is told again.
      ...(expiresAtMs === undefined ? {} : { expiresAtMs, told: one.told & ~told.expiringSoon }),
    });
  }

  rotated(id: string): void {
    const one = this.#sandboxes.find(id);
    if (one) this.#tell("sandbox.token_rotated", one);
  }

  gone(id: string): void {
    this.#settle();
    this.#sandboxes.end(id, this.#nowMs());
  }

  report(report: UsageReport): ReportAnswer {
    const one = this.#sandboxes.find(report.id);
    this.#usage.report(report, { id: report.id, name: one?.name ?? "" });
    if (!one || one.goneAtMs !== null) return { wantsReady: false };
    for (const limit of report.limits) this.#tellLimit(one, limit);
    if (report.isReady) this.#tellReady(one);
    return { wantsReady: (one.told & told.ready) === 0 && this.webhooks.wants("sandbox.ready") };
  }

  tellLesson(type: LessonEventType, lesson: LessonProgress): void {
    const nowMs = this.#nowMs();
    this.webhooks.tell({ type, timestamp: new Date(nowMs).toISOString(), data: { lesson } }, nowMs);
  }

  usage(from: string, to: string, by: UsageBy): UsageRow[] | undefined {
    this.#settle();
    const live = this.#sandboxes.live().filter(({ isMade }) => isMade);
    return this.#usage.between({ from, to, by }, live, this.#nowMs());
  }

  counts(): TenantCounts {
    this.#settle();
    const { creationsPerHour, liveSandboxes } = this.#sandboxes.quotas(
      { creationsPerHour: null, liveSandboxes: null },
      this.#nowMs(),
    );
    return {
      liveSandboxes: liveSandboxes.used,
      creationsLastHour: creationsPerHour.used,
      webhooks: this.webhooks.list().length,
      waitingDeliveries: this.webhooks.waiting,
      isDoubtful: this.#sandboxes.isDoubtful(this.#nowMs()),
    };
  }

  reconcile(live: readonly LiveSandbox[], listedAtMs: number): number {
    this.#settle();
    const nowMs = this.#nowMs();
    this.#usage.forget(nowMs);
    this.webhooks.forget(nowMs);
    this.scores.forget(nowMs);
    return this.#sandboxes.reconcile(live, listedAtMs, nowMs);
  }

  /** What is due of itself: ends that are near, and ends. */
  tick(): void {
    this.#settle();
    if (!this.webhooks.wants("sandbox.expiring_soon")) return;
    for (const one of this.#sandboxes.live()) {
      if (!one.isMade || (one.told & told.expiringSoon) !== 0 || soonMs(one) > this.#nowMs()) continue;
      this.#sandboxes.change(one.id, { told: one.told | told.expiringSoon });
      this.#tell("sandbox.expiring_soon", one);
    }
  }

  /** When something is due; infinite where nothing is, as for a tenant without webhooks. */
  nextDueMs(): number {
    const [soon, ends] = [this.webhooks.wants("sandbox.expiring_soon"), this.webhooks.wants("sandbox.expired")];
    const times = [this.webhooks.nextDueMs()];
    if (soon || ends) {
      for (const one of this.#sandboxes.live()) {
        if (ends) times.push(one.expiresAtMs);
        if (soon && (one.told & told.expiringSoon) === 0) times.push(soonMs(one));
      }
    }
    return times.reduce((a, b) => Math.min(a, b));
  }

  #settle(): void {
    for (const one of this.#sandboxes.settle(this.#nowMs())) this.#tell("sandbox.expired", one);
  }

  #tellReady(one: Counted): void {
    if ((one.told & told.ready) !== 0) return;
    this.#sandboxes.change(one.id, { told: one.told | told.ready });
    this.#tell("sandbox.ready", one);
  }

  /** At most once in an hour. */
  #tellLimit(one: Counted, limit: string): void {
    const [key, nowMs] = [`${one.id} ${limit}`, this.#nowMs()];
    if ((this.#limitsToldMs.get(key) ?? Number.NEGATIVE_INFINITY) > nowMs - limits.limitToldMs) return;
    if (this.#limitsToldMs.size >= limits.tenantSandboxes) this.#limitsToldMs.clear();
    this.#limitsToldMs.set(key, nowMs);
    this.#tell("sandbox.limit_reached", one, limit);
  }

  #tell(type: EventType, { id, name, expiresAtMs }: LiveSandbox, limit?: string): void {
    const nowMs = this.#nowMs();
    const event: WebhookEvent = {
      type,
      timestamp: new Date(nowMs).toISOString(),
      data: {
        sandbox: { id, name, expiresAt: new Date(expiresAtMs).toISOString() },
        ...(limit === undefined ? {} : { limit }),
      },
    };
    this.webhooks.tell(event, nowMs);
  }
}

/** When its end is told of as near. */
function soonMs({ createdAtMs, expiresAtMs }: LiveSandbox): number {
  return expiresAtMs - Math.min(limits.expiringSoonMs, (expiresAtMs - createdAtMs) / 6);
}
