// `kubectl create -f`, and its subcommands.
import { absolute } from "../../../shared/shell/paths.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { boolFlag, stringFlag } from "../flag.ts";
import { throwAll, withSource } from "../errors.ts";
import { fileFlags, selectorFlag } from "../resources/select.ts";
import { dryRunOf, recordFlag, writePrinter } from "../writes/dry-run.ts";
import { keepLastApplied } from "../writes/last-applied.ts";
import { createObject, refresh } from "../writes/send.ts";
import { creatorCommand, creatorFlags } from "./creator.ts";
import { createToken } from "./create-token.ts";
import { dataCreators, secretCreators } from "./create-data.ts";
import { roleCreators } from "./create-roles.ts";
import { serviceCreators, workloadCreators } from "./create-workloads.ts";
import { settingCreators } from "./create-settings.ts";
import { editBeforeCreate } from "./edit.ts";
import { selectToWrite } from "../writes/select-to-write.ts";

const group = (
  name: string,
  use: string,
  short: string,
  commands: readonly Command[],
  aliases: readonly string[] = [],
): Command => ({
  name,
  aliases,
  use,
  short,
  commands,
});

export const create: Command = {
  name: "create",
  use: "-f FILENAME [options]",
  short: "Create a resource from a file or from stdin",
  completes: "files",
  flags: [
    ...creatorFlags,
    ...fileFlags,
    selectorFlag,
    recordFlag,
    boolFlag("edit", "Edit the API resource before creating"),
    stringFlag("raw", "Raw URI to POST to the server."),
  ],
  commands: [
    ...[...settingCreators, ...dataCreators, ...workloadCreators, ...roleCreators].map(creatorCommand),
    group(
      "secret",
      "(docker-registry | generic | tls) [options]",
      "Create a secret using a specified subcommand",
      secretCreators.map(creatorCommand),
    ),
    group(
      "service",
      "[flags] [options]",
      "Create a service using a specified subcommand",
      serviceCreators.map(creatorCommand),
      ["svc"],
    ),
    createToken,
  ].sort((a, b) => (a.name < b.name ? -1 : 1)),
  run: async (call) => {
    const { flags, streams, args } = call;
    if (args.length > 0) throw usageError(call, `Unexpected args: [${args.join(" ")}]`);
    const dryRun = dryRunOf(flags);
    const print = writePrinter(call, "created", dryRun);
    if (flags.list("filename").length === 0 && !flags.text("kustomize"))
      throw new Error("must specify one of -f and -k");
    if (flags.text("raw")) return postRaw(call);
    if (flags.bool("edit")) return editBeforeCreate(call);
    const { infos, errors } = await selectToWrite(call, args);
    const failed = [...errors];
    for (const info of infos) {
      try {
        keepLastApplied(info.object, flags.bool("save-config"));
        if (dryRun !== "client") refresh(info, await createObject(call, info, dryRun));
        streams.out(print(info.object));
      } catch (error) {
        failed.push(withSource("creating", info.source, error));
      }
    }
    throwAll(failed);
    if (infos.length === 0) throw new Error("no objects passed to create");
  },
};

async function postRaw({ flags, streams, surroundings, cluster }: CommandCall): Promise<void> {
  const [file = "", more] = flags.list("filename");
  if (more !== undefined) throw new Error("--raw can only use a single local file or stdin");
  const text =
    file === "-" ? await streams.input() : surroundings.files.read(absolute(file, surroundings.files.folder));
  if (text === undefined) throw new Error(`open ${file}: no such file or directory`);
  streams.out(await cluster.text(flags.text("raw"), { method: "POST", text, contentType: "application/json" }));
}
