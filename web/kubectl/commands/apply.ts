// `kubectl apply`: three-way patches with the last applied configuration, server-side apply, and pruning.
import { type JsonObject, copyJson, isObject } from "../../../shared/schema/json-values.ts";
import { mergePatch } from "../../../shared/schema/merge-patch.ts";
import { strategicMerge } from "../../../shared/schema/strategic/strategic-merge.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { arrayFlag, boolFlag, stringFlag } from "../flag.ts";
import { StatusError, asError, isNotFound, throwAll, withSource } from "../errors.ts";
import { type Mapping, groupVersionOf, pathOf } from "../cluster/discovery.ts";
import { type Info, metadataOf, nameOf, namespaceOf, stringAt, textOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { compactJson } from "../print/json.ts";
import { allFlag, fetchObject, fileFlags, selectorFlag } from "../resources/select.ts";
import { typeNameOf } from "../types.ts";
import {
  type DryRun,
  changingPrinter,
  dryRunFlag,
  dryRunOf,
  recordFlag,
  validateFlag,
  writePrinter,
  writeQuery,
} from "../writes/dry-run.ts";
import { lastApplied, lastAppliedAnnotation, parseConfiguration, setLastApplied } from "../writes/last-applied.ts";
import { threeWayMergePatch, threeWayStrategicPatch } from "../writes/patches.ts";
import { createObject, patchObject, refresh } from "../writes/send.ts";
import { deletionFlags } from "./delete.ts";
import { untilGone } from "./wait.ts";
import { migrateToServerSide } from "./apply-migration.ts";
import { applySubcommands } from "./apply-last-applied.ts";
import { selectToWrite } from "../writes/select-to-write.ts";

export const apply: Command = {
  name: "apply",
  use: "(-f FILENAME | -k DIRECTORY) [options]",
  short: "Apply a configuration to a resource by file name or stdin",
  completes: "files",
  commands: applySubcommands,
  flags: [
    ...outputFlags,
    ...fileFlags,
    ...deletionFlags.slice(fileFlags.length).filter(({ name }) => name !== "wait"),
    boolFlag("wait", "If true, wait for resources to be gone before returning."),
    dryRunFlag,
    validateFlag,
    recordFlag,
    selectorFlag,
    allFlag,
    stringFlag("field-manager", "Name of the manager used to track field ownership.", {
      default: "kubectl-client-side-apply",
    }),
    boolFlag("server-side", "If true, apply runs in the server instead of the client."),
    boolFlag("force-conflicts", "If true, server-side apply will force the changes against conflicts."),
    boolFlag(
      "overwrite",
      "Automatically resolve conflicts between the modified and live configuration by using values from the modified configuration",
      { default: true },
    ),
    boolFlag(
      "prune",
      "Automatically delete resource objects, that do not appear in the configs and are created by either apply or create --save-config.",
    ),
    arrayFlag("prune-allowlist", "Overwrite the default allowlist with <group/version/kind> for --prune"),
    boolFlag(
      "openapi-patch",
      "If true, use openapi to calculate diff when the openapi presents and the resource can be found in the openapi spec.",
      { default: true },
    ),
    stringFlag("subresource", "If specified, apply will operate on the subresource of the requested object."),
  ],
  run: async (call) => {
    const { flags, args, streams } = call;
    if (args.length > 0) throw usageError(call, `Unexpected args: [${args.join(" ")}]`);
    const dryRun = dryRunOf(flags);
    if (flags.list("filename").length === 0 && !flags.text("kustomize"))
      throw new Error("must specify one of -f and -k");
    check(call, dryRun);
    const allowed = flags.bool("prune") ? pruneMappings(call) : [];
    const { infos, errors } = await selectToWrite(call, args);
    const failed = [...errors];
    if (infos.length === 0 && failed.length === 0) throw new Error("no objects passed to apply");
    const output = flags.text("output");
    const printsObjects = (output !== "" && output !== "name") || flags.text("template") !== "";
    const print = printsObjects ? () => "" : changingPrinter(call, dryRun);
    const uids = new Set<string>();
    for (const info of infos) {
      try {
        const word = await applyOne(call, info, dryRun);
        uids.add(stringAt(info.object, "metadata", "uid"));
        streams.out(print(info.object, word));
      } catch (error) {
        failed.push(asError(error));
      }
    }
    throwAll(failed);
    if (printsObjects) printAll(call, infos, dryRun);
    if (flags.bool("prune")) await prune(call, infos, uids, await Promise.all(allowed), dryRun);
  },
};

function check({ flags }: CommandCall, dryRun: DryRun): void {
  const [isServerSide, isForced] = [flags.bool("server-side"), flags.bool("force")];
  if (flags.bool("force-conflicts") && !isServerSide)
    throw new Error("--force-conflicts only works with --server-side");
  if (dryRun === "client" && isServerSide) {
    throw new Error("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)");
  }
  if (isServerSide && isForced) throw new Error("--force cannot be used with --server-side");
  if (dryRun === "server" && isForced) throw new Error("--dry-run=server cannot be used with --force");
  if (flags.bool("all") && flags.text("selector")) throw new Error("cannot set --all and --selector at the same time");
  if (flags.text("subresource") && !isServerSide)
    throw new Error("--subresource can only be specified for --server-side");
  if (!flags.bool("prune")) return;
  if (isForced) throw new Error("--force cannot be used with --prune");
  if (!flags.bool("all") && !flags.text("selector")) {
    throw new Error(
      "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
    );
  }
  if (isServerSide)
    throw new Error("--prune is in alpha and doesn't currently work on objects created by server-side apply");
}

/** Applies one object and returns the operation to report: `created`, `configured` or `unchanged`. */
async function applyOne(call: CommandCall, info: Info, dryRun: DryRun): Promise<string> {
  const generated = stringAt(info.object, "metadata", "generateName");
  if (!info.name && generated) throw new Error(`from ${generated}: cannot use generate name with apply`);
  if (call.flags.bool("server-side")) return applyOnServer(call, info, dryRun);
  const modified = copyJson(info.object);
  setLastApplied(modified);
  let current: JsonObject;
  try {
    current = await fetchObject(call, info);
  } catch (error) {
    if (!isNotFound(error))
      throw withSource(`retrieving current configuration of:\n${infoText(info)}\nfrom server for:`, info.source, error);
    return createNew(call, info, dryRun);
  }
  warnWithoutConfiguration(call, info, current);
  const { patch, type, isEmpty } = patchFor(current, modified);
  if (isEmpty) {
    info.object = current;
    warnIfDeleting(call, current);
    return "unchanged";
  }
  try {
    const after =
      dryRun === "client"
        ? locally(current, patch, type)
        : await sendPatch(call, info, { patch, type, dryRun, modified, current });
    refresh(info, after);
  } catch (error) {
    throw withSource(`applying patch:\n${compactJson(patch)}\nto:\n${infoText(info)}\nfor:`, info.source, error);
  }
  warnIfDeleting(call, info.object);
  return "configured";
}

function infoText({ mapping, name, namespace }: Info): string {
  const { group, resource, kind } = mapping;
  const version = groupVersionOf(mapping);
  const groupVersion = group ? version : `/${version}`;
  return `Resource: "${groupVersion}, Resource=${resource}", GroupVersionKind: "${groupVersion}, Kind=${kind}"\nName: "${name}", Namespace: "${namespace}"`;
}

async function createNew(call: CommandCall, info: Info, dryRun: DryRun): Promise<string> {
  setLastApplied(info.object);
  dropNulls(info.object);
  if (dryRun !== "client") {
    try {
      refresh(info, await createObject(call, info, dryRun));
    } catch (error) {
      throw withSource("creating", info.source, error);
    }
  }
  return "created";
}

function dropNulls(value: unknown): void {
  if (Array.isArray(value)) value.forEach(dropNulls);
  if (!isObject(value)) return;
  for (const [key, member] of Object.entries(value)) {
    if (member === null) delete value[key];
    else dropNulls(member);
  }
}

function warnWithoutConfiguration({ streams }: CommandCall, { mapping, name }: Info, current: JsonObject): void {
  if (lastApplied(current) !== undefined) return;
  streams.err(
    `Warning: resource ${mapping.resource}/${name} is missing the ${lastAppliedAnnotation} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n`,
  );
}

function warnIfDeleting({ streams }: CommandCall, object: JsonObject): void {
  if (!metadataOf(object).deletionTimestamp) return;
  streams.err(`Warning: Detected changes to resource ${nameOf(object)} which is currently being deleted.\n`);
}

interface Patch {
  readonly patch: JsonObject;
  readonly type: "strategic" | "merge";
  readonly isEmpty: boolean;
}

export function patchFor(current: JsonObject, modified: JsonObject): Patch {
  const original = parseConfiguration(lastApplied(current));
  const typeName = typeNameOf(textOf(current.apiVersion), textOf(current.kind));
  const strategic = typeName ? threeWayStrategicPatch(typeName, original, modified, current) : undefined;
  const patch = strategic ?? threeWayMergePatch(original, modified, current);
  return { patch, type: strategic ? "strategic" : "merge", isEmpty: Object.keys(patch).length === 0 };
}

export function locally(current: JsonObject, patch: JsonObject, type: "strategic" | "merge"): JsonObject {
  const typeName = typeNameOf(textOf(current.apiVersion), textOf(current.kind)) ?? "";
  // A patch of an object is an object.
  return (
    type === "strategic"
      ? strategicMerge(typeName, copyJson(current), copyJson(patch))
      : mergePatch(copyJson(current), patch)
  ) as JsonObject;
}

interface Sending extends Omit<Patch, "isEmpty"> {
  readonly dryRun: DryRun;
  readonly modified: JsonObject;
  readonly current: JsonObject;
}

const maxTries = 5;

async function sendPatch(call: CommandCall, info: Info, sending: Sending): Promise<JsonObject> {
  let { patch, type } = sending;
  for (let tries = 0; ; tries++) {
    try {
      return await patchObject(call, info, patch, { type, dryRun: sending.dryRun });
    } catch (error) {
      const reason = error instanceof StatusError ? error.status.reason : "";
      if (reason === "Conflict" && tries < maxTries) {
        if (tries > 0) await call.surroundings.wait(1000, call.streams.signal);
        ({ patch, type } = patchFor(await fetchObject(call, info), sending.modified));
        continue;
      }
      if ((reason === "Conflict" || reason === "Invalid") && call.flags.bool("force"))
        return deleteAndCreate(call, info, sending);
      throw withSource("patching", info.source, error);
    }
  }
}

async function deleteAndCreate(call: CommandCall, info: Info, { modified, dryRun }: Sending): Promise<JsonObject> {
  const path = pathOf(info.mapping, info.namespace, info.name);
  await call.cluster.json(path, {
    method: "DELETE",
    body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" },
  });
  await untilGone(call, info, call.surroundings.clock.nowMs() + (call.flags.durationMs("timeout") || 300_000), false);
  return createObject(call, { ...info, object: modified }, dryRun);
}

async function applyOnServer(call: CommandCall, info: Info, dryRun: DryRun): Promise<string> {
  const { flags } = call;
  const manager = flags.changed("field-manager") ? flags.text("field-manager") : "kubectl";
  const query = { ...writeQuery(call, dryRun), fieldManager: manager, force: String(flags.bool("force-conflicts")) };
  const send = (object: JsonObject, subresource = "") =>
    patchObject(call, info, object, { type: "apply", dryRun, subresource, query });
  try {
    refresh(info, await send(info.object, flags.text("subresource")).catch((error: unknown) => conflictAdvice(error)));
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 415) {
      throw new Error(`Server-side apply not available on the server: (${error.message})`);
    }
    throw error;
  }
  await migrateToServerSide(call, info, manager, dryRun);
  warnIfDeleting(call, info.object);
  return "serverside-applied";
}

