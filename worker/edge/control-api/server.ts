// The dependencies of the control API.
import type { Secret } from "../../../shared/base/secret.ts";
import type { ServiceStatus } from "../../../shared/contract/hosted/status.ts";
import type { ClusterRpc } from "../../../shared/contract/cluster-object.ts";
import type { ClusterClockRpc } from "../../../shared/contract/cluster/clock.ts";
import type { ClusterFaultsRpc } from "../../../shared/contract/cluster/faults.ts";
import type { ClusterPastRpc } from "../../../shared/contract/cluster/past.ts";
import type { ClusterRecordingRpc } from "../../../shared/contract/cluster/recording.ts";
import type { ObjectCopyRpc } from "../../../shared/contract/hosted/object-copy.ts";
import type { ClusterStateRpc } from "../../../shared/contract/cluster-state.ts";
import type { GivenLimits } from "../../../shared/contract/sandbox-limits.ts";
import type { MailSettings } from "../../../shared/contract/hosted/mail.ts";
import type { PlanName } from "../../../shared/contract/hosted/plan.ts";
import type { TenantRpc } from "../../../shared/contract/tenant-object.ts";
import type { ClusterLessonRpc } from "../../../shared/contract/cluster/lesson.ts";
import type { ClusterLifeRpc } from "../../../shared/contract/cluster/life.ts";
import type { LocalNode } from "../../lti/ask.ts";
import type { Sums } from "../../metrics/sums.ts";
import type { AuditContext } from "../db/audit.ts";
import type { DatabaseCopy } from "../db/copy.ts";
import type { Directories } from "../db/directories.ts";
import type { LeasedKey, IdempotencyKeys } from "../db/idempotency.ts";
import type { ServiceAddress } from "../address.ts";
import type { Files } from "../files.ts";
import type { SandboxIdFacts } from "../sandbox-id.ts";
import type { AllowedOrigins } from "../cors.ts";
import type { ExpiringCache } from "../expiring-cache.ts";
import type { Throttle } from "../service/throttle.ts";
import type { Caller } from "./access/caller.ts";

export interface ControlApiServer extends ServiceAddress, Directories {
  /** Returns directories that audit the changes of one request. */
  auditing(context: AuditContext): Directories;
  /** Cached callers by the hash of their credential. */
  readonly callerCache: ExpiringCache<Caller>;
  /** Counts failed authentication. */
  readonly throttle: Throttle;
  /** The origins that are allowed by CORS. */
  readonly originCache: AllowedOrigins;
  /** The last answer of `/status`. */
  readonly statusCache: ExpiringCache<ServiceStatus>;
  /** The name of objects that store nothing, of which `/status` asks whether they answer. */
  readonly probeName: string;
  /** The methods of sign-in. */
  readonly signIn: SignInSettings;
  /** The files of snapshots, templates, and initial states of sandboxes. */
  readonly files: Files;
  /** The plan of tenants without one of their own. */
  readonly plan: PlanName;
  /** The operator's key. Undefined if the service has no operator. */
  readonly operatorKey?: string | undefined;
  /** True on a user's machine, where webhooks may have private addresses. */
  readonly asksPrivate: boolean;
  /** The Node.js process beside the Worker on a user's machine. */
  readonly localService?: LocalNode | undefined;
  /** The bits of the proof of work for a trial sandbox. Undefined if there are no trials. */
  readonly trialDifficulty?: number | undefined;
  readonly secret: Secret;
  /** The base URL of the console. */
  readonly console: string;
  /** The PEM of the authority that signed the certificate of `server`, if it is not a public one. */
  readonly ca: string | undefined;
  /** Limits of new sandboxes that replace the service's defaults. */
  readonly limits?: GivenLimits | undefined;
  /** The `Request-Id` of the request. */
  readonly requestId?: string;
  /** Stored responses by idempotency key. */
  readonly repeats: IdempotencyKeys;
  /** See `Shard`. */
  readonly requireSettled?: (tenantId: string) => Promise<void>;
  /** The idempotency key of the request, and the resource that an interrupted attempt created. */
  readonly repeated?: { readonly lease: LeasedKey; readonly resourceId: string | undefined };
  cluster(
    id: string,
  ): ClusterRpc &
    ClusterStateRpc &
    ClusterLifeRpc &
    ClusterLessonRpc &
    ClusterClockRpc &
    ClusterPastRpc &
    ClusterRecordingRpc &
    ClusterFaultsRpc &
    ObjectCopyRpc;
  /** The rows of all databases, the first one first. */
  readonly databases: readonly DatabaseCopy[];
  /** Returns the id of a new sandbox, whose cluster can be reached at once. */
  newSandboxId(facts: SandboxIdFacts): Promise<string>;
  /** Returns the Durable Object of a tenant. */
  tenant(id: string): TenantRpc & ObjectCopyRpc;
  /** Opens a socket of the tenant's object on which a message means that an event was recorded. */
  followTenant(id: string): Promise<Response>;
  /** Sends a request to a cluster's Kubernetes API as its administrator. */
  askCluster(id: string, path: string, init: RequestInit): Promise<Response>;
  /** Returns the counts of all isolates for metrics. */
  readCounts(): Promise<Sums>;
  nowMs(): number;
  wait(ms: number): Promise<void>;
  /** Runs work after the response. Errors are reported with `where`. */
  later(work: () => Promise<unknown>, where: string): void;
  /** See `Sweeper`. */
  removeDamaged?(id: string): Promise<boolean>;
  /** Reports whether the disk has free space. Undefined if the platform does not expose it. */
  hasFreeSpace?(): Promise<boolean>;
  /** Reports bugs, and work that a later run must finish. */
  report(error: unknown, where: string): void;
  /** Logs a failure outside the service, such as that of an organisation's identity provider. */
  note(event: string, why: string): void;
  /** The settings of e-mail. Undefined if the service sends none. */
  readonly mail?: (MailSettings & { readonly key: string }) | undefined;
  /** The audit context of the request. Undefined for reads and without an authenticated caller. */
  readonly auditContext?: AuditContext;
  /** The person whose limits a creation counts against: the caller, or the creator of the caller's key. */
  readonly madeBy?: string;
}

export interface SignInSettings {
  /** True if a person without an invitation can sign up, with an organization of their own. */
  readonly signUp: boolean;
  /** GitHub's settings. Undefined if sign-in with GitHub is off. */
  readonly github?: GithubSettings | undefined;
}

export interface GithubSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** `https://github.com` and `https://api.github.com`, or those of GitHub Enterprise. */
  readonly url: string;
  readonly api: string;
}
