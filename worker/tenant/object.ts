// The Durable Object of one tenant: wraps `Tenant`, manages its alarm and sends due deliveries.
import { DurableObject } from "cloudflare:workers";
import { must } from "../../shared/base/assert.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { eventLimits } from "../../shared/base/share-limits.ts";
import { limits } from "../../shared/base/limits.ts";
import { currentSecret, secretOf } from "../../shared/base/secret.ts";
import type {
  AddedWebhook,
  Admitted,
  CountedLimits,
  EventStep,
  LiveSandbox,
  Redelivered,
  ReportAnswer,
  SandboxChange,
  SandboxStart,
  SentScore,
  Source,
  TenantCounts,
  TenantRpc,
  UsageBy,
  UsageReport,
  UsageRow,
  Visit,
  Visited,
} from "../../shared/contract/tenant-object.ts";
import type {
  DeliveryList,
  LessonEventType,
  LessonProgress,
  NewWebhook,
  PatchWebhook,
  Webhook,
  WebhookWithSecret,
} from "../../shared/contract/hosted/webhook.ts";
import type { ObjectCopyRpc } from "../../shared/contract/hosted/object-copy.ts";
import { endedCode, endings } from "../../shared/contract/endings.ts";
import type { SandboxPhase } from "../../shared/contract/hosted/sandbox-phase.ts";
import { durableSql } from "../cluster/do-sql.ts";
import { serviceReadiness } from "../cluster/turns/service-ready.ts";
import { UsageMeter } from "../cluster/figures/usage-meter.ts";
import { ObjectCopies } from "../cluster/lifecycle/object-copies.ts";
import { Opening, unusableAlarmMs } from "../cluster/opening.ts";
import { observeAlarm } from "../metrics/alarms.ts";
import { count } from "../metrics/record.ts";
import { deliver } from "./deliver.ts";
import type { TenantEnv } from "./env.ts";
import { ResourceLocks } from "./locks.ts";
import { scoreType } from "./scores.ts";
import { scoreSender } from "./send-score.ts";
import { withSecret } from "./signature.ts";
import { createTenantTables, hasTenantTables, upgradeTenantTables } from "./tables.ts";
import { Tenant } from "./tenant.ts";

/** The number of sending rounds of one alarm; the next alarm continues. */
const roundsPerAlarm = 20;
const alarmRetryMs = 5_000;

