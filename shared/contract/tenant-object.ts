// The RPC interface of a tenant's Durable Object, which counts the tenant's sandboxes, sums up their usage, and sends events.
import type {
  DeliveryList,
  LessonEventType,
  LessonProgress,
  NewWebhook,
  PatchWebhook,
  Webhook,
  WebhookEvent,
  WebhookWithSecret,
} from "./hosted/webhook.ts";
import type { SandboxPhase } from "./hosted/sandbox-phase.ts";

/** A sandbox that exists or is being created. Times are milliseconds since 1970. */
export interface LiveSandbox {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** The person who created it, also with a key. Absent if no person did. */
  readonly person?: string | undefined;
}

/** A quota. `limited` is null without a limit. `resetMs` is the time until the usage decreases, if known. */
export interface Quota {
  readonly limited: number | null;
  readonly used: number;
  readonly resetMs: number | undefined;
}

export interface Quotas {
  readonly creationsPerHour: Quota;
  readonly liveSandboxes: Quota;
}

/** The limits that are checked at each creation. */
export type CountedLimit = keyof Quotas;

/** The limits of each person. */
export type PersonLimit = `${CountedLimit}PerPerson`;

/** The values of the limits that are checked at each creation. Null and absent for none. */
export type CountedLimits = Readonly<Record<CountedLimit, number | null>> &
  Readonly<Partial<Record<PersonLimit, number | null | undefined>>>;

/** The source of an anonymous creation: a trial, or a visit of a page with a publishable key. */
export type Source = TrialSource | Visit;

/** The address of the caller, and the solved challenge, which counts once. */
export interface TrialSource {
  readonly kind: "trial";
  readonly address: string;
  readonly ticket: string;
  /** The number of creations of one address within an hour. */
  readonly most: number;
}

export interface Visit {
  readonly kind: "visit";
  /** The publishable key. */
  readonly key: string;
  readonly visitor: string;
  /** The embedded content: `template web`, `lesson first`. A visitor has one sandbox of each. */
  readonly wish: string;
  /** An HMAC of the visitor's address; empty if unknown. */
  readonly address: string;
  /** The visitor's user in the sandbox. */
  readonly user: VisitUser;
  readonly most: Readonly<Record<VisitLimit, number>>;
}

export interface VisitUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** The limits of a publishable key. */
export const visitLimits = ["perVisitor", "atOnce", "perHour", "perAddress"] as const;

export type VisitLimit = (typeof visitLimits)[number];

/** A visitor's existing sandbox; `isMade` is false while it is being created. */
export interface Visited {
  readonly id: string;
  readonly isMade: boolean;
  readonly user: VisitUser;
}

/**
 * The result of an admission. `limit`: the exceeded limit; nothing was counted. `ticket`: the challenge was used before; `visited`: the
 * visitor has a sandbox already. `reached`: a limit of a publishable key or of a person.
 */
export type Admitted =
  | { readonly ok: true; readonly quotas: Quotas }
  | {
      readonly ok: false;
      readonly limit: CountedLimit | PersonLimit | VisitLimit | "creationsPerAddress" | "ticket" | "visited";
      readonly quotas: Quotas;
      readonly reached?: Quota;
      /** True if the counts must be compared with the directory: see `reconcile`. */
      readonly isDoubtful: boolean;
    };

/** The usage of a sandbox since its last report. */
export interface UsageReport {
  readonly id: string;
  readonly atMs: number;
  readonly requests: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** The milliseconds in memory, as far as the sandbox can measure them. */
  readonly awakeMs: number;
  /** The current bytes of its database. */
  readonly bytes: number;
  /** The sandbox limits for which requests were refused. */
  readonly limits: readonly string[];
  /** True if all of its workloads are available. */
  readonly isReady: boolean;
}

export interface ReportAnswer {
  /** True until the sandbox has been ready once. */
  readonly wantsReady: boolean;
}

/** The grouping of usage; `day` sums all sandboxes under an empty id. */
export type UsageBy = "sandbox" | "day";

/** The usage of one sandbox on one day in UTC, such as `2026-11-22`. */
export interface UsageRow {
  readonly day: string;
  readonly id: string;
  readonly name: string;
  /** The seconds for which it existed. */
  readonly seconds: number;
  readonly awakeSeconds: number;
  readonly requests: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** The maximum size of its database. */
  readonly bytes: number;
}

export interface TenantCounts {
  readonly liveSandboxes: number;
  readonly creationsLastHour: number;
  readonly webhooks: number;
  readonly waitingDeliveries: number;
  /** True if a request may have been interrupted before its creation or deletion was counted. */
  readonly isDoubtful: boolean;
}

export type AddedWebhook =
  | { readonly ok: true; readonly webhook: WebhookWithSecret }
  | { readonly ok: false; readonly used: number };

/** The result. `gone`: the content is not kept any more; `full`: too many deliveries wait; `unknown`: there is no such delivery. */
export type Redelivered = "queued" | "gone" | "full" | "unknown";

