// `kubectl taint`: changes the taints of nodes.
import { labelValue, qualifiedName } from "../../../shared/k8s/names.ts";
import { copyJson, type JsonObject } from "../../../shared/schema/json-values.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { boolFlag } from "../flag.ts";
import { asError, throwAll } from "../errors.ts";
import { type Info, ensure, listAt, textOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { allFlag, fetchObject, select, selectorFlag } from "../resources/select.ts";
import { changingPrinter, dryRunFlag, dryRunOf, fieldManagerFlag, validateFlag } from "../writes/dry-run.ts";
import { patchBetween, patchObject } from "../writes/send.ts";

interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export const taint: Command = {
  name: "taint",
  use: "NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N [options]",
  short: "Update the taints on one or more nodes",
  completes: "nodes",
  flags: [
    ...outputFlags,
    dryRunFlag,
    validateFlag,
    selectorFlag,
    allFlag,
    fieldManagerFlag("kubectl-taint"),
    boolFlag("overwrite", "If true, allow taints to be overwritten."),
  ],
  run: async (call) => {
    const { flags, streams } = call;
    const dryRun = dryRunOf(flags);
    const { resources, add, remove } = readArguments(call);
    const mapping = await call.cluster.resource(resources[0] ?? "");
    if (mapping.kind !== "Node")
      throw new Error(`invalid resource type ${resources[0] ?? ""}, only node types are supported`);
    check(flags.bool("all"), flags.text("selector"), resources, add, remove);
    const isSelected = flags.bool("all") || flags.text("selector") !== "";
    const failed: Error[] = [];
    const infos = isSelected
      ? (await select(call, { args: ["nodes"], keepsGoing: true, selectsAll: flags.bool("all") })).infos
      : [];
    if (!isSelected) {
      for (const name of resources.slice(1)) {
        const info: Info = { mapping, namespace: "", name, source: "", object: {} };
        try {
          info.object = await fetchObject(call, info);
          infos.push(info);
        } catch (error) {
          failed.push(asError(error));
        }
      }
    }
    // kubectl does not print the kind of dry run for taints.
    const print = changingPrinter(call);
    for (const info of infos) {
      try {
        const before = copyJson(info.object);
        const word = update(info.object, add, remove, flags.bool("overwrite"));
        const { patch, type } = patchBetween(before, info.object);
        const after = dryRun === "client" ? info.object : await patchObject(call, info, patch, { type, dryRun });
        streams.out(print(after, word));
      } catch (error) {
        failed.push(asError(error));
      }
    }
    throwAll(failed);
  },
};

function readArguments(call: CommandCall): { resources: string[]; add: Taint[]; remove: Taint[] } {
  const isTaint = (text: string) => text.includes("=") || text.includes(":") || text.endsWith("-");
  const first = call.args.findIndex(isTaint);
  const resources = first < 0 ? [...call.args] : call.args.slice(0, first);
  const specs = first < 0 ? [] : call.args.slice(first);
  const wrong = specs.find((text) => !isTaint(text));
  if (wrong !== undefined) throw new Error(`all resources must be specified before taint changes: ${wrong}`);
  if (resources.length === 0) throw new Error("one or more resources must be specified as <resource> <name>");
  if (specs.length === 0) throw new Error("at least one taint update is required");
  const [add, remove]: [Taint[], Taint[]] = [[], []];
  try {
    for (const spec of specs) {
      if (spec.endsWith("-")) remove.push({ ...parseTaint(spec.slice(0, -1)), value: "" });
      else {
        const taint = parseTaint(spec);
        if (!taint.effect) throw new Error(`invalid taint spec: ${spec}`);
        if (add.some(({ key, effect }) => key === taint.key && effect === taint.effect)) {
          throw new Error(
            `duplicated taints with the same key and effect: {${taint.key} ${taint.value} ${taint.effect} <nil>}`,
          );
        }
        add.push(taint);
      }
    }
  } catch (error) {
    throw usageError(call, asError(error).message);
  }
  return { resources, add, remove };
}

function parseTaint(spec: string): Taint {
  const [head = "", effect = "", more] = spec.split(":");
  if (more !== undefined) throw new Error(`invalid taint spec: ${spec}`);
  if (spec.includes(":") && !["NoSchedule", "PreferNoSchedule", "NoExecute"].includes(effect)) {
    throw new Error(`invalid taint effect: ${effect}, unsupported taint effect`);
  }
  const [key = "", value = "", third] = spec.includes(":") ? head.split("=") : [head];
  if (third !== undefined) throw new Error(`invalid taint spec: ${spec}`);
  const wrong = [...labelValue(value), ...qualifiedName(key)];
  if (wrong.length > 0) throw new Error(`invalid taint spec: ${spec}, ${wrong.join("; ")}`);
  return { key, value, effect };
}

function check(
  isAll: boolean,
  selector: string,
  resources: readonly string[],
  add: readonly Taint[],
  remove: readonly Taint[],
): void {
  const both = add.flatMap((taint) =>
    remove
      .filter(({ key, effect }) => key === taint.key && (!effect || effect === taint.effect))
      .map(({ key, effect }) => `${key}=${effect}`),
  );
  if (both.length > 0) {
    throw new Error(`can not both modify and remove the following taint(s) in the same command: ${both.join(", ")}`);
  }
  if (isAll && selector) throw new Error("setting 'all' parameter with a non empty selector is prohibited");
  if (!isAll && !selector && resources.length < 2) {
    throw new Error("at least one resource name must be specified since 'all' parameter is not set");
  }
}

function update(node: JsonObject, add: readonly Taint[], remove: readonly Taint[], overwrites: boolean): string {
  const old = listAt(node, "spec", "taints");
  const same = (a: JsonObject, b: Taint) => a.key === b.key && a.effect === b.effect;
  if (!overwrites) {
    const duplicateKeys = add.filter((added) => old.some((taint) => same(taint, added))).map(({ key }) => key);
    if (duplicateKeys.length > 0) {
      const name = textOf((node.metadata as JsonObject | undefined)?.name);
      throw new Error(
        `node ${name} already has ${duplicateKeys.join(",")} taint(s) with same effect(s) and --overwrite is false`,
      );
    }
  }
  const fresh = add.map(({ key, value, effect }): JsonObject => ({ key, ...(value ? { value } : {}), effect }));
  let taints = [...fresh, ...old.filter((taint) => !add.some((added) => same(taint, added)))];
  const isAdded = old.length !== taints.length;
  const errors: Error[] = [];
  let isDeleted = false;
  for (const { key, effect } of remove) {
    const remaining = taints.filter((taint) => taint.key !== key || (effect !== "" && taint.effect !== effect));
    isDeleted = remaining.length !== taints.length;
    if (!isDeleted) errors.push(new Error(`taint ${JSON.stringify(effect ? `${key}:${effect}` : key)} not found`));
    taints = remaining;
  }
  throwAll(errors);
  const spec = ensure(node, "spec");
  if (taints.length > 0) spec.taints = taints;
  else delete spec.taints;
  if ((isAdded && isDeleted) || overwrites) return "modified";
  return isAdded ? "tainted" : "untainted";
}
