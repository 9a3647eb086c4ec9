// The limits of a script or a program: work, bytes and depth. A program that exceeds them is stopped at once.
/** Counters that all processes of a run share. */
export interface Meter {
  /** Remaining work, in the unit of `shared/k8s/bounds/work.ts`. */
  work: number;
  /** Bytes held, and their limit. */
  bytes: number;
  readonly mostBytes: number;
  /** Open calls, substitutions and blocks, and their limit. */
  depth: number;
  readonly mostDepth: number;
}

/** A process that is charged. */
export interface Metered {
  readonly meter: Meter;
  /** Whether the work is used up. */
  paused: boolean;
}

export function newPayer(work: number, mostBytes: number, mostDepth: number): Metered {
  return { meter: { work, bytes: 0, mostBytes, depth: 0, mostDepth }, paused: false };
}

/**
 * Ends a run that exceeds a limit. `spent`: its work; the rest of its effects is unknown. `oom`: its memory. `crashed`: its stack. The last
 * two end the process.
 */
export class Stopped extends Error {
  readonly how: "spent" | "oom" | "crashed";
  constructor(how: Stopped["how"]) {
    super(how);
    this.how = how;
  }
}

/** Charges work before it is done. Throws `Stopped` if none is left; never returns false. */
export function charge(payer: Metered, units: number): boolean {
  payer.meter.work -= units;
  if (payer.meter.work < 0) {
    payer.paused = true;
    throw new Stopped("spent");
  }
  return true;
}

/** Holds memory, or frees it if `bytes` is negative. A process that exceeds the limit is killed. */
export function hold(payer: Metered, bytes: number): void {
  const { meter } = payer;
  meter.bytes += bytes;
  if (meter.bytes > meter.mostBytes) throw new Stopped("oom");
}

const bytesPerUnit = 1024;

/** Throws if the memory has no room for so many bytes, without holding them. NaN counts as too large. */
export function reserve({ meter }: Metered, bytes: number): void {
  if (!(meter.bytes + bytes <= meter.mostBytes)) throw new Stopped("oom");
}

/** Charges for a text before it is built. A text larger than the memory is never built. */
export function build(payer: Metered, bytes: number): void {
  reserve(payer, bytes);
  charge(payer, bytes / bytesPerUnit);
}

/** Charges for reading each character of a text. */
export function scan(payer: Metered, text: string): void {
  if (text.length > 64) charge(payer, text.length / 128);
}

/** Enters a level of depth; `comeBack` leaves it. Code that catches `Stopped` restores the depth itself. */
export function enter({ meter }: Metered): void {
  if (++meter.depth > meter.mostDepth) throw new Stopped("crashed");
}

export function comeBack({ meter }: Metered): void {
  meter.depth--;
}

/** Returns the memory of a text: two bytes a character if one of them needs it. */
export function heapBytes(text: string): number {
  return text.length < 32 || !/[^\0-\xff]/.test(text) ? text.length : 2 * text.length;
}
