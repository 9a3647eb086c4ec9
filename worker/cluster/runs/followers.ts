// The cluster's interface to clients that follow logs: see `LogNews`.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Change } from "../../store/change.ts";

export interface LogFollowers {
  /** Accepts a socket. Returns the 101 answer. */
  join(pod: Pod, container: string): Response;
  /** Notifies the followers of the log once, as soon as anything under one of the keys changes. */
  expect(pod: Pod, container: string, readKeys: ReadonlySet<string>): void;
  changed(change: Change): void;
  /** Notifies the followers of logs that depend on the edits under a key: see `KeptEdits`. */
  edited(key: string): void;
}
