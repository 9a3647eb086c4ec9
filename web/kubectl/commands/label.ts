// `kubectl label` and `kubectl annotate`.
import { labelValue } from "../../../shared/k8s/names.ts";
import { copyJson, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { type Flag, boolFlag, stringFlag } from "../flag.ts";
import { asError, throwAll } from "../errors.ts";
import { type Info, ensure, ensureMetadata, stringsAt, textOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { allFlag, allNamespacesFlag, fieldSelectorFlag, fileFlags, select, selectorFlag } from "../resources/select.ts";
import { changingPrinter, dryRunFlag, dryRunOf, fieldManagerFlag, recordFlag } from "../writes/dry-run.ts";
import { mergePatchOf } from "../writes/patches.ts";
import { patchObject } from "../writes/send.ts";

const flags: readonly Flag[] = [
  ...outputFlags,
  ...fileFlags,
  selectorFlag,
  fieldSelectorFlag,
  allFlag,
  allNamespacesFlag,
  dryRunFlag,
  recordFlag,
  boolFlag("overwrite", "If true, allow values to be overwritten."),
  boolFlag("list", "If true, display what a given resource has."),
  boolFlag("local", "If true, do NOT contact api-server but run locally."),
  stringFlag(
    "resource-version",
    "The update will only succeed if this is the current resource-version for the object.",
  ),
];

interface What {
  readonly noun: "label" | "annotation";
  readonly field: "labels" | "annotations";
  readonly example: string;
}

const labels: What = { noun: "label", field: "labels", example: "pod.yaml or --filename=pod.json" };
const annotations: What = { noun: "annotation", field: "annotations", example: "rsrc.yaml or --filename=rsrc.json" };

export const label: Command = {
  name: "label",
  use: "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version] [options]",
  short: "Update the labels on a resource",
  completes: "resources",
  flags: [...flags, fieldManagerFlag("kubectl-label")],
  run: (call) => change(call, labels),
};

export const annotate: Command = {
  name: "annotate",
  use: "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version] [options]",
  short: "Update the annotations on a resource",
  completes: "resources",
  flags: [...flags, fieldManagerFlag("kubectl-annotate")],
  run: (call) => change(call, annotations),
};

interface Changes {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

async function change(call: CommandCall, what: What): Promise<void> {
  const { flags, streams } = call;
  const dryRun = dryRunOf(flags);
  const { resources, pairs } = resourcesAndPairs(call.args, what.noun);
  const changes = what === labels ? parseLabels(pairs) : parseAnnotations(pairs);
  check(call, what, resources, changes);
  const isLocal = flags.bool("local");
  const { infos, errors, isSingle } = await select(call, {
    args: resources,
    keepsGoing: true,
    isDetached: isLocal,
    allowsAll: flags.bool("all"),
    allNamespaces: flags.bool("all-namespaces"),
  });
  const failed: Error[] = [...errors];
  if (!isSingle && flags.text("resource-version"))
    throw new Error("--resource-version may only be used with a single resource");
  const print = changingPrinter(call, dryRun);
  for (const info of infos) {
    try {
      const word = await changeOne(
        call,
        what,
        changes,
        info,
        isLocal || dryRun === "client" || flags.bool("list") ? undefined : dryRun,
      );
      streams.out(flags.bool("list") ? listing(info, what, isSingle) : print(info.object, word));
    } catch (error) {
      failed.push(asError(error));
    }
  }
  throwAll(failed);
}

/** Splits arguments into resources and changes. The first change ends the resources. */
export function resourcesAndPairs(args: readonly string[], noun: string): { resources: string[]; pairs: string[] } {
  const isPair = (text: string) =>
    (text.includes("=") && !text.startsWith("=")) || (text.endsWith("-") && text !== "-");
  const first = args.findIndex(isPair);
  if (first < 0) return { resources: [...args], pairs: [] };
  const wrong = args.slice(first).find((text) => !isPair(text));
  if (wrong !== undefined) throw new Error(`all resources must be specified before ${noun} changes: ${wrong}`);
  return { resources: args.slice(0, first), pairs: args.slice(first) };
}

function parseLabels(pairs: readonly string[]): Changes {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const pair of pairs) {
    const pieces = pair.split("=");
    const [key = "", value = ""] = pieces;
    if (pieces.length > 2) throw new Error(`invalid label spec: ${pair}`);
    if (pieces.length === 1) remove.push(pair.slice(0, -1));
    else {
      const wrong = labelValue(value);
      if (wrong.length > 0) throw new Error(`invalid label value: ${JSON.stringify(pair)}: ${wrong.join(";")}`);
      set.set(key, value);
    }
  }
  if (remove.some((key) => set.has(key))) throw new Error("can not both modify and remove a label in the same command");
  return { set, remove };
}

function parseAnnotations(pairs: readonly string[]): Changes {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals > 0) set.set(pair.slice(0, equals), pair.slice(equals + 1));
    else remove.push(pair.slice(0, -1));
  }
  const both = remove.filter((key) => set.has(key));
  if (both.length > 0) {
    throw new Error(
      `can not both modify and remove the following annotation(s) in the same command: ${both.join(", ")}`,
    );
  }
  return { set, remove };
}

