// Those who follow logs, as the cluster sees them: see `LogNews`.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Change } from "../../store/change.ts";

export interface LogFollowers {
  /** Accepts a socket. Returns the 101 answer. */
  join(pod: Pod, container: string): Response;
  /** From now on those who follow the log are to be told, once, when any of this changes. */
  expect(pod: Pod, container: string, seen: ReadonlySet<string>): void;
  changed(change: Change): void;
  /** What people did in a container, by its key: see `KeptEdits`. */
  edited(key: string): void;
}
