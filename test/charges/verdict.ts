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

/** One turn over a tenant's input. */
export interface Turn {
  /** The group and the input, such as `jq: [range(20000)] - [range(20000)]`. */
  readonly name: string;
  /** Runs the turn from its start and returns the microseconds that it charged. */
  run(): number;
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
export function measure(turn: Turn, clock: Clock, { runs, ...rest }: Bounds = bounds): Measurement {
  let least: Measurement | undefined;
  for (let round = 0; round < runs; round++) {
    const factor = round === 0 ? 1 : Math.max(1, clock.factor());
    const before = clock.read();
    const chargedMicroseconds = turn.run();
    const tookMicroseconds = (clock.read() - before) / factor;
    if (!least || tookMicroseconds < least.tookMicroseconds) {
      const complaint = complaintOf(tookMicroseconds, chargedMicroseconds, rest);
      least = { name: turn.name, tookMicroseconds, chargedMicroseconds, complaint };
    }
    // Noise does not make a turn ten times as long.
    if (least.complaint === undefined || tookMicroseconds > 10 * rest.longestMicroseconds) return least;
  }
  if (!least) throw new Error("a turn is measured at least once");
  return least;
}

function complaintOf(took: number, charged: number, limits: Omit<Bounds, "runs">): string | undefined {
  const { longestMicroseconds, leastShare, floorMicroseconds } = limits;
  if (took < floorMicroseconds) return undefined;
  const figures = `took ${inMs(took)} ms and charged ${inMs(charged)} ms`;
  if (took > longestMicroseconds) return `${figures}: longer than ${inMs(longestMicroseconds)} ms`;
  return charged < took * leastShare ? `${figures}: less than a third` : undefined;
}

function inMs(microseconds: number): string {
  return (microseconds / 1000).toFixed(1);
}
