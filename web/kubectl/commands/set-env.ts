// `kubectl set env`: lists and changes environment variables of containers.
import { strictEnvVarName } from "../../../shared/k8s/names.ts";
import { type JsonObject, copyJson } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { type Flag, arrayFlag, boolFlag, stringFlag, stringsFlag } from "../flag.ts";
import { asError, throwAll } from "../errors.ts";
import { type Info, at, listAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { select, selectorFlag } from "../resources/select.ts";
import { dryRunOf, writePrinter } from "../writes/dry-run.ts";
import { patchBetween, patchObject } from "../writes/send.ts";
import { podSpecOf, isNamed } from "../resources/pod-spec.ts";
import { textOfBase64 } from "../../../shared/base/base64.ts";

export function setEnv(flags: readonly Flag[], containersFlag: Flag): Command {
  return {
    name: "env",
    use: "RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N [options]",
    short: "Update environment variables on a pod template",
    completes: "resources",
    flags: [
      ...flags,
      selectorFlag,
      containersFlag,
      stringFlag("from", "The name of a resource from which to inject environment variables"),
      stringFlag("prefix", "Prefix to append to variable names"),
      arrayFlag("env", "Specify a key-value pair for an environment variable to set into each container.", {
        short: "e",
      }),
      stringsFlag("keys", "Comma-separated list of keys to import from specified resource"),
      boolFlag("list", "If true, display the environment and any changes in the standard format."),
      boolFlag("resolve", "If true, show secret or configmap references when listing variables"),
      boolFlag("overwrite", "If true, allow environment to be overwritten.", { default: true }),
    ],
    run,
  };
}

interface Changes {
  readonly set: JsonObject[];
  readonly remove: readonly string[];
}

async function run(call: CommandCall): Promise<void> {
  const { flags } = call;
  if (flags.bool("all") && flags.text("selector")) throw new Error("cannot set --all and --selector at the same time");
  const first = call.args.findIndex(isVariable);
  const resources = first < 0 ? [...call.args] : call.args.slice(0, first);
  const variables = first < 0 ? [] : call.args.slice(first);
  if (!variables.every(isVariable))
    throw new Error(`all resources must be specified before environment changes: ${call.args.join(" ")}`);
  validateOptions(call, resources);
  const changes = await parseChanges(call, [...flags.list("env"), ...variables]);
  const { infos, errors } = await select(call, {
    args: resources,
    allowsAll: flags.bool("all"),
    isDetached: flags.bool("local"),
    keepsGoing: true,
  });
  throwAll(errors);
  await changeWorkloads(call, infos, changes, variables.length > 0);
}

function validateOptions({ flags }: CommandCall, resources: readonly string[]): void {
  if (flags.bool("local") && dryRunOf(flags) === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  if (flags.list("filename").length === 0 && resources.length === 0) {
    throw new Error("one or more resources must be specified as <resource> <name> or <resource>/<name>");
  }
  if (flags.bool("list") && flags.text("output")) throw new Error("--list and --output may not be specified together");
  if (flags.list("keys").length > 0 && !flags.text("from")) {
    throw new Error("when specifying --keys, a configmap or secret must be provided with --from");
  }
}

/** Reports whether an argument sets (`A=1`) or removes (`A-`) a variable. All others name resources. */
function isVariable(argument: string): boolean {
  return /.=/s.test(argument) || argument.endsWith("-");
}

async function parseChanges(call: CommandCall, specs: readonly string[]): Promise<Changes> {
  const set: JsonObject[] = [];
  const remove: string[] = [];
  for (const spec of specs) {
    const equals = spec.indexOf("=");
    if (spec === "-") {
      for (const line of (await call.streams.input()).split("\n")) {
        const [plain = ""] = line.split("#");
        const at = plain.indexOf("=");
        if (at >= 0) set.push({ name: plain.slice(0, at), value: plain.slice(at + 1) });
      }
    } else if (equals >= 0) {
      const name = spec.slice(0, equals);
      const wrong = strictEnvVarName(name);
      if (wrong.length > 0) throw new Error(`${JSON.stringify(name)} is not a valid key name: ${wrong.join(";")}`);
      set.push({ name, ...(spec.slice(equals + 1) ? { value: spec.slice(equals + 1) } : {}) });
    } else if (spec.endsWith("-")) remove.push(spec.slice(0, -1));
    else throw new Error(`unknown environment variable: ${spec}`);
  }
  if (remove.some((name) => set.some((variable) => variable.name === name))) {
    throw new Error("can not both modify and remove the same environment variable in the same command");
  }
  set.push(...(await variablesFromResource(call)));
  const prefix = call.flags.text("prefix");
  return { set: set.map((variable) => ({ ...variable, name: prefix + textOf(variable.name) })), remove };
}

/** Returns a variable for each key of the ConfigMap or Secret that `--from` names. Its value refers to the key. */
async function variablesFromResource(call: CommandCall): Promise<JsonObject[]> {
  const { flags, streams } = call;
  const from = flags.text("from");
  if (!from) return [];
  const { infos } = await select(call, { args: [from] });
  return infos.flatMap(({ object, name }) => {
    const field = { Secret: "secretKeyRef", ConfigMap: "configMapKeyRef" }[textOf(object.kind)];
    if (!field) throw new Error("unsupported resource specified in --from");
    const keys = flags.list("keys");
    return Object.keys(objectAt(object, "data"))
      .filter((key) => keys.length === 0 || keys.includes(key))
      .map((key): JsonObject => {
        const variable = key.replaceAll(/[^a-zA-Z0-9_]/g, "_").toUpperCase();
        if (variable !== key) streams.err(`Warning: key ${key} transferred to ${variable}\n`);
        return { name: variable, valueFrom: { [field]: { key, name } } };
      });
  });
}

async function changeWorkloads(
  call: CommandCall,
  infos: readonly Info[],
  changes: Changes,
  hasArguments: boolean,
): Promise<void> {
  const { flags, streams } = call;
  const dryRun = dryRunOf(flags);
  const print = writePrinter(call, "env updated", dryRun);
  const failed: Error[] = [];
  for (const info of infos) {
    const before = copyJson(info.object);
    try {
      await changeContainers(call, info, changes);
    } catch (error) {
      failed.push(new Error(`error: ${info.mapping.resource}/${info.name} ${asError(error).message}\n`));
      continue;
    }
    if (flags.bool("list")) continue;
    const { patch, type } = patchBetween(before, info.object);
    if (Object.keys(patch).length === 0) continue;
    if (flags.bool("local") || dryRun === "client") {
      streams.out(print(info.object));
      continue;
    }
    let patched: JsonObject;
    try {
      patched = await patchObject(call, info, patch, { type, dryRun });
    } catch (error) {
      failed.push(new Error(`failed to patch env update to pod template: ${asError(error).message}`));
      continue;
    }
    // kubectl reports this after the first patch, and drops the errors of other objects.
    if (changes.set.length === 0 && !hasArguments)
      throw new Error("at least one environment variable must be provided");
    streams.out(print(patched));
  }
  // kubectl reports no errors with `--list`.
  if (!flags.bool("list")) throwAll(failed);
}

async function changeContainers(call: CommandCall, info: Info, { set, remove }: Changes): Promise<void> {
  const { flags, streams } = call;
  const spec = podSpecOf(info.object);
  if (!spec)
    throw new Error(`the object is not a pod or does not have a pod template: *v1.${textOf(info.object.kind)}`);
  const namePattern = flags.text("containers");
  const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].filter(({ name }) =>
    isNamed(textOf(name), namePattern),
  );
  const kind = textOf(info.object.kind);
  if (containers.length === 0) {
    streams.err(`Warning: ${kind}/${info.name} does not have any containers matching ${JSON.stringify(namePattern)}\n`);
  }
  for (const container of containers) {
    const existing = listAt(container, "env");
    if (!flags.bool("overwrite")) refuseOverwrites(existing, set);
    const env = mergeVariables(existing, set, remove);
    if (env.length > 0) container.env = env;
    else delete container.env;
    if (!flags.bool("list")) continue;
    streams.out(`# ${kind} ${info.name}, container ${textOf(container.name)}\n`);
    for (const variable of env) streams.out(await envLine(call, variable));
  }
}

function refuseOverwrites(existing: readonly JsonObject[], set: readonly JsonObject[]): void {
  for (const { name, value } of set) {
    const now = existing.find((variable) => variable.name === name);
    if (now && textOf(now.value) !== textOf(value)) {
      throw new Error(`'${textOf(name)}' already has a value (${textOf(now.value)}), and --overwrite is false`);
    }
  }
}

/**
 * Returns the existing variables with those of `set` in their places, then the new ones. If `set` has a name twice, the first variable
 * counts. A variable that is set replaces all existing ones of its name; duplicates of other names stay.
 */
function mergeVariables(
  existing: readonly JsonObject[],
  set: readonly JsonObject[],
  remove: readonly string[],
): JsonObject[] {
  const firstByName = new Map<string, JsonObject>();
  for (const variable of set)
    if (!firstByName.has(textOf(variable.name))) firstByName.set(textOf(variable.name), variable);
  const coveredNames = new Set(remove);
  const merged: JsonObject[] = [];
  for (const variable of [...existing, ...firstByName.values()]) {
    const name = textOf(variable.name);
    if (coveredNames.has(name)) continue;
    const newVariable = firstByName.get(name);
    if (newVariable) coveredNames.add(name);
    merged.push(newVariable ?? variable);
  }
  return merged;
}

async function envLine(call: CommandCall, { name, value, valueFrom }: JsonObject): Promise<string> {
  if (valueFrom === undefined) return `${textOf(name)}=${textOf(value)}\n`;
  if (call.flags.bool("resolve")) {
    const value = await readReference(call, valueFrom);
    if (value !== undefined) return `${textOf(name)}=${value}\n`;
  }
  return `# ${textOf(name)} from ${referenceText(valueFrom)}\n`;
}

function referenceText(from: unknown): string {
  for (const [field, what] of [
    ["configMapKeyRef", "configmap"],
    ["secretKeyRef", "secret"],
  ] as const) {
    if (at(from, field)) return `${what} ${stringAt(from, field, "name")}, key ${stringAt(from, field, "key")}`;
  }
  if (at(from, "fieldRef")) return `field path ${stringAt(from, "fieldRef", "fieldPath")}`;
  const container = stringAt(from, "resourceFieldRef", "containerName");
  const resource = stringAt(from, "resourceFieldRef", "resource");
  if (at(from, "resourceFieldRef")) return `${container ? `${container}/` : ""}${resource}`;
  return "invalid valueFrom";
}

/** Returns the value of a key of a ConfigMap or Secret. Returns undefined for other references, and if the key cannot be read. */
async function readReference(call: CommandCall, from: unknown): Promise<string | undefined> {
  for (const [field, plural] of [
    ["configMapKeyRef", "configmaps"],
    ["secretKeyRef", "secrets"],
  ] as const) {
    const name = stringAt(from, field, "name");
    if (!name) continue;
    const object = await call.cluster
      .json(`/api/v1/namespaces/${call.namespace}/${plural}/${name}`)
      .catch(() => undefined);
    const text = stringsAt(object, "data")[stringAt(from, field, "key")];
    return text !== undefined && field === "secretKeyRef" ? textOfBase64(text) : text;
  }
  return undefined;
}
