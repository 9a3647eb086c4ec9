// Values as Go prints them in messages.

/** Prints a float64 like `%v`: with the fewest digits that keep its value, and with an exponent from a million on. */
export function goFloat(value: number): string {
  if (value === 0) return "0";
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const sign = power < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** A number as it came from JSON: what fits 64 bits is an integer, all else a float. */
export function goNumber(value: number): string {
  return isInt64(value) ? String(value) : goFloat(value);
}

export function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 63;
}

/** Encodes JSON like Go, which escapes characters that are special in HTML. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Prints the type of a value that came from JSON, like `%T`. */
export function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number") return isInt64(value) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  return value === null ? "<nil>" : typeof value === "object" ? "map[string]interface {}" : typeof value;
}

/** Prints a value that came from JSON, like `%v`. */
export function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value === "number") return goNumber(value);
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([name, item]) => `${name}:${goValue(item)}`).join(" ")}]`;
  }
  return typeof value === "string" ? value : value === true ? "true" : value === false ? "false" : "<nil>";
}
