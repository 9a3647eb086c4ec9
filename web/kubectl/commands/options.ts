// `kubectl options`: the flags that every command takes.
import type { Command } from "../command.ts";
import type { Flag } from "../flag.ts";
import { flagLines } from "../help.ts";

export function optionsCommand(flags: readonly Flag[]): Command {
  return {
    name: "options",
    short: "Print the list of flags inherited by all commands",
    completes: "none",
    run: ({ streams }) => streams.out(`The following options can be passed to any command:\n\n${flagLines(flags)}`),
  };
}
