// `kubectl apply view-last-applied` and `set-last-applied`.
import type { CommandCall, Command } from "../command.ts";
import { boolFlag, stringFlag } from "../flag.ts";
import { throwAll } from "../errors.ts";
import { ensure, stringAt } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { goYaml } from "../print/yaml.ts";
import { goJson } from "../print/json.ts";
import { allFlag, fetchObject, fileFlags, select, selectorFlag } from "../resources/select.ts";
import { dryRunFlag, dryRunOf, writePrinter } from "../writes/dry-run.ts";
import { fileConfigurationOf, lastApplied, lastAppliedAnnotation, parseConfiguration } from "../writes/last-applied.ts";
import { patchObject } from "../writes/send.ts";

export const applySubcommands: readonly Command[] = [
  {
    name: "view-last-applied",
    use: "(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME) [options]",
    short: "View the latest last-applied-configuration annotations of a resource/object",
    completes: "resources",
    flags: [
      ...fileFlags,
      selectorFlag,
      allFlag,
      stringFlag("output", "Output format. Must be one of (yaml, json)", { short: "o", default: "yaml" }),
    ],
    run: view,
  },
  {
    name: "set-last-applied",
    use: "-f FILENAME [options]",
    short: "Set the last-applied-configuration annotation on a live object to match the contents of a file",
    completes: "files",
    flags: [
      ...outputFlags,
      ...fileFlags,
      dryRunFlag,
      boolFlag(
        "create-annotation",
        "Will create 'last-applied-configuration' annotations if current objects doesn't have one",
      ),
    ],
    run: set,
  },
];

async function view(call: CommandCall): Promise<void> {
  const { flags, args, streams } = call;
  const output = flags.text("output");
  const { infos, errors } = await select(call, { args, allowsAll: flags.bool("all"), keepsGoing: true });
  const failed = [...errors];
  for (const { object } of infos) {
    const text = lastApplied(object);
    if (text === undefined) continue;
    const value = parseConfiguration(text);
    if (output === "json") streams.out(goJson(value).replaceAll(/^( +)/gm, (spaces) => " ".repeat(spaces.length / 2)));
    else if (output === "yaml") streams.out(goYaml(value));
    else
      throw new Error(
        `Unexpected -o output mode: ${output}, the flag 'output' must be one of yaml|json\nSee 'view-last-applied -h' for help and examples`,
      );
  }
  throwAll(failed);
}

async function set(call: CommandCall): Promise<void> {
  const { flags, streams } = call;
  const dryRun = dryRunOf(flags);
  const print = writePrinter(call, "configured", dryRun);
  const { infos } = await select(call, { args: [], isLocal: true });
  if (infos.length === 0) throw new Error("no objects found");
  for (const info of infos) {
    const current = await fetchObject(call, info);
    if (lastApplied(current) === undefined && !flags.bool("create-annotation")) {
      throw new Error(
        `no last-applied-configuration annotation found on resource: ${info.name}, to create the annotation, run the command with --create-annotation`,
      );
    }
    const patch = { metadata: { annotations: { [lastAppliedAnnotation]: fileConfigurationOf(info.object) } } };
    if (dryRun === "client") {
      ensure(current, "metadata", "annotations")[lastAppliedAnnotation] = stringAt(
        patch,
        "metadata",
        "annotations",
        lastAppliedAnnotation,
      );
      streams.out(print(current));
    } else streams.out(print(await patchObject(call, info, patch, { type: "merge", dryRun })));
  }
}
