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
  /**
   * Whether the process runs no further: its work is used up, or it waits for something that its run cannot know yet. Programs check it
   * before they write, because their later effects are unknown.
   */
  paused: boolean;
}

export function newMetered(work: number, mostBytes: number, mostDepth: number): Metered {
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

/** Charges work before it is done. Throws `Stopped` if none is left. Always returns true, so that it can serve as a pattern's `Spend`. */
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

/** Characters of a text that are built, or read, in a microsecond. */
const builtPerUnit = 1024;
const readPerUnit = 128;
/** Texts up to so many characters are read within the charge of the command that reads them. */
const freeCharacters = 64;
/** Texts shorter than so many characters are not searched for wide characters. */
const shortText = 32;

/** Throws if the memory has no room for so many bytes, without holding them. NaN counts as too large. */
export function reserve({ meter }: Metered, bytes: number): void {
  if (!(meter.bytes + bytes <= meter.mostBytes)) throw new Stopped("oom");
}

/** Charges for a text before it is built. A text larger than the memory is never built. */
export function chargeForBuilding(payer: Metered, bytes: number): void {
  reserve(payer, bytes);
  charge(payer, bytes / builtPerUnit);
}

/** Charges for reading each character of a text. */
export function chargeForReading(payer: Metered, text: string): void {
  if (text.length > freeCharacters) charge(payer, text.length / readPerUnit);
}

/** Enters a level of depth; `leaveLevel` leaves it. Code that catches `Stopped` restores the depth itself. */
export function enterLevel({ meter }: Metered): void {
  if (++meter.depth > meter.mostDepth) throw new Stopped("crashed");
}

export function leaveLevel({ meter }: Metered): void {
  meter.depth--;
}

/** Returns the memory of a text in bytes: two a character if one of them needs it. A short text counts one a character. */
export function heapBytes(text: string): number {
  return text.length < shortText || !/[^\0-\xff]/.test(text) ? text.length : 2 * text.length;
}
