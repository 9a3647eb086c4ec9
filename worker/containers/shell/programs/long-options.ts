// Parses options as GNU programs and curl do: long names and letters, with and without values, anywhere on the line.

/** The long names of letters, or the name itself. A closing `=` marks an option with a value. */
export type OptionNames = Readonly<Record<string, string>>;

export interface Parsed {
  has(name: string): boolean;
  /** Returns the last value of an option. */
  value(name: string): string | undefined;
  all(name: string): readonly string[];
  readonly rest: readonly string[];
  /** The first unknown option. */
  readonly unknown?: string;
}

export function parsed(args: readonly string[], names: OptionNames): Parsed {
  const parsedOptions: { readonly name: string; readonly value: string }[] = [];
  const rest: string[] = [];
  const longs = new Map(Object.entries(names).map(([key, long]) => [long.replace(/=$/, ""), { key, long }]));
  let unknown: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      rest.push(...args.slice(at + 1));
      break;
    }
    if (!/^-./.test(arg)) {
      rest.push(arg);
      continue;
    }
    if (arg.startsWith("--")) {
      const [name = "", ...values] = arg.slice(2).split("=");
      const long = longs.get(name)?.long ?? name;
      if (!longs.has(name)) unknown ??= name;
      const isGiven = long.endsWith("=") && values.length === 0;
      parsedOptions.push({ name, value: isGiven ? (args[++at] ?? "") : values.join("=") });
      continue;
    }
    for (let letter = 1; letter < arg.length; letter++) {
      const key = arg[letter] ?? "";
      const long = Object.hasOwn(names, key) ? names[key] : undefined;
      if (long === undefined) unknown ??= key;
      if (!long?.endsWith("=")) {
        parsedOptions.push({ name: long ?? key, value: "" });
        continue;
      }
      const attachedValue = arg.slice(letter + 1);
      parsedOptions.push({ name: long.slice(0, -1), value: attachedValue === "" ? (args[++at] ?? "") : attachedValue });
      break;
    }
  }
  const all = (name: string) => parsedOptions.filter((option) => option.name === name).map((option) => option.value);
  return {
    has: (name) => parsedOptions.some((option) => option.name === name),
    value: (name) => all(name).at(-1),
    all,
    rest,
    ...(unknown === undefined ? {} : { unknown }),
  };
}
