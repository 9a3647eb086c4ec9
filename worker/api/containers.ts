// What the API asks of the containers that run in the cluster: what they have printed.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";

export interface Containers {
  /** The present run of a container, or the one before it; undefined if there is none. */
  printed(pod: Pod, container: string, previous: boolean): Printed | undefined;
}

export interface PrintedLine {
  readonly atMs: number;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** It is the last, and has no end. */
  readonly isOpen?: boolean;
}

export interface Printed {
  readonly lines: readonly PrintedLine[];
  readonly hasEnded: boolean;
}
