// The flags of the control plane's programs, as their command lines have them.

export type Flags = ReadonlyMap<string, string>;

export function flagsOf(args: readonly string[]): Flags {
  const flags = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(args[at] ?? "") ?? [];
    if (name === undefined) continue;
    const next = args[at + 1];
    if (value === undefined && next !== undefined && !next.startsWith("-")) at++;
    flags.set(name, value ?? (next?.startsWith("-") ? "true" : (next ?? "true")));
  }
  return flags;
}
