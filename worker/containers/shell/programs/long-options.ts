// Options as GNU programs and curl read them: long ones and their letters, with and without values, anywhere on the line.

/** The long name of a letter, or itself; a closing `=` says that it has a value. */
export type OptionNames = Readonly<Record<string, string>>;

export interface Parsed {
  has(name: string): boolean;
  /** The last one given. */
  value(name: string): string | undefined;
  all(name: string): readonly string[];
  readonly rest: readonly string[];
  /** The first that is not known. */
  readonly unknown?: string;
}

export function parsed(args: readonly string[], names: OptionNames): Parsed {
  const found: { readonly name: string; readonly value: string }[] = [];
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
      found.push({ name, value: isGiven ? (args[++at] ?? "") : values.join("=") });
      continue;
    }
    for (let letter = 1; letter < arg.length; letter++) {
      const key = arg[letter] ?? "";
      const long = Object.hasOwn(names, key) ? names[key] : undefined;
      if (long === undefined) unknown ??= key;
      if (!long?.endsWith("=")) {
        found.push({ name: long ?? key, value: "" });
        continue;
      }
      const own = arg.slice(letter + 1);
      found.push({ name: long.slice(0, -1), value: own === "" ? (args[++at] ?? "") : own });
      break;
    }
  }
  const all = (name: string) => found.filter((one) => one.name === name).map((one) => one.value);
  return {
    has: (name) => found.some((one) => one.name === name),
    value: (name) => all(name).at(-1),
    all,
    rest,
    ...(unknown === undefined ? {} : { unknown }),
  };
}
