// IntOrString: a number, or a percentage of a total.

/** Returns 0 for a value that is neither a number nor a percentage: validation refuses it. */
export function getScaledValueFromIntOrPercent(value: number | string, total: number, roundUp: boolean): number {
  if (typeof value === "number") return value;
  const percent = percentOf(value);
  if (percent === undefined) return 0;
  const share = (percent * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}

/** Returns the number before the `%`, or undefined if the value is not a percentage. */
export function percentOf(value: number | string): number | undefined {
  const digits = typeof value === "string" ? /^([+-]?[0-9]+)%$/.exec(value)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
