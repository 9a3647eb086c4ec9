// What following one run of a container may cost, beside its work, bytes and depth.
import { limits } from "../../../shared/base/limits.ts";
import type { Meter } from "../../../shared/shell/meter.ts";

/** Shared by all processes of a run. */
export interface ContainerMeter extends Meter {
  /** What is given back to whoever interrupts a runaway. */
  reserve: number;
  /** Bytes of what files were before they were changed. */
  history: number;
  /** Bytes of what was printed and is kept. */
  log: number;
  /** Background jobs that are open. */
  forks: number;
  /** When a background job takes more memory than there is: the kernel ends all of the container. */
  oomMs: number;
}

/** `heldBytes`: what is there at the start. */
export function newMeter(work: number, heldBytes: number, memoryLimit: number | undefined): ContainerMeter {
  const own = Math.max(memoryLimit ?? limits.containerMemoryBytes, limits.containerMemoryBytesMin);
  const most = heldBytes + Math.min(own, limits.containerMemoryBytes);
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
