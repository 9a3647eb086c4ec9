// Numbers as Go prints them in messages.

/** `%v` of a float64: the shortest digits that say it, with an exponent from a million on. */
export function goFloat(value: number): string {
  if (value === 0) return "0";
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const sign = power < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
}
