// What a script or a program may cost: work, bytes and depth. Past them it is stopped where it is.
/** Shared by all that runs together. */
export interface Meter {
  /** Work left, in the unit of `shared/k8s/bounds/work.ts`. */
  work: number;
  /** Bytes held, and how many may be. */
  bytes: number;
  readonly mostBytes: number;
  /** Calls, substitutions and blocks that are open, and how many may be. */
  depth: number;
  readonly mostDepth: number;
}

/** Whoever pays. */
export interface Metered {
  readonly meter: Meter;
  /** Its work is spent. */
  paused: boolean;
}

export function newPayer(work: number, mostBytes: number, mostDepth: number): Metered {
  return { meter: { work, bytes: 0, mostBytes, depth: 0, mostDepth }, paused: false };
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

/** Takes units of work before they are done; a process that has none left is left where it is. Never false: it throws `Stopped`. */
export function charge(payer: Metered, units: number): boolean {
  payer.meter.work -= units;
  if (payer.meter.work < 0) {
    payer.paused = true;
    throw new Stopped("spent");
  }
  return true;
}

/** Takes memory for what is kept, or gives it back; a process that takes more than there is, is ended. */
export function hold(payer: Metered, bytes: number): void {
  const { meter } = payer;
  meter.bytes += bytes;
  if (meter.bytes > meter.mostBytes) throw new Stopped("oom");
}

const bytesPerUnit = 1024;

/** Throws if the memory has no room for so many bytes, without taking them. NaN is no size that anything could have. */
export function reserve({ meter }: Metered, bytes: number): void {
  if (!(meter.bytes + bytes <= meter.mostBytes)) throw new Stopped("oom");
}

/** Pays for a text before it is made; one that is larger than the memory is never made. */
export function build(payer: Metered, bytes: number): void {
  reserve(payer, bytes);
  charge(payer, bytes / bytesPerUnit);
}

/** Pays for looking at each letter of a text. */
export function scan(payer: Metered, text: string): void {
  if (text.length > 64) charge(payer, text.length / 128);
}

/** Goes one step deeper; `comeBack` returns. Whoever catches `Stopped` sets the depth back itself. */
export function enter({ meter }: Metered): void {
  if (++meter.depth > meter.mostDepth) throw new Stopped("crashed");
}

export function comeBack({ meter }: Metered): void {
  meter.depth--;
}

/** What a text takes: two bytes a letter once one of them needs it. */
export function heapBytes(text: string): number {
  return text.length < 32 || !/[^\0-\xff]/.test(text) ? text.length : 2 * text.length;
}
