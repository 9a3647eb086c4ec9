// The flags of kubeadm's commands, as cobra parses them.

export interface KubeadmArguments {
  readonly operands: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  /** The first flag that the command does not have. */
  readonly unknown: string | undefined;
}

/** Parses arguments. `withValue` and `switches`: names of flags; letters stand for themselves. */
export function parseFlags(
  args: readonly string[],
  withValue: readonly string[],
  switches: readonly string[],
): KubeadmArguments {
  const flags = new Map<string, string>();
  const operands: string[] = [];
  let unknown: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, name, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) operands.push(arg);
    else if (withValue.includes(name)) flags.set(name, value ?? args[++at] ?? "");
    else if (switches.includes(name)) flags.set(name, value ?? "true");
    else
      unknown ??= arg.startsWith("--")
        ? `unknown flag: --${name}`
        : `unknown shorthand flag: '${name.charAt(0)}' in ${arg}`;
  }
  return { operands, flags, unknown };
}

/** Formats an error as kubeadm prints it. */
export function errorText(message: string): string {
  return `error: ${message}\nTo see the stack trace of this error execute with --v=5 or higher\n`;
}

/** Returns the milliseconds of a Go duration (`24h0m0s`); undefined for other texts. */
export function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  if (text === "") return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] =
    /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?$/.exec(text) ?? [];
  return durationShape.test(text)
    ? Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000
    : undefined;
}

const durationShape = /^(?:\d{1,6}h)?(?:\d{1,6}m)?(?:\d{1,9}s)?$/;