/** A score with its recipient. */
export interface SentScore {
  /** The key of a learner's scores in one place. */
  readonly subject: string;
  /** The version of the score; scores with the same mark are equal. */
  readonly mark: string;
  /** The JSON for `worker/lti/score.ts`. */
  readonly score: string;
}

/** A change of a sandbox. `isPaused` reports its clock; the event `sandbox.changed` is sent in any case. */
export interface SandboxChange {
  readonly name?: string | undefined;
  readonly expiresAtMs?: number | undefined;
  readonly isPaused?: boolean | undefined;
}

/** The state of a sandbox when its creation is complete. */
export interface SandboxStart {
  /** True if all of its workloads are available, or it has none. */
  readonly isReady: boolean;
  /** True if it was created from a state with a paused clock. */
  readonly isPaused: boolean;
}

/** An event as it is recorded. `seq` counts the events of a tenant, from 1. */
export interface RecordedEvent {
  readonly seq: number;
  readonly event: WebhookEvent;
}

/** A part of the recorded events. */
export interface EventStep {
  readonly events: readonly RecordedEvent[];
  /** The position to continue after. */
  readonly last: number;
  readonly hasMore: boolean;
  /** True if events after the requested position are not recorded any more. */
  readonly isTruncated: boolean;
}

export interface TenantRpc {
  /** Counts a sandbox that is about to be created: as live, and as a creation of this hour. */
  admit(sandbox: LiveSandbox, limited: CountedLimits, source?: Source): Promise<Admitted>;
  /** Returns the sandbox of a visitor. */
  sandboxOfVisitor(visit: Pick<Visit, "key" | "visitor" | "wish">): Promise<Visited | undefined>;
  /**
   * Extends the lease of a request that creates a sandbox, which begins at its admission. Returns false if the sandbox is not counted any
   * more.
   */
  renew(id: string): Promise<boolean>;
  /** Returns those of the sandboxes on which no request has a lease. */
  filterAbandoned(ids: readonly string[]): Promise<readonly string[]>;
  /**
   * Records that the sandbox was created. Without `start`, its phase is known after its first report. A repeated call only records that it
   * is ready.
   */
  markMade(id: string, start?: SandboxStart): Promise<void>;
  recordChange(id: string, to: SandboxChange): Promise<void>;
  /** Returns the phases of those of the sandboxes that the tenant has. */
  phases(ids: readonly string[]): Promise<Readonly<Record<string, SandboxPhase>>>;
  /** Returns the events recorded after a position; without one, only the newest position. */
  events(after: number | undefined): Promise<EventStep>;
  /** Records a rotation of the administrator's token. */
  recordRotation(id: string): Promise<void>;
  /** Records that the sandbox is gone, or was never created. */
  recordEnd(id: string): Promise<void>;
  report(report: UsageReport): Promise<ReportAnswer>;
  /** Returns the usage of the days from one to another, inclusive. Returns undefined if there are more rows than one response can have. */
  usage(from: string, to: string, by: UsageBy): Promise<readonly UsageRow[] | undefined>;
  counts(): Promise<TenantCounts>;
  /** Replaces the counts by those of the directory at a time, except for leased sandboxes. Returns the number of corrected ones. */
  reconcile(live: readonly LiveSandbox[], listedAtMs: number): Promise<number>;
  addWebhook(webhook: NewWebhook, most: number | null): Promise<AddedWebhook>;
  listWebhooks(): Promise<readonly Webhook[]>;
  getWebhook(id: string): Promise<WebhookWithSecret | undefined>;
  /** Returns undefined if the webhook does not exist. */
  changeWebhook(id: string, to: PatchWebhook): Promise<Webhook | undefined>;
  removeWebhook(id: string): Promise<boolean>;
  /** Sends an event of type `test`. Returns the delivery's id, or undefined if the webhook does not exist. */
  testWebhook(id: string): Promise<string | undefined>;
  /** Replaces the secret; the one before signs, too, for a day. Returns undefined if the webhook does not exist. */
  rotateWebhook(id: string): Promise<WebhookWithSecret | undefined>;
  /** Sends a delivery again with the same id. */
  redeliver(id: string, delivery: string): Promise<Redelivered>;
  /** Lists deliveries, the newest first. */
  deliveries(id: string): Promise<DeliveryList | undefined>;
  /** Sends a learner's score to a platform in the background with retries. It replaces a waiting score of the same learner and link. */
  sendScore(platform: string, score: SentScore): Promise<void>;
  /** Lists the deliveries of scores to a platform, the newest first. */
  scores(platform: string): Promise<DeliveryList>;
  /** Stops sending to the platform and deletes its deliveries. */
  dropScores(platform: string): Promise<void>;
  /** Sends the webhook event of a lesson's run. */
  sendLessonEvent(type: LessonEventType, progress: LessonProgress): Promise<void>;
  /** Has the exams of the tenant graded whose learners' time is over at a time. */
  remindOfExam(tenant: string, atMs: number): Promise<void>;
  /** Locks a resource for a request with `If-Match`. Returns false if another request holds it. */
  hold(resource: string, holder: string): Promise<boolean>;
  release(resource: string, holder: string): Promise<void>;
  /** Deletes all data. */
  destroy(): Promise<void>;
}
