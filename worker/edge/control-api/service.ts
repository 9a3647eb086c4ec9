// What the control API works with.
import type { ClusterRpc } from "../../../shared/contract/cluster-object.ts";
import type { ClusterStateRpc } from "../../../shared/contract/cluster-state.ts";
import type { GivenLimits } from "../../../shared/contract/sandbox-limits.ts";
import type { ClusterLessonRpc } from "../../../shared/contract/cluster-lesson.ts";
import type { ClusterLifeRpc } from "../../../shared/contract/cluster-life.ts";
import type { IdempotencyKeys } from "../db/idempotency.ts";
import type { LessonDirectory } from "../db/lessons.ts";
import type { Directory } from "../db/directory.ts";
import type { SnapshotDirectory } from "../db/snapshots.ts";
import type { ServiceAddress } from "../address.ts";
import type { Files } from "../files.ts";

export interface ControlApiServer extends ServiceAddress {
  readonly directory: Directory;
  readonly snapshots: SnapshotDirectory;
  readonly lessons: LessonDirectory;
  /** Those of snapshots. */
  readonly files: Files;
  readonly secret: string;
  /** Base URL of the console. */
  readonly console: string;
  /** PEM of the authority behind `server`, if it is not a public one. */
  readonly ca: string | undefined;
  /** What new sandboxes have in place of the service's own limits. */
  readonly limits?: GivenLimits | undefined;
  /** Answers to requests that may come again. */
  readonly repeats: IdempotencyKeys;
  cluster(id: string): ClusterRpc & ClusterStateRpc & ClusterLifeRpc & ClusterLessonRpc;
  nowMs(): number;
  wait(ms: number): Promise<void>;
  /** Whether anything more can be stored; absent where nobody can tell. */
  hasRoom?(): Promise<boolean>;
  /** Told of bugs, and of what could not be finished now. */
  report(error: unknown, where: string): void;
}
