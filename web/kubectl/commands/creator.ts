// The base of the subcommands of `kubectl create`: a name, an object built from flags, and its creation.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import type { Flag } from "../flag.ts";
import { asError } from "../errors.ts";
import { pathOf } from "../cluster/discovery.ts";
import { ensureMetadata, textOf } from "../object.ts";
import { declaredOrder } from "../print/declared-order.ts";
import { outputFlags } from "../print/printer.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  saveConfigFlag,
  validateFlag,
  validationOf,
  writePrinter,
  writeQuery,
} from "../writes/dry-run.ts";
import { keepLastApplied } from "../writes/last-applied.ts";
import { requireFlag } from "./scale.ts";

export interface Creator {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly use: string;
  readonly short: string;
  readonly flags?: readonly Flag[];
  readonly required?: readonly string[];
  /** The prefix of errors: `failed to create deployment: `. */
  readonly failure?: string;
  /** Builds the object without its namespace. Fields that only a dry run prints are in `printed`. */
  build(call: CommandCall, name: string): Promise<JsonObject> | JsonObject;
}

export const creatorFlags: readonly Flag[] = [
  ...outputFlags,
  dryRunFlag,
  validateFlag,
  saveConfigFlag,
  fieldManagerFlag("kubectl-create"),
];

export function creatorCommand(creator: Creator): Command {
  return {
    name: creator.name,
    ...(creator.aliases ? { aliases: creator.aliases } : {}),
    use: creator.use,
    short: creator.short,
    flags: [...creatorFlags, ...(creator.flags ?? [])],
    completes: "none",
    run: (call) => create(call, creator),
  };
}

async function create(call: CommandCall, creator: Creator): Promise<void> {
  requireFlag(call, ...(creator.required ?? []));
  const name = nameFrom(call);
  const dryRun = dryRunOf(call.flags);
  const print = writePrinter(call, "created", dryRun, dryRun === "client");
  validationOf(call.flags);
  const object = await creator.build(call, name);
  const mapping = await call.cluster.kind(textOf(object.apiVersion), textOf(object.kind));
  if (call.hasNamespace && mapping?.namespaced !== false) ensureMetadata(object).namespace = call.namespace;
  keepLastApplied(object, call.flags.bool("save-config"), declaredOrder);
  if (dryRun === "client" || !mapping) return call.streams.out(print(object));
  try {
    const path = pathOf(mapping, mapping.namespaced ? call.namespace : "");
    const created = await call.cluster.json(path, { method: "POST", query: writeQuery(call, dryRun), body: object });
    call.streams.out(print(created));
  } catch (error) {
    throw creator.failure ? new Error(`${creator.failure}${asError(error).message}`) : error;
  }
}

/** Returns the only argument before `--`. */
export function nameFrom(call: CommandCall): string {
  const count = call.dash < 0 ? call.args.length : call.dash;
  if (count !== 1) throw usageError(call, `exactly one NAME is required, got ${count}`);
  return call.args[0] ?? "";
}

/** Parses a number, or returns the text unchanged if it is not one. */
export function intOrString(text: string): number | string {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}
