// Costs and sizes of which only a minimum and a maximum are known. They saturate at 64 bits.
export interface CostRange {
  readonly min: number;
  readonly max: number;
}

const most = 2 ** 64;
export const unknown: CostRange = { min: 0, max: most };

export function exactly(count: number): CostRange {
  return { min: count, max: count };
}

export function plus(...ranges: readonly CostRange[]): CostRange {
  let [min, max] = [0, 0];
  for (const range of ranges) {
    min += range.min;
    max += range.max;
  }
  return { min: Math.min(min, most), max: Math.min(max, most) };
}

export function times(a: CostRange, b: CostRange): CostRange {
  return { min: Math.min(a.min * b.min, most), max: Math.min(a.max * b.max, most) };
}

/** Scales both ends, rounded up. */
export function scaled({ min, max }: CostRange, factor: number): CostRange {
  return { min: Math.min(Math.ceil(min * factor), most), max: Math.min(Math.ceil(max * factor), most) };
}

/** Returns the range that covers both ranges. */
export function either(a: CostRange, b: CostRange): CostRange {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
