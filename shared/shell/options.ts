// Parses the options of programs leniently: an option without a value is a flag.

/** Parses options of one letter (`-n`, `-rf`) and options with a value. The rest are operands. */
export function options(
  args: readonly string[],
  withValue = "",
): { readonly flags: ReadonlySet<string>; readonly values: ReadonlyMap<string, string>; readonly rest: string[] } {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      rest.push(...args.slice(at + 1));
      break;
    }
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      if (equals < 0) flags.add(arg.slice(2));
      else values.set(arg.slice(2, equals), arg.slice(equals + 1));
    } else if (/^-./.test(arg)) at += letters(arg, args[at + 1], withValue, flags, values);
    else rest.push(arg);
  }
  return { flags, values, rest };
}

/** Reads the letters of an argument. Returns how many of the following arguments they used. */
function letters(
  arg: string,
  following: string | undefined,
  withValue: string,
  flags: Set<string>,
  values: Map<string, string>,
): number {
  for (let at = 1; at < arg.length; at++) {
    const letter = arg[at] ?? "";
    if (!withValue.includes(letter)) {
      flags.add(letter);
      continue;
    }
    const attached = arg.slice(at + 1);
    values.set(letter, attached === "" ? (following ?? "") : attached);
    return attached === "" ? 1 : 0;
  }
  return 0;
}

/** Replaces long options by their letters: `--key=2` by `-k2`, `--count` by `-c`. `longs`: letters by long name. */
export function shortened(args: readonly string[], longs: Readonly<Record<string, string>>): string[] {
  const end = args.indexOf("--");
  return args.map((arg, at) => {
    const [, name = "", value = ""] = /^--([a-z-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const isOption = (end < 0 || at < end) && Object.hasOwn(longs, name);
    return isOption ? `-${longs[name] ?? ""}${value}` : arg;
  });
}
