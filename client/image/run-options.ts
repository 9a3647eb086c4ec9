// Parses the options of a RUN command: those with a value, and the operands.

export interface GivenOptions {
  readonly has: (...names: readonly string[]) => boolean;
  /** Returns the value of the first option that is set. */
  readonly valueOf: (...names: readonly string[]) => string | undefined;
  readonly rest: readonly string[];
}

/** Parses options. `valued`: options whose value is the next word: `-m --mode`. Letters may be combined. */
export function optionsOf(args: readonly string[], valued: string): GivenOptions {
  const withValue = new Set(valued.split(" "));
  const optionValues = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      rest.push(...args.slice(at + 1));
      break;
    }
    if (arg === "-" || !arg.startsWith("-")) {
      rest.push(arg);
      continue;
    }
    const [name = "", value] = arg.startsWith("--") ? arg.split(/=(.*)/s) : [arg];
    if (value !== undefined) optionValues.set(name, value);
    else if (withValue.has(name)) optionValues.set(name, args[++at] ?? "");
    else if (name.startsWith("--")) optionValues.set(name, "");
    else {
      for (const letter of name.slice(1)) optionValues.set(`-${letter}`, "");
      const last = `-${name.at(-1)}`;
      if (withValue.has(last)) optionValues.set(last, args[++at] ?? "");
    }
  }
  return {
    has: (...names) => names.some((name) => optionValues.has(name)),
    valueOf: (...names) => names.map((name) => optionValues.get(name)).find((value) => value !== undefined),
    rest,
  };
}
