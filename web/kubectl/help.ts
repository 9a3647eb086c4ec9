// Help texts of commands: purpose, usage and flags.
import type { Command } from "./command.ts";
import type { Flag } from "./flag.ts";

export function helpOf(command: Command, path: string): string {
  const sections = [`${command.short}${/[.]$/.test(command.short) ? "" : "."}\n`];
  if (command.aliases?.length) sections.push(`Aliases:\n${[command.name, ...command.aliases].join(", ")}\n`);
  if (command.examples?.length) sections.push(`Examples:\n${command.examples.map((line) => `  ${line}\n`).join("")}`);
  if (command.commands?.length) sections.push(`Available Commands:\n${commandLines(command.commands)}`);
  const flags = (command.flags ?? []).filter(({ hidden }) => !hidden);
  if (flags.length) sections.push(`Options:\n${flagLines(flags)}`);
  sections.push(`Usage:\n  ${usageOf(command, path)}\n`);
  return sections.join("\n");
}

export function usageOf(command: Command, path: string): string {
  if (command.use !== undefined) return `${path} ${command.use}`;
  return command.commands?.length ? `${path} [flags] [options]` : `${path} [options]`;
}

export function flagLines(flags: readonly Flag[]): string {
  return [...flags]
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(flagLine)
    .join("");
}

const leastWidth = 11;

function commandLines(commands: readonly Command[]): string {
  const width = Math.max(leastWidth, ...commands.map(({ name }) => name.length));
  return commands.map(({ name, short }) => `  ${name.padEnd(width)}   ${short}\n`).join("");
}

function flagLine({ name, short, type, default: value, usage }: Flag): string {
  const defaultText = {
    bool: value ?? false,
    string: `'${value ?? ""}'`,
    strings: "[]",
    array: "[]",
    int: value ?? 0,
    duration: value ?? "0s",
  }[type];
  return `    ${short ? `-${short}, ` : ""}--${name}=${defaultText}:\n\t${usage}\n\n`;
}
