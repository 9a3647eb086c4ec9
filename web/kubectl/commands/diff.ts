// `kubectl diff` and `kubectl kustomize`.
import { linesDiff } from "../../../shared/k8s/diff.ts";
import { type JsonObject, copyJson } from "../../../shared/schema/json-values.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { boolFlag, intFlag, stringFlag } from "../flag.ts";
import { Exit, asError, isNotFound, throwAll } from "../errors.ts";
import { fetchObject, fileFlags, select, selectorFlag } from "../resources/select.ts";
import { type Info, ensure } from "../object.ts";
import { withoutManagedFields } from "../print/printer.ts";
import { goYaml } from "../print/yaml.ts";
import { buildKustomization } from "../resources/kustomize.ts";
import { lastAppliedAnnotation, setLastApplied } from "../writes/last-applied.ts";
import { createObject, patchObject } from "../writes/send.ts";
import { patchFor } from "./apply.ts";

export const diff: Command = {
  name: "diff",
  use: "-f FILENAME [options]",
  short: "Diff the live version against a would-be applied version",
  completes: "files",
  flags: [
    ...fileFlags,
    selectorFlag,
    boolFlag("server-side", "If true, apply runs in the server instead of the client."),
    boolFlag("force-conflicts", "If true, server-side apply will force the changes against conflicts."),
    stringFlag("field-manager", "Name of the manager used to track field ownership.", {
      default: "kubectl-client-side-apply",
    }),
    boolFlag("show-managed-fields", "If true, include managed fields in the diff."),
    boolFlag("prune", "Include resources that would be deleted by pruning."),
    intFlag("concurrency", "Number of objects to process in parallel when diffing.", { default: 1 }),
  ],
  run: async (call) => {
    const { flags, args, streams } = call;
    if (flags.list("filename").length === 0 && !flags.text("kustomize"))
      throw new Exit(2, "error: must specify one of -f and -k");
    try {
      const { infos, errors } = await select(call, { args, isLocal: true });
      throwAll(errors);
      let isDifferent = false;
      for (const info of infos) {
        const text = await differenceOf(call, info);
        if (text) isDifferent = true;
        streams.out(text);
      }
      if (isDifferent) throw new Exit(1);
    } catch (error) {
      if (error instanceof Exit) throw error;
      // Exit code 1 reports a difference, so an error has code 2.
      throw new Exit(
        2,
        asError(error).message.startsWith("error: ") ? asError(error).message : `error: ${asError(error).message}`,
      );
    }
  },
};

async function differenceOf(call: CommandCall, info: Info): Promise<string> {
  const live = await fetchObject(call, info).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const merged = await wouldBe(call, info, live);
  const [from, to] = [live && plain(call, live), plain(call, merged)];
  if (to.kind === "Secret") mask(from ? ensure(from, "data") : {}, ensure(to, "data"));
  const after = goYaml(to).replace(/\n$/, "");
  const text = from ? linesDiff(goYaml(from).replace(/\n$/, ""), after) : allNew(after);
  if (!text) return "";
  const time = `${new Date(call.surroundings.clock.nowMs()).toISOString().replace("T", " ").replace("Z", "000000")} +0000`;
  const { group, version, kind } = info.mapping;
  const name = [group, version, kind, info.namespace, info.name].filter(Boolean).join(".");
  return `diff -u -N LIVE/${name} MERGED/${name}\n--- LIVE/${name}\t${time}\n+++ MERGED/${name}\t${time}\n${text}`;
}

function allNew(text: string): string {
  const lines = text.split("\n");
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`;
}

async function wouldBe(call: CommandCall, info: Info, live: JsonObject | undefined): Promise<JsonObject> {
  if (call.flags.bool("server-side")) {
    const query = { force: String(call.flags.bool("force-conflicts")), fieldManager: "kubectl" };
    return patchObject(call, info, info.object, { type: "apply", dryRun: "server", query });
  }
  if (!live) return createObject(call, info, "server");
  const modified = copyJson(info.object);
  setLastApplied(modified);
  delete ensure(modified, "metadata", "annotations")[lastAppliedAnnotation];
  const { patch, type, isEmpty } = patchFor(live, modified);
  return isEmpty ? live : patchObject(call, info, patch, { type, dryRun: "server" });
}

/** Without what only machines read. */
function plain({ flags }: CommandCall, object: JsonObject): JsonObject {
  return copyJson(flags.bool("show-managed-fields") ? object : withoutManagedFields(object));
}

/** A secret's values are not shown, only whether they differ. */
function mask(from: JsonObject, to: JsonObject): void {
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const isChanged = key in from && key in to && from[key] !== to[key];
    if (key in from) from[key] = isChanged ? "*** (before)" : "***";
    if (key in to) to[key] = isChanged ? "*** (after)" : "***";
  }
}

export const kustomize: Command = {
  name: "kustomize",
  use: "DIR [flags] [options]",
  short: "Build a kustomization target from a directory or URL",
  completes: "files",
  flags: [stringFlag("output", "If specified, write output to this path.", { short: "o" })],
  run: (call) => {
    const { args, surroundings, streams } = call;
    if (args.length > 1) throw usageError(call, "specify one path to a kustomization directory");
    const objects = buildKustomization(surroundings.files, args[0] ?? ".", (text) =>
      streams.err(`# Warning: ${text}\n`),
    );
    streams.out(objects.map(goYaml).join("---\n"));
  },
};
