// Compares what a turn charged with the processor time that it took.

export interface Bounds {
  /** Microseconds that a turn may take at most. */
  readonly longestMicroseconds: number;
  /** The part of its time that a turn must charge. */
  readonly leastShare: number;
  /** Turns that take less are not judged: noise would decide. */
  readonly floorMicroseconds: number;
  /** Runs of an input before it is refused; the shortest one counts. */
  readonly runs: number;
}

export const bounds: Bounds = { longestMicroseconds: 50_000, leastShare: 1 / 3, floorMicroseconds: 3_000, runs: 5 };

/** A turn over a tenant's input. */
export interface Turn {
  /** The group and the input, such as `jq: [range(20000)] - [range(20000)]`. */
  readonly name: string;
  /** Makes ready what the next run needs. This is not measured. */
  prepare?(): Promise<void>;
  /** Runs the turn from its start and returns the microseconds that it charged. A request may be several turns, of which the longest is judged. */
  run(): number | Promise<number>;
}

export interface Measurement {
  readonly name: string;
  readonly tookMicroseconds: number;
  readonly chargedMicroseconds: number;
  /** Undefined if the turn kept within the bounds. */
  readonly complaint: string | undefined;
}

/** A clock of processor time, in microseconds of the machine, and how many of them the reference processor's microsecond is at the moment. */
export interface Clock {
  read(): number;
  factor(): number;
}

/**
 * Runs a turn until it keeps within the bounds, or as often as the bounds allow. The machine is measured again before each repeated run,
 * because what its other processes do slows down its processor as well.
 */
export async function measure(turn: Turn, clock: Clock, { runs, ...rest }: Bounds = bounds): Promise<Measurement> {
  let least: Measurement | undefined;
  for (let round = 0; round < runs; round++) {
    await turn.prepare?.();
    const factor = round === 0 ? 1 : Math.max(1, clock.factor());
    const stretch = new LongestStretch(clock);
    const before = clock.read();
    const chargedMicroseconds = await turn.run();
    const tookMicroseconds = (clock.read() - before) / factor;
    const longest = stretch.end() / factor;
    if (!least || tookMicroseconds < least.tookMicroseconds) {
      const complaint = complaintOf(tookMicroseconds, longest, chargedMicroseconds, rest);
      least = { name: turn.name, tookMicroseconds, chargedMicroseconds, complaint };
    }
    // Noise does not make a turn ten times as long.
    if (least.complaint === undefined || longest > 10 * rest.longestMicroseconds) return least;
  }
  if (!least) throw new Error("a turn is measured at least once");
  return least;
}

/** Reports whether a turn took less than half of the longest one and charged more than two thirds of its time. */
export function isWellWithin({ tookMicroseconds, chargedMicroseconds }: Measurement, limits: Bounds): boolean {
  const isShort = tookMicroseconds < limits.longestMicroseconds / 2;
  return isShort && chargedMicroseconds > 2 * limits.leastShare * tookMicroseconds;
}

/** The longest stretch in which nothing else had its turn. */
class LongestStretch {
  readonly #clock: Clock;
  #since: number;
  #longest = 0;
  #next: NodeJS.Immediate | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.read();
    this.#beat();
  }

  end(): number {
    clearImmediate(this.#next);
    this.#look();
    return this.#longest;
  }

  #beat(): void {
    this.#next = setImmediate(() => {
      this.#look();
      this.#beat();
    });
  }

  #look(): void {
    const now = this.#clock.read();
    this.#longest = Math.max(this.#longest, now - this.#since);
    this.#since = now;
  }
}

function complaintOf(took: number, longest: number, charged: number, limits: Omit<Bounds, "runs">): string | undefined {
  const { longestMicroseconds, leastShare, floorMicroseconds } = limits;
  if (took < floorMicroseconds) return undefined;
  const figures = `took ${inMs(took)} ms and charged ${inMs(charged)} ms`;
  if (longest > longestMicroseconds)
    return `${figures}: a turn of ${inMs(longest)} ms is longer than ${inMs(longestMicroseconds)} ms`;
  return charged < took * leastShare ? `${figures}: less than a third` : undefined;
}

function inMs(microseconds: number): string {
  return (microseconds / 1000).toFixed(1);
}
