// `kubectl patch` and `kubectl replace`.
import { absolute } from "../../../shared/shell/paths.ts";
import { type JsonObject, copyJson, equalJson } from "../../../shared/schema/json-values.ts";
import { jsonPatch } from "../../../shared/schema/json-patch.ts";
import { mergePatch } from "../../../shared/schema/merge-patch.ts";
import { strategicMerge } from "../../../shared/schema/strategic/strategic-merge.ts";
import { readYaml } from "../../../shared/schema/yaml/read.ts";
import type { CommandCall, Command } from "../command.ts";
import { boolFlag, stringFlag } from "../flag.ts";
import { StatusError, asError, throwAll, withSource } from "../errors.ts";
import { groupVersionOf } from "../cluster/discovery.ts";
import { textOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { fileFlags, select } from "../resources/select.ts";
import { typeNameOf } from "../types.ts";
import {
  changingPrinter,
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  recordFlag,
  validateFlag,
  writePrinter,
  objectWriteFlags,
} from "../writes/dry-run.ts";
import { keepLastApplied } from "../writes/last-applied.ts";
import { createObject, patchObject, patchTypes, refresh, replaceObject } from "../writes/send.ts";
import { deleteAll, deletionFlags } from "./delete.ts";
import { selectToWrite } from "../writes/select-to-write.ts";

type PatchType = "json" | "merge" | "strategic";

export const patch: Command = {
  name: "patch",
  use: "(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE] [options]",
  short: "Update fields of a resource",
  completes: "resources",
  flags: [
    ...outputFlags,
    ...fileFlags,
    dryRunFlag,
    recordFlag,
    fieldManagerFlag("kubectl-patch"),
    stringFlag("patch", "The patch to be applied to the resource JSON file.", { short: "p" }),
    stringFlag("patch-file", "A file containing a patch to be applied to the resource."),
    stringFlag("type", "The type of patch being provided; one of [json merge strategic]", { default: "strategic" }),
    boolFlag("local", "If true, patch will operate on the content of the file, not the server-side resource."),
    stringFlag("subresource", "If specified, patch will operate on the subresource of the requested object."),
  ],
  run: async (call) => {
    const { flags, streams } = call;
    const dryRun = dryRunOf(flags);
    const isLocal = flags.bool("local");
    const type = checkedType(call);
    const body = patchBody(call);
    const subresource = flags.text("subresource");
    const { infos, errors } = await select(call, {
      args: call.args,
      keepsGoing: true,
      isDetached: isLocal,
      subresource,
    });
    const failed = [...errors];
    // kubectl does not print the kind of dry run for patches.
    const print = changingPrinter(call);
    for (const info of infos) {
      try {
        const before = info.object;
        const after =
          isLocal || dryRun === "client"
            ? locally(before, body, type)
            : await patchObject(call, info, body, { type, dryRun, subresource }).catch((error: unknown) => {
                if (!(error instanceof StatusError) || error.status.code !== 415) throw error;
                throw new Error(
                  `${patchTypes[type]} is not supported by ${groupVersionOf(info.mapping)}, Kind=${info.mapping.kind}: ${error.message}`,
                );
              });
        streams.out(print(after, equalJson(before, after) ? "patched (no change)" : "patched"));
      } catch (error) {
        failed.push(asError(error));
      }
    }
    throwAll(failed);
    if (infos.length === 0) throw new Error("no objects passed to patch");
  },
};

function checkedType({ flags, args }: CommandCall): PatchType {
  const [text, file] = [flags.text("patch"), flags.text("patch-file")];
  if (text && file) throw new Error("cannot specify --patch and --patch-file together");
  if (!text && !file) throw new Error("must specify --patch or --patch-file containing the contents of the patch");
  if (flags.bool("local") && args.length > 0) throw new Error("cannot specify --local and server resources");
  if (flags.bool("local") && dryRunOf(flags) === "server") {
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  }
  const type = flags.text("type").toLowerCase();
  if (type === "json" || type === "merge" || type === "strategic") return type;
  throw new Error(`--type must be one of [json merge strategic], not ${JSON.stringify(flags.text("type"))}`);
}

function patchBody({ flags, surroundings }: CommandCall): unknown {
  const file = flags.text("patch-file");
  const text = file ? surroundings.files.read(absolute(file, surroundings.files.folder)) : flags.text("patch");
  if (text === undefined) throw new Error(`unable to read patch file: open ${file}: no such file or directory`);
  if (text.trimStart().startsWith("{")) return text;
  try {
    return readYaml(text).value;
  } catch (error) {
    throw new Error(`unable to parse ${JSON.stringify(flags.text("patch"))}: ${asError(error).message}`);
  }
}

function locally(object: JsonObject, patchText: unknown, type: PatchType): JsonObject {
  const copy = copyJson(object);
  const body = typeof patchText === "string" ? readYaml(patchText).value : patchText;
  // A patch of an object is an object.
  if (type === "json") return jsonPatch(copy, body) as JsonObject;
  if (type === "merge") return mergePatch(copy, body) as JsonObject;
  const name = typeNameOf(textOf(object.apiVersion), textOf(object.kind));
  if (!name) {
    throw new Error(
      `strategic merge patch is not supported for ${textOf(object.apiVersion)}, Kind=${textOf(object.kind)} locally, try --type merge`,
    );
  }
  return strategicMerge(name, copy, body) as JsonObject;
}

export const replace: Command = {
  name: "replace",
  use: "-f FILENAME [options]",
  short: "Replace a resource by file name or stdin",
  completes: "files",
  flags: [
    ...outputFlags,
    ...deletionFlags.filter(({ name }) => name !== "wait"),
    boolFlag("wait", "If true, wait for resources to be gone before returning. This waits for finalizers.", {
      default: false,
    }),
    ...objectWriteFlags("kubectl-replace"),
    validateFlag,
    stringFlag("raw", "Raw URI to PUT to the server."),
    stringFlag("subresource", "If specified, replace will operate on the subresource of the requested object."),
  ],
  run: async (call) => {
    const { flags, streams, args } = call;
    const dryRun = dryRunOf(flags);
    const isForced = flags.bool("force");
    const print = writePrinter(call, "replaced", dryRun);
    if (flags.list("filename").length === 0 && !flags.text("kustomize"))
      throw new Error("must specify one of -f and -k");
    if (flags.int("grace-period") >= 0 && !isForced) throw new Error("--grace-period must have --force specified");
    if (flags.durationMs("timeout") !== 0 && !isForced) throw new Error("--timeout must have --force specified");
    if (isForced && dryRun !== "none") throw new Error("--dry-run can not be used when --force is set");
    const { infos, errors } = await selectToWrite(call, args);
    const failed = [...errors];
    if (isForced) {
      const graceSeconds = flags.int("grace-period") === 0 ? 1 : flags.int("grace-period");
      await deleteAll(call, infos, failed, {
        graceSeconds,
        dryRun,
        ignoresNotFound: true,
        waitsUntilGone: true,
        isNameOutput: flags.text("output") === "name",
        isQuiet: false,
        warnsOfClusterScope: false,
      });
    }
    for (const info of infos) {
      try {
        keepLastApplied(info.object, flags.bool("save-config"));
        if (isForced) refresh(info, await createObject(call, info, dryRun));
        else if (dryRun !== "client") refresh(info, await replaceObject(call, info, dryRun, flags.text("subresource")));
        streams.out(print(info.object));
      } catch (error) {
        failed.push(isForced ? asError(error) : withSource("replacing", info.source, error));
      }
    }
    throwAll(failed);
  },
};
