// What the control API works with.
import type { ClusterRpc } from "../../../shared/contract/cluster-object.ts";
import type { ClusterStateRpc } from "../../../shared/contract/cluster-state.ts";
import type { GivenLimits } from "../../../shared/contract/sandbox-limits.ts";
import type { PlanName } from "../../../shared/contract/plan.ts";
import type { TenantRpc } from "../../../shared/contract/tenant-object.ts";
import type { ClusterLifeRpc } from "../../../shared/contract/cluster-life.ts";
import type { IdempotencyKeys } from "../db/idempotency.ts";
import type { Directory } from "../db/directory.ts";
import type { PlanDirectory } from "../db/plans.ts";
import type { SnapshotDirectory } from "../db/snapshots.ts";
import type { TemplateDirectory } from "../db/templates.ts";
import type { ServiceAddress } from "../address.ts";
import type { Files } from "../files.ts";

export interface ControlApiServer extends ServiceAddress {
  readonly directory: Directory;
  readonly snapshots: SnapshotDirectory;
  readonly plans: PlanDirectory;
  readonly templates: TemplateDirectory;
  /** Those of snapshots and templates, and what sandboxes began with. */
  readonly files: Files;
  /** Of tenants that nothing else is said of. */
  readonly plan: PlanName;
  /** What an operator shows; absent: nobody is one. */
  readonly operatorKey?: string | undefined;
  /** On a user's machine: webhooks may be at private addresses. */
  readonly asksPrivate: boolean;
  /** Whoever does so many bits of work is given a small sandbox; absent: nobody is. */
  readonly trialDifficulty?: number | undefined;
  readonly secret: string;
  /** Base URL of the console. */
  readonly console: string;
  /** PEM of the authority behind `server`, if it is not a public one. */
  readonly ca: string | undefined;
  /** What new sandboxes have in place of the service's own limits. */
  readonly limits?: GivenLimits | undefined;
  /** Answers to requests that may come again. */
  readonly repeats: IdempotencyKeys;
  cluster(id: string): ClusterRpc & ClusterStateRpc & ClusterLifeRpc;
  /** A tenant's object. */
  tenant(id: string): TenantRpc;
  /** A request to a cluster's Kubernetes API, by its path, as its administrator. */
  askCluster(id: string, path: string, init: RequestInit): Promise<Response>;
  nowMs(): number;
  wait(ms: number): Promise<void>;
  /** Whether anything more can be stored; absent where nobody can tell. */
  hasRoom?(): Promise<boolean>;
  /** It is brought to its end though nobody waits for it; what goes wrong is reported. */
  later(work: Promise<unknown>, where: string): void;
  /** Told of bugs, and of what could not be finished now. */
  report(error: unknown, where: string): void;
}
