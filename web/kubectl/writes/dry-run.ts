// Flags and messages that all writing commands share.
import type { CommandCall } from "../command.ts";
import { type Flag, boolFlag, stringFlag } from "../flag.ts";
import type { FlagValues } from "../flags.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { type Printer, printerOf } from "../print/printer.ts";

export type DryRun = "none" | "client" | "server";

export const dryRunFlag = stringFlag("dry-run", 'Must be "none", "server", or "client".', {
  default: "none",
  bare: "unchanged",
});
export const validateFlag = stringFlag("validate", "Must be one of: strict (or true), warn, ignore (or false).", {
  default: "strict",
  bare: "strict",
});
export const saveConfigFlag = boolFlag(
  "save-config",
  "If true, the configuration of current object will be saved in its annotation.",
);
export const recordFlag = boolFlag("record", "Record current kubectl command in the resource annotation.", {
  hidden: true,
});

export function fieldManagerFlag(manager: string): Flag {
  return stringFlag("field-manager", "Name of the manager used to track field ownership.", { default: manager });
}

/** Returns the flags of commands that write objects of their own making. */
export function objectWriteFlags(manager: string): readonly Flag[] {
  return [dryRunFlag, saveConfigFlag, recordFlag, fieldManagerFlag(manager)];
}

export function dryRunOf(flags: FlagValues): DryRun {
  const mode = flags.text("dry-run");
  if (mode === "none" || mode === "server" || mode === "client") return mode;
  if (mode === "unchanged" || /^(1|t|T|TRUE|true|True)$/.test(mode)) return "client";
  if (mode === "" || /^(0|f|F|FALSE|false|False)$/.test(mode)) return "none";
  throw new Error(`Invalid dry-run value (${mode}). Must be "none", "server", or "client".`);
}

export function validationOf(flags: FlagValues): string {
  const mode = flags.text("validate");
  if (mode === "strict" || /^(1|t|T|TRUE|true|True)$/.test(mode)) return "Strict";
  if (mode === "warn") return "Warn";
  if (mode === "ignore" || /^(0|f|F|FALSE|false|False)$/.test(mode)) return "Ignore";
  throw new Error(
    `invalid - validate option ${JSON.stringify(mode)}; must be one of: strict (or true), warn, ignore (or false)`,
  );
}

/** Returns the query parameters of a write. */
export function writeQuery({ flags }: CommandCall, dryRun: DryRun): Record<string, string> {
  return {
    ...(dryRun === "server" ? { dryRun: "All" } : {}),
    ...(flags.text("field-manager") ? { fieldManager: flags.text("field-manager") } : {}),
    ...(flags.has("validate") ? { fieldValidation: validationOf(flags) } : {}),
  };
}

export function dryRunText(operation: string, dryRun: DryRun): string {
  if (dryRun === "none") return operation;
  return `${operation} (${dryRun === "server" ? "server dry run" : "dry run"})`;
}

/** Returns a printer of objects in the format of `-o`, or of the operation. */
export function writePrinter(
  { flags, surroundings }: CommandCall,
  operation: string,
  dryRun: DryRun = "none",
  isTyped = false,
): Printer {
  return printerOf({ flags, files: surroundings.files, operation: dryRunText(operation, dryRun), isTyped });
}

/** Returns a printer whose operation may differ for each object. Formats keep their count of documents. */
export function changingPrinter(
  call: CommandCall,
  dryRun: DryRun = "none",
): (object: JsonObject, operation: string) => string {
  if (call.flags.text("output") || call.flags.text("template")) {
    const print = writePrinter(call, "", dryRun);
    return (object) => print(object);
  }
  return (object, operation) => writePrinter(call, operation, dryRun)(object);
}