function check(
  { flags }: CommandCall,
  { noun, example }: What,
  resources: readonly string[],
  { set, remove }: Changes,
): void {
  const hasFiles = flags.list("filename").length > 0 || flags.text("kustomize") !== "";
  if (flags.bool("list") && flags.text("output")) throw new Error("--list and --output may not be specified together");
  for (const selectorFlag of ["selector", "field-selector"]) {
    if (flags.bool("all") && flags.text(selectorFlag))
      throw new Error(`cannot set --all and --${selectorFlag} at the same time`);
  }
  if (flags.bool("local")) {
    if (dryRunOf(flags) === "server")
      throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
    if (resources.length > 0) throw new Error(`can only use local files by -f ${example} when --local=true is set`);
    if (!hasFiles) throw new Error(`one or more files must be specified as -f ${example}`);
  } else if (resources.length === 0 && !hasFiles) {
    throw new Error("one or more resources must be specified as <resource> <name> or <resource>/<name>");
  }
  if (set.size === 0 && remove.length === 0 && !flags.bool("list"))
    throw new Error(`at least one ${noun} update is required`);
}

/** Changes one object and returns the operation to report. Without `dryRun`, nothing is sent. */
async function changeOne(
  call: CommandCall,
  what: What,
  { set, remove }: Changes,
  info: Info,
  dryRun: "none" | "server" | undefined,
): Promise<string> {
  const { flags, streams } = call;
  const before = copyJson(info.object);
  const values = stringsAt(info.object, "metadata", what.field);
  if (!flags.bool("overwrite")) refuseOverwrites(what, values, set);
  if (dryRun && what === labels) {
    for (const key of remove) if (!Object.hasOwn(values, key)) streams.out(`label ${JSON.stringify(key)} not found.\n`);
  }
  const added = [...set].filter(([key, value]) => values[key] !== value);
  const removed = remove.filter((key) => Object.hasOwn(values, key));
  const target = ensure(info.object, "metadata", what.field);
  for (const [key, value] of set) target[key] = value;
  for (const key of remove) delete target[key];
  const version = flags.text("resource-version");
  if (version) {
    delete ensureMetadata(before).resourceVersion;
    ensureMetadata(info.object).resourceVersion = version;
  }
  const isChanged = added.length > 0 || removed.length > 0;
  if (dryRun && (isChanged || what === annotations)) {
    const patched: JsonObject = await patchObject(call, info, mergePatchOf(before, info.object), {
      type: "merge",
      dryRun,
    });
    if (what === annotations) info.object = patched;
  }
  if (what === annotations) return "annotated";
  if (!isChanged) return "not labeled";
  return added.length > 0 ? (removed.length > 0 ? "modified" : "labeled") : "unlabeled";
}

function refuseOverwrites(
  what: What,
  values: Readonly<Record<string, string>>,
  set: ReadonlyMap<string, string>,
): void {
  const conflicts = [...set].flatMap(([key, value]) => {
    const now = values[key];
    return now !== undefined && now !== value ? [`'${key}' already has a value (${now})`] : [];
  });
  if (conflicts.length === 0) return;
  if (what === labels) throwAll(conflicts.map((text) => new Error(`${text}, and --overwrite is false`)));
  throw new Error(`--overwrite is false but found the following declared annotation(s): ${conflicts.join("; ")}`);
}

function listing({ object, mapping, name }: Info, { field }: What, isSingle: boolean): string {
  const head = isSingle ? "" : `Listing ${field} for ${textOf(object.kind)}.${mapping.group}/${name}:\n`;
  const indent = isSingle ? "" : " ";
  const lines = Object.entries(stringsAt(object, "metadata", field)).map(
    ([key, value]) => `${indent}${key}=${value}\n`,
  );
  return head + lines.join("");
}
