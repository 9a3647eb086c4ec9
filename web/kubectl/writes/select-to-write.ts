// Selects the objects of files that a command writes, and collects the errors of the others.
import type { CommandCall } from "../command.ts";
import { select, type Selection } from "../resources/select.ts";
import { validationOf } from "./dry-run.ts";

export function selectToWrite(call: CommandCall, args: readonly string[]): Promise<Selection> {
  return select(call, { args, keepsGoing: true, isLocal: true, validates: validationOf(call.flags) !== "Ignore" });
}
