// Parses the flags of agnhost's commands: `--name=value`, `--name value`, letters, and switches, which take a value only after `=`.

export interface Flags {
  /** Returns the last value of a flag. */
  text(name: string, usual?: string): string;
  number(name: string, usual: number): number;
  is(name: string, usual?: boolean): boolean;
  /** Returns a duration in Go's format in milliseconds; undefined if it is invalid. */
  durationMs(name: string): number | undefined;
  readonly rest: readonly string[];
}

/** Parses flags. `letters`: the names for which letters stand. */
export function flagsOf(
  args: readonly string[],
  switches: readonly string[] = [],
  letters: Readonly<Record<string, string>> = {},
): Flags {
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, dashes = "", flagName = "", value] = /^(--?)([^=]+)(?:=([^]*))?$/.exec(arg) ?? [];
    if (dashes === "") {
      rest.push(arg);
      continue;
    }
    const name = dashes === "-" ? (letters[flagName.slice(0, 1)] ?? flagName) : flagName;
    if (value !== undefined) values.set(name, value);
    else if (switches.includes(name)) values.set(name, "true");
    else values.set(name, args[++at] ?? "");
  }
  const text = (name: string, usual = "") => values.get(name) ?? usual;
  return {
    text,
    rest,
    number: (name, usual) => {
      const parsedNumber = Number(values.get(name) ?? usual);
      return Number.isInteger(parsedNumber) ? parsedNumber : usual;
    },
    is: (name, usual = false) => text(name, String(usual)) === "true",
    durationMs: (name) => durationMs(text(name)),
  };
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 0.001, ns: 0.000_001 };

/** Parses a duration as Go's `time.ParseDuration` does; undefined if it is invalid. */
export function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const component = /(\d{1,12}(?:\.\d{1,9})?)(ms|us|ns|h|m|s)/y;
  let sum = 0;
  while (component.lastIndex < text.length) {
    const [, amount = "", unit = ""] = component.exec(text) ?? [];
    if (unit === "") return undefined;
    sum += Number(amount) * (units[unit] ?? 0);
  }
  return text === "" ? undefined : sum;
}
