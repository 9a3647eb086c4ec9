// The objects of files that are to be written: all of them, with what is wrong with the others.
import type { CommandCall } from "../command.ts";
import { select, type Selection } from "../resources/select.ts";
import { validationOf } from "./dry-run.ts";

export function selectToWrite(call: CommandCall, args: readonly string[]): Promise<Selection> {
  return select(call, { args, keepsGoing: true, isLocal: true, validates: validationOf(call.flags) !== "Ignore" });
}
