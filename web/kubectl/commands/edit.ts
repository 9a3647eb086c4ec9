// `kubectl edit`: opens objects as YAML in an editor, and sends the changes as a patch.
import { type JsonObject, copyJson, equalJson } from "../../../shared/schema/json-values.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { type Flag, boolFlag, stringFlag } from "../flag.ts";
import { Exit, StatusError, asError } from "../errors.ts";
import { type Info, nameOf } from "../object.ts";
import { goYaml } from "../print/yaml.ts";
import { goJson } from "../print/json.ts";
import { outputFlags, withoutManagedFields } from "../print/printer.ts";
import { documentsIn } from "../resources/manifests.ts";
import { fileFlags, select } from "../resources/select.ts";
import {
  dryRunOf,
  fieldManagerFlag,
  recordFlag,
  saveConfigFlag,
  validateFlag,
  writePrinter,
} from "../writes/dry-run.ts";
import { keepLastApplied } from "../writes/last-applied.ts";
import { createObject, patchBetween, patchObject, refresh } from "../writes/send.ts";

const flags: readonly Flag[] = [
  ...outputFlags,
  ...fileFlags,
  validateFlag,
  saveConfigFlag,
  recordFlag,
  fieldManagerFlag("kubectl-edit"),
  boolFlag("output-patch", "Output the patch if the resource is edited."),
  stringFlag("subresource", "If specified, edit will operate on the subresource of the requested object."),
  boolFlag("windows-line-endings", "Defaults to the line ending native to your platform."),
];

const preamble = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/** The maximum number of times that an edit is reopened after the server refused it. */
const maxRounds = 20;

export const edit: Command = {
  name: "edit",
  use: "(RESOURCE/NAME | -f FILENAME) [options]",
  short: "Edit a resource on the server",
  completes: "resources",
  flags,
  run: async (call) => {
    const { args, streams } = call;
    if (args.length === 0 && call.flags.list("filename").length === 0 && !call.flags.text("kustomize")) {
      throw usageError(call, "Must specify the type of resource to edit.");
    }
    const subresource = call.flags.text("subresource");
    const { infos } = await select(call, { args, subresource, allowsAll: true });
    if (infos.length === 0) throw new Error("edit cancelled, no objects found");
    await rounds(call, infos, async (info, edited) => {
      const { patch, type } = patchBetween(info.object, edited);
      if (Object.keys(patch).length === 0) {
        streams.out(writePrinter(call, "skipped")(info.object));
        return;
      }
      if (call.flags.bool("output-patch")) streams.out(`Patch: ${JSON.stringify(patch)}\n`);
      refresh(info, await patchObject(call, info, patch, { type, dryRun: "none", subresource }));
      streams.out(writePrinter(call, "edited")(info.object));
    });
  },
};

/** Opens the objects of `kubectl create --edit` in an editor. */
export async function editBeforeCreate(call: CommandCall): Promise<void> {
  const { infos } = await select(call, { args: [], isLocal: true });
  const dryRun = dryRunOf(call.flags);
  await rounds(
    call,
    infos,
    async (info, edited) => {
      info.object = edited;
      keepLastApplied(info.object, call.flags.bool("save-config"));
      if (dryRun !== "client") refresh(info, await createObject(call, info, dryRun));
      call.streams.out(writePrinter(call, "created", dryRun)(info.object));
    },
    true,
  );
}

async function rounds(
  call: CommandCall,
  infos: readonly Info[],
  save: (info: Info, edited: JsonObject) => Promise<void>,
  takesUnchanged = false,
): Promise<void> {
  const { surroundings, streams } = call;
  if (!surroundings.edit) throw new Error('unable to launch the editor "vi"');
  const isJson = call.flags.text("output") === "json";
  const editable = infos.map(({ object }) => withoutManagedFields(object));
  const [first] = editable;
  const document = infos.length === 1 && first ? first : { apiVersion: "v1", kind: "List", items: editable };
  const before = isJson ? goJson(document) : goYaml(document);
  let text = preamble + before;
  let last = text;
  for (let round = 0; round < maxRounds; round++) {
    const edited = await surroundings.edit(text, "kubectl-edit.yaml");
    if (streams.signal.aborted) return;
    const content = edited
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .join("\n");
    if (content.trim() === "") return streams.err("Edit cancelled, saved file was empty.\n");
    if (content === before && !takesUnchanged) return streams.err("Edit cancelled, no changes made.\n");
    if (edited === last && round > 0) return giveUp(call, edited);
    last = edited;
    const failure = await attempt(infos, content, save);
    if (!failure) return;
    streams.err(failure.report);
    text = `${preamble}${failure.comment}#\n${content}`;
  }
  giveUp(call, last);
}

function giveUp({ streams, surroundings }: CommandCall, text: string): never {
  const path = "/tmp/kubectl-edit.yaml";
  surroundings.files.write(path, text);
  streams.out(`A copy of your changes has been stored to ${JSON.stringify(path)}\n`);
  throw new Exit(1, "error: Edit cancelled, no valid changes were saved.");
}

async function attempt(
  infos: readonly Info[],
  content: string,
  save: (info: Info, edited: JsonObject) => Promise<void>,
): Promise<{ report: string; comment: string } | undefined> {
  try {
    const objects = documentsIn(content, "edited-file").flatMap((document) =>
      Array.isArray(document.items) ? (document.items as JsonObject[]) : [document],
    );
    for (const info of infos) {
      const edited =
        objects.find((object) => nameOf(object) === info.name && object.kind === info.object.kind) ??
        objects[infos.indexOf(info)];
      if (!edited) continue;
      const base = withoutManagedFields(info.object);
      if (edited.apiVersion !== base.apiVersion || edited.kind !== base.kind || nameOf(edited) !== nameOf(base)) {
        throw new Error("At least one of apiVersion, kind and name was changed");
      }
      const original = info.object;
      info.object = base;
      if (equalJson(base, edited)) info.object = original;
      await save(info, copyJson(edited));
    }
    return undefined;
  } catch (error) {
    return explained(error);
  }
}

function explained(error: unknown): { report: string; comment: string } {
  const { message } = asError(error);
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  const details = error instanceof StatusError ? error.status.details : undefined;
  if (details && causes.length > 0) {
    const causeLines = causes.map((cause) => `* ${cause.field ?? ""}: ${cause.message ?? ""}\n`).join("");
    return {
      report: `error: ${details.kind ?? ""} ${JSON.stringify(details.name ?? "")} is invalid\n\n${causeLines}`,
      comment: `# ${details.kind ?? ""} ${JSON.stringify(details.name ?? "")} was not valid:\n${causeLines.replaceAll(/^/gm, "# ").replace(/# $/, "")}`,
    };
  }
  return { report: `error: ${message}\n`, comment: `# ${message.replaceAll("\n", "\n# ")}\n` };
}
