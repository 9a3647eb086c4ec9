// IntOrString: numbers that may be given as a share of a total.

/** What is neither a number nor a percentage counts as 0: validation refuses it. */
export function getScaledValueFromIntOrPercent(value: number | string, total: number, roundUp: boolean): number {
  if (typeof value === "number") return value;
  const percent = percentOf(value);
  if (percent === undefined) return 0;
  const share = (percent * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}

/** The number before the `%`, or nothing where this is not a percentage. */
export function percentOf(value: number | string): number | undefined {
  const digits = typeof value === "string" ? /^([+-]?[0-9]+)%$/.exec(value)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
