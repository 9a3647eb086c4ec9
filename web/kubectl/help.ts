// Help texts: what a command is for, how it is called, and its flags.
import type { Command } from "./command.ts";
import type { Flag } from "./flag.ts";

export function helpOf(command: Command, path: string): string {
  const parts = [`${command.short}${/[.]$/.test(command.short) ? "" : "."}\n`];
  if (command.aliases?.length) parts.push(`Aliases:\n${[command.name, ...command.aliases].join(", ")}\n`);
  if (command.examples?.length) parts.push(`Examples:\n${command.examples.map((line) => `  ${line}\n`).join("")}`);
  if (command.commands?.length) parts.push(`Available Commands:\n${commandLines(command.commands)}`);
  const flags = (command.flags ?? []).filter(({ hidden }) => !hidden);
  if (flags.length) parts.push(`Options:\n${flagLines(flags)}`);
  parts.push(`Usage:\n  ${usageOf(command, path)}\n`);
  return parts.join("\n");
}

export function usageOf(command: Command, path: string): string {
  if (command.use !== undefined) return `${path} ${command.use}`;
  return command.commands?.length ? `${path} [flags] [options]` : `${path} [options]`;
}

/** Returns the lines of the flags, in the order of their names. */
export function flagLines(flags: readonly Flag[]): string {
  return [...flags]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(flagLine)
    .join("");
}

const leastWidth = 11;

function commandLines(commands: readonly Command[]): string {
  const width = Math.max(leastWidth, ...commands.map(({ name }) => name.length));
  return commands.map(({ name, short }) => `  ${name.padEnd(width)}   ${short}\n`).join("");
}

function flagLine({ name, short, type, default: value, usage }: Flag): string {
  const shown = {
    bool: value ?? false,
    string: `'${value ?? ""}'`,
    strings: "[]",
    array: "[]",
    int: value ?? 0,
    duration: value ?? "0s",
  }[type];
  return `    ${short ? `-${short}, ` : ""}--${name}=${shown}:\n\t${usage}\n\n`;
}
