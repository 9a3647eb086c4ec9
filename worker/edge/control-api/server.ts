// What the control API works with.
import type { Secret } from "../../../shared/base/secret.ts";
import type { ClusterRpc } from "../../../shared/contract/cluster-object.ts";
import type { ClusterClockRpc } from "../../../shared/contract/cluster/clock.ts";
import type { ClusterPastRpc } from "../../../shared/contract/cluster/past.ts";
import type { ClusterStateRpc } from "../../../shared/contract/cluster-state.ts";
import type { GivenLimits } from "../../../shared/contract/sandbox-limits.ts";
import type { PlanName } from "../../../shared/contract/hosted/plan.ts";
import type { TenantRpc } from "../../../shared/contract/tenant-object.ts";
import type { ClusterLessonRpc } from "../../../shared/contract/cluster/lesson.ts";
import type { ClusterLifeRpc } from "../../../shared/contract/cluster-life.ts";
import type { Node } from "../../lti/ask.ts";
import type { Noted } from "../db/audit.ts";
import type { Directories } from "../db/directories.ts";
import type { HeldKey, IdempotencyKeys } from "../db/idempotency.ts";
import type { ServiceAddress } from "../address.ts";
import type { Files } from "../files.ts";
import type { AllowedOrigins } from "../cors.ts";
import type { Remembered } from "../remembered.ts";
import type { Throttle } from "../service/throttle.ts";
import type { Caller } from "./access/caller.ts";

export interface ControlApiServer extends ServiceAddress, Directories {
  /** The same for one request: what it does is noted. */
  noting(noted: Noted): Directories;
  /** Who was let in lately, by the hash of what they showed. */
  readonly callers: Remembered<Caller>;
  /** What failed authentication is counted by. */
  readonly throttle: Throttle;
  /** Which origins may ask. */
  readonly origins: AllowedOrigins;
  /** How people sign in. */
  readonly signIn: SignInSettings;
  /** Those of snapshots and templates, and what sandboxes began with. */
  readonly files: Files;
  /** Of tenants that nothing else is said of. */
  readonly plan: PlanName;
  /** What an operator shows; absent: nobody is one. */
  readonly operatorKey?: string | undefined;
  /** On a user's machine: webhooks may be at private addresses. */
  readonly asksPrivate: boolean;
  /** Node beside a Worker on a user's machine. */
  readonly node?: Node | undefined;
  /** Whoever does so many bits of work is given a small sandbox; absent: nobody is. */
  readonly trialDifficulty?: number | undefined;
  readonly secret: Secret;
  /** Base URL of the console. */
  readonly console: string;
  /** PEM of the authority behind `server`, if it is not a public one. */
  readonly ca: string | undefined;
  /** What new sandboxes have in place of the service's own limits. */
  readonly limits?: GivenLimits | undefined;
  /** The `Request-Id` of the request that is answered. */
  readonly requestId?: string;
  /** Answers to requests that may come again. */
  readonly repeats: IdempotencyKeys;
  /** See `Shard`. */
  readonly requireSettled?: (tenantId: string) => Promise<void>;
  /** Of one request that may come again: with what its sandbox is noted, and the sandbox that it made before it was cut off. */
  readonly repeated?: { readonly held: HeldKey; readonly made: string | undefined };
  cluster(
    id: string,
  ): ClusterRpc & ClusterStateRpc & ClusterLifeRpc & ClusterLessonRpc & ClusterClockRpc & ClusterPastRpc;
  /** A tenant's object. */
  tenant(id: string): TenantRpc;
  /** A request to a cluster's Kubernetes API, by its path, as its administrator. */
  askCluster(id: string, path: string, init: RequestInit): Promise<Response>;
  nowMs(): number;
  wait(ms: number): Promise<void>;
  /** Does something after the answer; what goes wrong is reported as of `where`. */
  later(work: () => Promise<unknown>, where: string): void;
  /** See `Sweeper`. */
  removeDamaged?(id: string): Promise<boolean>;
  /** Whether anything more can be stored; absent where nobody can tell. */
  hasRoom?(): Promise<boolean>;
  /** Told of bugs, and of what could not be finished now. */
  report(error: unknown, where: string): void;
}

export interface SignInSettings {
  /** Who has no invitation may come too, and gets an organisation of their own. */
  readonly signUp: boolean;
  /** Absent: nobody signs in by GitHub. */
  readonly github?: GithubSettings | undefined;
}

export interface GithubSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** `https://github.com`, `https://api.github.com`: of an enterprise's own, others. */
  readonly url: string;
  readonly api: string;
}