export class TenantObject extends DurableObject<TenantEnv> implements TenantRpc, ObjectCopyRpc {
  readonly #sql = durableSql(this.ctx.storage);
  readonly #locks = new ResourceLocks();
  readonly #sendScore = scoreSender();
  readonly #opening: Opening;
  #tenant: Tenant | undefined;
  #alarmMs = Number.POSITIVE_INFINITY;
  #stepRowsRead = 0;
  /** The usage of the event streams, stored without a sandbox. The rest of this object's work is the service's own. */
  readonly #meter = new UsageMeter({
    reportsTo: () => ({ id: "", tenant: () => this }),
    nowMs: Date.now,
    rowsRead: () => this.#stepRowsRead,
    rowsWritten: () => 0,
    bytes: () => 0,
    isReady: () => false,
    wait: (ms) => scheduler.wait(ms),
    waitUntil: (promise) => this.ctx.waitUntil(promise),
  });
  readonly #serviceIsReady = serviceReadiness(this.env.OUTSIDE);
  /** A tenant's tables are small, so a copy reads them in one turn. */
  readonly #copies = new ObjectCopies({
    kind: "tenant",
    sql: this.#sql,
    nowMs: Date.now,
    newSession: () => systemRandom.uuid(),
    isStored: () => hasTenantTables(this.#sql),
    source: () => ({ keep: () => true }),
    turn: async () => undefined,
    wipe: () => this.destroy(),
    open: () => {
      this.#openStored();
      const tenant = this.#stored();
      if (tenant) this.#arm(tenant);
    },
  });

  constructor(ctx: DurableObjectState, env: TenantEnv) {
    super(ctx, env);
    this.#opening = new Opening({ open: () => this.#openStored(), nowMs: Date.now, report: logError });
  }

  #openStored(): void {
    if (!hasTenantTables(this.#sql)) return;
    upgradeTenantTables(this.#sql);
    this.#tenant = this.#build();
    count("sandbar_object_reopenings_total", "tenant");
    void this.ctx.blockConcurrencyWhile(async () => {
      this.#alarmMs = (await this.ctx.storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
    });
  }

  /** Returns the tenant if it has stored data. Throws if this version cannot read the data. */
  #stored(): Tenant | undefined {
    this.#opening.require();
    return this.#tenant;
  }

  async admit(sandbox: LiveSandbox, limited: CountedLimits, source?: Source): Promise<Admitted> {
    return this.#write((tenant) => tenant.admit(sandbox, limited, source));
  }

  async sandboxOfVisitor(visit: Pick<Visit, "key" | "visitor" | "wish">): Promise<Visited | undefined> {
    return this.#stored() && this.#write((tenant) => tenant.sandboxOfVisitor(visit));
  }

  async renew(id: string): Promise<boolean> {
    return this.#stored() !== undefined && this.#write((tenant) => tenant.renew(id));
  }

  async filterAbandoned(ids: readonly string[]): Promise<readonly string[]> {
    return this.#stored() ? this.#write((tenant) => tenant.filterAbandoned(ids)) : ids;
  }

  async markMade(id: string, start?: SandboxStart): Promise<void> {
    if (this.#stored()) this.#write((tenant) => tenant.markMade(id, start));
  }

  async recordRotation(id: string): Promise<void> {
    if (this.#stored()) this.#write((tenant) => tenant.recordRotation(id));
  }

  async recordChange(id: string, to: SandboxChange): Promise<void> {
    if (this.#stored()) this.#write((tenant) => tenant.recordChange(id, to));
  }

  async phases(ids: readonly string[]): Promise<Record<string, SandboxPhase>> {
    return this.#stored()?.phases(ids) ?? {};
  }

  async events(after: number | undefined): Promise<EventStep> {
    if (!this.#stored()) return { events: [], last: 0, hasMore: false, isTruncated: false };
    const rowsRead = this.#sql.rowsRead();
    const step = this.#write((tenant) => tenant.events(after));
    this.#stepRowsRead += this.#sql.rowsRead() - rowsRead;
    this.#meter.countStep();
    return step;
  }

  /** Opens a socket on which a message means that an event was recorded. It is hibernatable, so a silent one keeps nothing in memory. */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("upgrade") !== "websocket") return new Response(null, { status: 426 });
    if (this.ctx.getWebSockets().length >= eventLimits.streams) return new Response(null, { status: 409 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    // Events are due when they happen from now on.
    this.#write(() => undefined);
    this.#meter.countStep();
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Messages of clients are ignored. */
  override webSocketMessage(): void {}

  override webSocketClose(socket: WebSocket): void {
    closeSocket(socket, 1000, "the stream has ended");
  }

  async recordEnd(id: string): Promise<void> {
    if (this.#stored()) this.#write((tenant) => tenant.recordEnd(id));
  }

  async report(report: UsageReport): Promise<ReportAnswer> {
    // If the tenant was deleted, its sandboxes still send a last report.
    return this.#stored() ? this.#write((tenant) => tenant.report(report)) : { wantsReady: false };
  }

  async usage(from: string, to: string, by: UsageBy): Promise<UsageRow[] | undefined> {
    return this.#stored() ? this.#write((tenant) => tenant.usage(from, to, by)) : [];
  }

  async counts(): Promise<TenantCounts> {
    const none = { liveSandboxes: 0, creationsLastHour: 0, webhooks: 0, waitingDeliveries: 0, isDoubtful: false };
    return this.#stored() ? this.#write((tenant) => tenant.counts()) : none;
  }

  async reconcile(live: readonly LiveSandbox[], listedAtMs: number): Promise<number> {
    if (!this.#stored() && live.length === 0) return 0;
    return this.#write((tenant) => tenant.reconcile(live, listedAtMs));
  }

  async addWebhook(webhook: NewWebhook, max: number | null): Promise<AddedWebhook> {
    return this.#write(({ webhooks }) => {
      const used = webhooks.list().length;
      if (used >= Math.min(max ?? limits.webhooks, limits.webhooks)) return { ok: false, used };
      return { ok: true, webhook: this.#withSecret(webhooks.add(webhook, Date.now())) };
    });
  }

  async listWebhooks(): Promise<Webhook[]> {
    return this.#stored()?.webhooks.list() ?? [];
  }

  async getWebhook(id: string): Promise<WebhookWithSecret | undefined> {
    const webhook = this.#stored()?.webhooks.find(id);
    return webhook && this.#withSecret(webhook);
  }

  async changeWebhook(id: string, to: PatchWebhook): Promise<Webhook | undefined> {
    return this.#stored() && this.#write(({ webhooks }) => webhooks.change(id, to));
  }

  async sendLessonEvent(type: LessonEventType, progress: LessonProgress): Promise<void> {
    // A tenant without stored data has no webhook.
    if (this.#stored()) this.#write((tenant) => tenant.sendLessonEvent(type, progress));
  }

  async removeWebhook(id: string): Promise<boolean> {
    return this.#stored() !== undefined && this.#write(({ webhooks }) => webhooks.remove(id));
  }

  async testWebhook(id: string): Promise<string | undefined> {
    if (!this.#stored()) return undefined;
    const nowMs = Date.now();
    const event = { type: "test", timestamp: new Date(nowMs).toISOString(), data: {} } as const;
    return this.#write(({ webhooks }) => webhooks.enqueueEvent(event, nowMs, id)[0]);
  }

  async rotateWebhook(id: string): Promise<WebhookWithSecret | undefined> {
    if (!this.#stored()) return undefined;
    const rotated = this.#write(({ webhooks }) => webhooks.rotate(id, Date.now()));
    return rotated && this.#withSecret(rotated);
  }

  async redeliver(id: string, delivery: string): Promise<Redelivered> {
    return this.#stored() ? this.#write(({ webhooks }) => webhooks.redeliver(id, delivery, Date.now())) : "unknown";
  }

  async deliveries(id: string): Promise<DeliveryList | undefined> {
    const deliveryList = this.#stored()?.webhooks.deliveries(id);
    return deliveryList && { deliveries: deliveryList };
  }

  async sendScore(platform: string, score: SentScore): Promise<void> {
    this.#write(({ scores }) => scores.send(platform, score, Date.now()));
  }

  async remindOfExam(tenant: string, atMs: number): Promise<void> {
    this.#write(({ reminders }) => reminders.add(tenant, atMs));
  }

  async scores(platform: string): Promise<DeliveryList> {
    return { deliveries: this.#stored()?.scores.list(platform) ?? [] };
  }

  async dropScores(platform: string): Promise<void> {
    if (this.#stored()) this.#write(({ scores }) => scores.drop(platform));
  }

  async hold(resource: string, holder: string): Promise<boolean> {
    return this.#locks.hold(resource, holder, Date.now());
  }

  async release(resource: string, holder: string): Promise<void> {
    this.#locks.release(resource, holder);
  }

  copyPage(session: string | undefined) {
    return this.#copies.copyPage(session);
  }

  restorePage(session: string | undefined, text: string) {
    return this.#copies.restorePage(session, text);
  }

  countStoredRows() {
    return this.#copies.countStoredRows();
  }

  async destroy(): Promise<void> {
    this.#tenant = undefined;
    this.#opening.forget();
    this.#alarmMs = Number.POSITIVE_INFINITY;
    for (const socket of this.ctx.getWebSockets()) closeSocket(socket, endedCode, endings.gone);
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  /** Throws only if the alarm cannot be set again. */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#serviceIsReady();
    observeAlarm("tenant", info, Date.now());
    this.#alarmMs = Number.POSITIVE_INFINITY;
    if (this.#opening.failure()) return this.ctx.storage.setAlarm(Date.now() + unusableAlarmMs);
    try {
      this.#tenant?.tick();
      await this.#tenant?.reminders.followDue(this.env, Date.now, reportGrading);
      for (let round = 0; round < roundsPerAlarm; round++) if (!(await this.#sendDue())) break;
      if (this.#tenant) this.#arm(this.#tenant);
    } catch (error) {
      logError(error, "alarm");
      await this.ctx.storage.setAlarm(Date.now() + alarmRetryMs);
    }
  }

  /** Sends the deliveries that are due. Returns false if there are none. */
  async #sendDue(): Promise<boolean> {
    const tenant = this.#tenant;
    const due = tenant?.webhooks.due(Date.now()) ?? [];
    const secret = secretOf(this.env);
    const { OUTSIDE: node } = this.env;
    await Promise.all(
      due.map(async (sending) => {
        const send = sending.type === scoreType ? this.#sendScore : deliver;
        const sent = await send(sending, { secret, node, nowMs: Date.now });
        if (this.#tenant === tenant) tenant?.webhooks.recordAttempt(sending, sent, Date.now());
      }),
    );
    return due.length > 0;
  }

  /**
   * Runs a function that may write, creates the tables before the first one, and sets the alarm for what is due then. The platform commits
   * the writes of one event together.
   */
  #write<T>(body: (tenant: Tenant) => T): T {
    if (!this.#stored()) {
      createTenantTables(this.#sql);
      this.#tenant = this.#build();
    }
    const tenant = must(this.#tenant, "the tenant");
    const result = body(tenant);
    this.#arm(tenant);
    return result;
  }

  /** Sets the alarm only if it is due earlier, because setting it is billed. A running alarm sets the next one itself. */
  #arm(tenant: Tenant): void {
    const dueMs = tenant.nextDueMs();
    if (dueMs >= this.#alarmMs) return;
    this.#alarmMs = dueMs;
    void this.ctx.storage.setAlarm(dueMs);
  }

  #build(): Tenant {
    return new Tenant({
      sql: this.#sql,
      random: systemRandom,
      nowMs: Date.now,
      eventAdded: () => {
        for (const socket of this.ctx.getWebSockets()) sendNews(socket);
      },
      isFollowed: () => this.ctx.getWebSockets().length > 0,
    });
  }

  #withSecret(webhook: Webhook): WebhookWithSecret {
    return withSecret(
      currentSecret(secretOf(this.env)),
      webhook,
      this.#stored()?.webhooks.secretOf(webhook.id, Date.now()),
    );
  }
}

function reportGrading(error: unknown): void {
  logError(error, "the grading of exams");
}

function sendNews(socket: WebSocket): void {
  try {
    socket.send("");
  } catch {
    // The socket is closed already.
  }
}

function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // The socket is closed already.
  }
}

function logError(error: unknown, where: string): void {
  count("sandbar_errors_total", "tenant");
  console.error(JSON.stringify({ level: "error", where: `${where} of a tenant`, error: String(error) }));
}
