// The flags of agnhost's commands: `--name=value`, `--name value`, letters, and switches, whose value stands behind `=` alone.

export interface Flags {
  /** The last that was given. */
  text(name: string, usual?: string): string;
  number(name: string, usual: number): number;
  is(name: string, usual?: boolean): boolean;
  /** A duration as Go writes it, in milliseconds; undefined if it is none. */
  durationMs(name: string): number | undefined;
  readonly rest: readonly string[];
}

/** `letters`: what a letter is short for. */
export function flagsOf(
  args: readonly string[],
  switches: readonly string[] = [],
  letters: Readonly<Record<string, string>> = {},
): Flags {
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, dashes = "", given = "", value] = /^(--?)([^=]+)(?:=([^]*))?$/.exec(arg) ?? [];
    if (dashes === "") {
      rest.push(arg);
      continue;
    }
    const name = dashes === "-" ? (letters[given.slice(0, 1)] ?? given) : given;
    if (value !== undefined) values.set(name, value);
    else if (switches.includes(name)) values.set(name, "true");
    else values.set(name, args[++at] ?? "");
  }
  const text = (name: string, usual = "") => values.get(name) ?? usual;
  return {
    text,
    rest,
    number: (name, usual) => {
      const found = Number(values.get(name) ?? usual);
      return Number.isInteger(found) ? found : usual;
    },
    is: (name, usual = false) => text(name, String(usual)) === "true",
    durationMs: (name) => durationMs(text(name)),
  };
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 0.001, ns: 0.000_001 };

/** Go's `time.ParseDuration`; undefined for what is none. */
export function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const part = /(\d{1,12}(?:\.\d{1,9})?)(ms|us|ns|h|m|s)/y;
  let sum = 0;
  while (part.lastIndex < text.length) {
    const [, amount = "", unit = ""] = part.exec(text) ?? [];
    if (unit === "") return undefined;
    sum += Number(amount) * (units[unit] ?? 0);
  }
  return text === "" ? undefined : sum;
}