function conflictAdvice(error: unknown): never {
  if (!(error instanceof StatusError) || error.status.reason !== "Conflict") throw error;
  throw new Error(`${error.message}
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`);
}

function printAll(call: CommandCall, infos: readonly Info[], dryRun: DryRun): void {
  const print = writePrinter(call, "", dryRun);
  const [only] = infos;
  const object =
    infos.length === 1 && only
      ? only.object
      : { apiVersion: "v1", kind: "List", metadata: {}, items: infos.map((info) => info.object) };
  call.streams.out(print(object));
}

const prunable = [
  "v1/ConfigMap",
  "v1/Endpoints",
  "v1/PersistentVolumeClaim",
  "v1/Pod",
  "v1/ReplicationController",
  "v1/Secret",
  "v1/Service",
  "batch/v1/Job",
  "batch/v1/CronJob",
  "networking.k8s.io/v1/Ingress",
  "apps/v1/DaemonSet",
  "apps/v1/Deployment",
  "apps/v1/ReplicaSet",
  "apps/v1/StatefulSet",
  "v1/Namespace",
  "v1/PersistentVolume",
];

function pruneMappings({ flags, cluster }: CommandCall): Promise<Mapping | undefined>[] {
  const allowlist = flags.list("prune-allowlist").map((text) => text.replace(/^core\//, ""));
  for (const text of allowlist) {
    if (!/^([^/]+\/)?[^/]+\/[^/]+$/.test(text))
      throw new Error(`invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`);
  }
  return (allowlist.length > 0 ? allowlist : prunable).map((text) => {
    const slash = text.lastIndexOf("/");
    return cluster.kind(text.slice(0, slash), text.slice(slash + 1));
  });
}

async function prune(
  call: CommandCall,
  infos: readonly Info[],
  uids: ReadonlySet<string>,
  mappings: readonly (Mapping | undefined)[],
  dryRun: DryRun,
): Promise<void> {
  const namespaces = new Set([
    ...(call.hasNamespace ? [call.namespace] : []),
    ...infos.map(({ namespace }) => namespace).filter(Boolean),
  ]);
  const served = mappings.filter((mapping) => mapping !== undefined);
  // Cluster-scoped resources are pruned only if they are in the allowlist or no namespace was given.
  const isWhole = !call.hasNamespace || call.flags.list("prune-allowlist").length > 0;
  const places: [string, Mapping][] = [];
  for (const namespace of namespaces)
    for (const mapping of served) if (mapping.namespaced) places.push([namespace, mapping]);
  if (isWhole) for (const mapping of served) if (!mapping.namespaced) places.push(["", mapping]);
  const print = changingPrinter(call, dryRun);
  for (const [namespace, mapping] of places) {
    const list = await call.cluster.json(pathOf(mapping, namespace), {
      query: { labelSelector: call.flags.text("selector") },
    });
    for (const item of Array.isArray(list.items) ? list.items.filter(isObject) : []) {
      const object = { apiVersion: groupVersionOf(mapping), kind: mapping.kind, ...item };
      if (lastApplied(object) === undefined || uids.has(stringAt(object, "metadata", "uid"))) continue;
      if (dryRun !== "client") {
        const body = {
          kind: "DeleteOptions",
          apiVersion: "v1",
          propagationPolicy: "Background",
          ...(dryRun === "server" ? { dryRun: ["All"] } : {}),
        };
        await call.cluster.json(pathOf(mapping, namespaceOf(object), nameOf(object)), { method: "DELETE", body });
      }
      call.streams.out(print(object, "pruned"));
    }
  }
}
