// What following one run of a container may cost: work, bytes and depth. Past them it is stopped where it is.
import { limits } from "../../../shared/base/limits.ts";

/** Shared by all processes of a run. */
export interface Meter {
  /** Units left, of about a microsecond each. */
  work: number;
  /** What is given back to whoever interrupts a runaway. */
  reserve: number;
  /** Bytes held, and how many may be. */
  bytes: number;
  readonly mostBytes: number;
  /** Bytes of what files were before they were changed. */
  history: number;
  /** Bytes of what was printed and is kept. */
  log: number;
  /** Calls, substitutions and blocks that are open. */
  depth: number;
  /** Background jobs that are open. */
  forks: number;
  /** When a background job takes more memory than there is: the kernel ends all of the container. */
  oomMs: number;
}

/** What is metered: a process, of which `clockMs` is now. */
export interface Metered {
  readonly meter: Meter;
  clockMs: number;
  paused: boolean;
}

/**
 * The way out of a run that may go no further. `spent`: its work; what it does from here on is not known. `oom`: its memory, `crashed`:
 * its stack; either is its end.
 */
export class Stopped extends Error {
  readonly how: "spent" | "oom" | "crashed";
  constructor(how: Stopped["how"]) {
    super(how);
    this.how = how;
  }
}

/** `heldBytes`: what is there at the start. */
export function newMeter(work: number, heldBytes: number, memoryLimit: number | undefined): Meter {
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
    forks: 0,
    oomMs: Number.POSITIVE_INFINITY,
  };
}

/** Takes units of work before they are done; a process that has none left is left where it is. Never false: it throws `Stopped`. */
export function charge(process: Metered, units: number): boolean {
  process.meter.work -= units;
  if (process.meter.work < 0) {
    process.paused = true;
    throw new Stopped("spent");
  }
  return true;
}

/** Takes memory for what is kept, or gives it back; a process that takes more than there is, is ended. */
export function hold(process: Metered, bytes: number): void {
  const { meter } = process;
  meter.bytes += bytes;
  if (meter.bytes > meter.mostBytes) throw new Stopped("oom");
}

const bytesPerUnit = 1024;

/** Pays for a text before it is made; one that is larger than the memory is never made. */
export function build(process: Metered, bytes: number): void {
  const { meter } = process;
  // What is not a number is no size that anything could have.
  if (!(meter.bytes + bytes <= meter.mostBytes)) throw new Stopped("oom");
  charge(process, bytes / bytesPerUnit);
}

/** Pays for looking at each letter of a text. */
export function scan(process: Metered, text: string): void {
  if (text.length > 64) charge(process, text.length / 128);
}

/** Goes one step deeper; `comeBack` returns. Whoever catches `Stopped` sets the depth back itself. */
export function enter({ meter }: Metered): void {
  if (++meter.depth > limits.shellDepth) throw new Stopped("crashed");
}

export function comeBack({ meter }: Metered): void {
  meter.depth--;
}

/** What a text takes: two bytes a letter once one of them needs it. */
export function heapBytes(text: string): number {
  return text.length < 32 || !/[^\0-\xff]/.test(text) ? text.length : 2 * text.length;
}
