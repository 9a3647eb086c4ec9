// All commands, in the order in which help lists them.
import type { Command } from "./command.ts";
import { get } from "./commands/get.ts";

export const commands: readonly Command[] = [get];
