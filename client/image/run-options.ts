// The options of a command in a RUN: which of them have a value, and what is left.

export interface GivenOptions {
  readonly has: (...names: readonly string[]) => boolean;
  /** The value of the first that is given. */
  readonly valueOf: (...names: readonly string[]) => string | undefined;
  readonly rest: readonly string[];
}

/** `valued`: options whose value is the next word: `-m --mode`. Letters may be written together. */
export function optionsOf(args: readonly string[], valued: string): GivenOptions {
  const withValue = new Set(valued.split(" "));
  const given = new Map<string, string>();
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
    if (value !== undefined) given.set(name, value);
    else if (withValue.has(name)) given.set(name, args[++at] ?? "");
    else if (name.startsWith("--")) given.set(name, "");
    else {
      for (const letter of name.slice(1)) given.set(`-${letter}`, "");
      const last = `-${name.at(-1)}`;
      if (withValue.has(last)) given.set(last, args[++at] ?? "");
    }
  }
  return {
    has: (...names) => names.some((name) => given.has(name)),
    valueOf: (...names) => names.map((name) => given.get(name)).find((value) => value !== undefined),
    rest,
  };
}
