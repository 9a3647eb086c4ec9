// The budget for following one run of a container, in addition to work, bytes and depth.
import { limits } from "../../../shared/base/limits.ts";
import type { Meter } from "../../../shared/shell/meter.ts";

/** The meter of a run, shared by all its processes. */
export interface ContainerMeter extends Meter {
  /** The work that is returned when a person interrupts a program that used too much. */
  reserve: number;
  /** The bytes of previous versions of changed files. */
  history: number;
  /** The bytes of stored output. */
  log: number;
  /** The number of open background jobs. */
  forks: number;
  /** The time when a background job exceeds the memory limit: the kernel kills the whole container. */
  oomMs: number;
}

/** Creates a meter. `heldBytes`: the bytes at the start. */
export function newMeter(work: number, heldBytes: number, memoryLimit: number | undefined): ContainerMeter {
  const limitBytes = Math.max(memoryLimit ?? limits.containerMemoryBytes, limits.containerMemoryBytesMin);
  const most = heldBytes + Math.min(limitBytes, limits.containerMemoryBytes);
  return {
    work,
    reserve: limits.interruptedWork,
    bytes: heldBytes,
    mostBytes: Math.min(most, limits.containerHeldBytes),
    history: 0,
    log: 0,
    depth: 0,
    mostDepth: limits.shellDepth,
    forks: 0,
    oomMs: Number.POSITIVE_INFINITY,
  };
}
