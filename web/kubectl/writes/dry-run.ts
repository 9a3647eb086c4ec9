// Flags that commands which write have in common, and what they say of what they did.
import type { CommandCall } from "../command.ts";
import type { Flag } from "../flag.ts";
import type { FlagValues } from "../flags.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { type Printer, printerOf } from "../print/printer.ts";

export type DryRun = "none" | "client" | "server";

export const dryRunFlag: Flag = {
  name: "dry-run",
  type: "string",
  default: "none",
  bare: "unchanged",
  usage: 'Must be "none", "server", or "client".',
};
export const validateFlag: Flag = {
  name: "validate",
  type: "string",
  default: "strict",
  bare: "strict",
  usage: "Must be one of: strict (or true), warn, ignore (or false).",
};
export const saveConfigFlag: Flag = {
  name: "save-config",
  type: "bool",
  usage: "If true, the configuration of current object will be saved in its annotation.",
};
export const recordFlag: Flag = {
  name: "record",
  type: "bool",
  usage: "Record current kubectl command in the resource annotation.",
  hidden: true,
};

export function fieldManagerFlag(manager: string): Flag {
  return {
    name: "field-manager",
    type: "string",
    default: manager,
    usage: "Name of the manager used to track field ownership.",
  };
}

export function dryRunOf(flags: FlagValues): DryRun {
  const given = flags.text("dry-run");
  if (given === "none" || given === "server" || given === "client") return given;
  if (given === "unchanged" || /^(1|t|T|TRUE|true|True)$/.test(given)) return "client";
  if (given === "" || /^(0|f|F|FALSE|false|False)$/.test(given)) return "none";
  throw new Error(`Invalid dry-run value (${given}). Must be "none", "server", or "client".`);
}

export function validationOf(flags: FlagValues): string {
  const given = flags.text("validate");
  if (given === "strict" || /^(1|t|T|TRUE|true|True)$/.test(given)) return "Strict";
  if (given === "warn") return "Warn";
  if (given === "ignore" || /^(0|f|F|FALSE|false|False)$/.test(given)) return "Ignore";
  throw new Error(
    `invalid - validate option ${JSON.stringify(given)}; must be one of: strict (or true), warn, ignore (or false)`,
  );
}

/** The query of a write. */
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

/** Prints objects as `-o` says, or what was done with them. */
export function writePrinter(
  { flags, around }: CommandCall,
  operation: string,
  dryRun: DryRun = "none",
  isTyped = false,
): Printer {
  return printerOf({ flags, files: around.files, operation: dryRunText(operation, dryRun), isTyped });
}

/** The word may be another for each object; formats keep their count of documents. */
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
