// What edge and clusters ask of a tenant's object: it counts the tenant's sandboxes, adds up what they use, and tells of their events.
import type {
  DeliveryList,
  LessonEventType,
  LessonProgress,
  NewWebhook,
  PatchWebhook,
  Webhook,
  WebhookWithSecret,
} from "./hosted/webhook.ts";

/** A sandbox that is there, or about to be. Times are milliseconds since 1970. */
export interface LiveSandbox {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** `limited`: null where there is no bound. `resetMs`: milliseconds until one of those used is free again, where that is known. */
export interface Quota {
  readonly limited: number | null;
  readonly used: number;
  readonly resetMs: number | undefined;
}

export interface Quotas {
  readonly creationsPerHour: Quota;
  readonly liveSandboxes: Quota;
}

/** What is counted at each creation. */
export type CountedLimit = keyof Quotas;

/** Of who has not signed in: whoever tries the service out, or visits a page that a publishable key is for. */
export type Source = TrialSource | Visit;

/** Where he comes from, and what he did the work for, which counts once. */
export interface TrialSource {
  readonly kind: "trial";
  readonly address: string;
  readonly ticket: string;
  /** Creations of one address within an hour. */
  readonly most: number;
}

export interface Visit {
  readonly kind: "visit";
  /** The publishable key. */
  readonly key: string;
  readonly visitor: string;
  /** What is shown to him: `template web`, `lesson first`. He has one sandbox of each. */
  readonly wish: string;
  /** A tag of where he comes from; empty where that is not known. */
  readonly address: string;
  /** Whom he acts as in the sandbox. */
  readonly user: VisitUser;
  readonly most: Readonly<Record<VisitLimit, number>>;
}

export interface VisitUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** What is counted of a publishable key. */
export const visitLimits = ["perVisitor", "atOnce", "perHour", "perAddress"] as const;

export type VisitLimit = (typeof visitLimits)[number];

/** A visitor's sandbox that is there; `isMade`: or is still being made. */
export interface Visited {
  readonly id: string;
  readonly isMade: boolean;
  readonly user: VisitUser;
}

/**
 * `limit`: the one that is used up; then nothing was counted. `ticket`: it was used before; `visited`: the visitor has one already. `reached`:
 * of a publishable key.
 */
export type Admitted =
  | { readonly ok: true; readonly quotas: Quotas }
  | {
      readonly ok: false;
      readonly limit: CountedLimit | VisitLimit | "creationsPerAddress" | "ticket" | "visited";
      readonly quotas: Quotas;
      readonly reached?: Quota;
      /** The counts were not compared with the directory lately: see `reconcile`. */
      readonly isDoubtful: boolean;
    };

/** What a sandbox has used since its last report. */
export interface UsageReport {
  readonly id: string;
  readonly atMs: number;
  readonly requests: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** Milliseconds for which it was in memory, as far as it can tell. */
  readonly awakeMs: number;
  /** Of its database, now. */
  readonly bytes: number;
  /** Limits of the sandbox that requests were refused for. */
  readonly limits: readonly string[];
  /** All of its workloads are available. */
  readonly isReady: boolean;
}

export interface ReportAnswer {
  /** Somebody waits to be told that it is ready. */
  readonly wantsReady: boolean;
}

/** `day`: all sandboxes together, with an empty id. */
export type UsageBy = "sandbox" | "day";

/** One sandbox on one day (of UTC, `2026-11-22`). */
export interface UsageRow {
  readonly day: string;
  readonly id: string;
  readonly name: string;
  /** For which it was there. */
  readonly seconds: number;
  readonly awakeSeconds: number;
  readonly requests: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** The most that its database had. */
  readonly bytes: number;
}

export interface TenantCounts {
  readonly liveSandboxes: number;
  readonly creationsLastHour: number;
  readonly webhooks: number;
  readonly waitingDeliveries: number;
  /** A request may have been cut off before what it made or deleted was counted. */
  readonly isDoubtful: boolean;
}

export type AddedWebhook =
  | { readonly ok: true; readonly webhook: WebhookWithSecret }
  | { readonly ok: false; readonly used: number };

/** A score, and for whom and where it counts. */
export interface SentScore {
  /** The same for each score of one learner in one place. */
  readonly subject: string;
  /** Two scores of the same mark say the same. */
  readonly mark: string;
  /** JSON of what `worker/lti/score.ts` sends. */
  readonly score: string;
}

export interface TenantRpc {
  /** Counts a sandbox that is about to be made: as live, and as a creation of this hour. */
  admit(
    sandbox: LiveSandbox,
    limited: Readonly<Record<CountedLimit, number | null>>,
    source?: Source,
  ): Promise<Admitted>;
  /** What there is for a visitor. */
  visited(visit: Pick<Visit, "key" | "visitor" | "wish">): Promise<Visited | undefined>;
  /** Extends the lease of a request that makes a sandbox, which begins at its admission. False if the sandbox is not counted any more. */
  renew(id: string): Promise<boolean>;
  /** Returns those of some sandboxes that no request has a lease of. */
  abandoned(ids: readonly string[]): Promise<readonly string[]>;
  /** It is made. */
  made(id: string): Promise<void>;
  changed(id: string, to: { readonly name?: string; readonly expiresAtMs?: number }): Promise<void>;
  /** Its administrator's token was replaced. */
  rotated(id: string): Promise<void>;
  /** It is gone, or was never made. */
  gone(id: string): Promise<void>;
  report(report: UsageReport): Promise<ReportAnswer>;
  /** Of the days from one to another, both among them; undefined where there are more rows than one answer has. */
  usage(from: string, to: string, by: UsageBy): Promise<readonly UsageRow[] | undefined>;
  counts(): Promise<TenantCounts>;
  /**
   * Counts what the directory listed at a moment, what requests have leases of, and nothing else. Returns how many were counted wrongly.
   */
  reconcile(live: readonly LiveSandbox[], listedAtMs: number): Promise<number>;
  addWebhook(webhook: NewWebhook, most: number | null): Promise<AddedWebhook>;
  listWebhooks(): Promise<readonly Webhook[]>;
  getWebhook(id: string): Promise<WebhookWithSecret | undefined>;
  /** Undefined where there is none. */
  changeWebhook(id: string, to: PatchWebhook): Promise<Webhook | undefined>;
  removeWebhook(id: string): Promise<boolean>;
  /** Sends an event of type `test`; returns the delivery's id, or undefined where there is no such webhook. */
  testWebhook(id: string): Promise<string | undefined>;
  /** The newest first. */
  deliveries(id: string): Promise<DeliveryList | undefined>;
  /** Sends a learner's score to a platform, in the background, again and again; one that waits for the same learner and link is superseded. */
  sendScore(platform: string, score: SentScore): Promise<void>;
  /** What came of scores sent to a platform, the newest first. */
  scores(platform: string): Promise<DeliveryList>;
  /** Nothing is sent to the platform any more, and nothing told of what was. */
  dropScores(platform: string): Promise<void>;
  /** Something has happened in a run of a lesson. */
  tellLesson(type: LessonEventType, progress: LessonProgress): Promise<void>;
  /** Forgets all that it knows. */
  destroy(): Promise<void>;
}
