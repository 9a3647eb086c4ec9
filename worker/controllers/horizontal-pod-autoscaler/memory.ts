// What an autoscaler must know of its last minutes, which no object tells: what was advised, and how it scaled. Kept as the note
// of its request. Pure.

export interface Advice {
  readonly replicas: number;
  readonly atMs: number;
}

/** By how many replicas it scaled, in one direction. */
export interface Scaling {
  readonly change: number;
  readonly atMs: number;
}

export interface Memory {
  /** When the next look at the metrics is due. */
  readonly nextMs: number;
  /** Looks that failed, since the last that did not. */
  readonly failures: number;
  readonly advice: readonly Advice[];
  readonly ups: readonly Scaling[];
  readonly downs: readonly Scaling[];
}

export function readMemory(note: string | undefined): Memory | undefined {
  // Only writeMemory writes these notes.
  return note === undefined ? undefined : (JSON.parse(note) as Memory);
}

export function writeMemory(memory: Memory): string {
  return JSON.stringify(memory);
}

/** Of equal advice in a row the last counts for all: it is in every window that one of the others is in. */
export function withAdvice(advice: readonly Advice[], next: Advice, windowMs: number): Advice[] {
  const kept = advice.filter(({ atMs }) => atMs >= next.atMs - windowMs);
  const last = kept.at(-1);
  return [...(last?.replicas === next.replicas ? kept.slice(0, -1) : kept), next];
}

export function withScaling(scalings: readonly Scaling[], next: Scaling, windowMs: number): Scaling[] {
  return [...scalings.filter(({ atMs }) => atMs >= next.atMs - windowMs), next];
}
