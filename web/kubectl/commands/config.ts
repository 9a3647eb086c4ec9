// `kubectl config`: the one context of a sandbox, whose namespace may be changed.
import type { CommandCall, Command } from "../command.ts";
import { throwAll } from "../errors.ts";
import { goYaml } from "../print/yaml.ts";
import { goJson } from "../print/json.ts";
import { newTabWriter, wideColumns } from "../print/tab-writer.ts";
import { newTemplate } from "../print/json-path.ts";

function configOf({ around: { context } }: CommandCall) {
  const { name, cluster, user, server, namespace } = context;
  return {
    apiVersion: "v1",
    clusters: [{ cluster: { server }, name: cluster }],
    contexts: [{ context: { cluster, ...(namespace ? { namespace } : {}), user }, name }],
    "current-context": name,
    kind: "Config",
    users: [{ name: user, user: { token: "REDACTED" } }],
  };
}

const noContext = (name: string) => new Error(`no context exists with the name: ${JSON.stringify(name)}`);

export const config: Command = {
  name: "config",
  use: "SUBCOMMAND [options]",
  short: "Modify kubeconfig files",
  commands: [
    {
      name: "current-context",
      use: "[flags] [options]",
      short: "Display the current-context",
      run: ({ around, streams }) => streams.out(`${around.context.name}\n`),
    },
    {
      name: "get-clusters",
      use: "[flags] [options]",
      short: "Display clusters defined in the kubeconfig",
      run: ({ around, streams }) => streams.out(`NAME\n${around.context.cluster}\n`),
    },
    {
      name: "get-contexts",
      use: "[(-o|--output=)name)] [options]",
      short: "Describe one or many contexts",
      flags: [
        { name: "output", short: "o", type: "string", usage: "Output format. One of: (name)." },
        {
          name: "no-headers",
          type: "bool",
          usage: "When using the default or custom-column output format, don't print headers.",
        },
      ],
      run: getContexts,
    },
    {
      name: "get-users",
      use: "[flags] [options]",
      short: "Display users defined in the kubeconfig",
      run: ({ around, streams }) => streams.out(`NAME\n${around.context.user}\n`),
    },
    {
      name: "set-context",
      use: "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace] [options]",
      short: "Set a context entry in kubeconfig",
      flags: [{ name: "current", type: "bool", usage: "Modify the current context" }],
      run: setContext,
    },
    {
      name: "use-context",
      aliases: ["use"],
      use: "CONTEXT_NAME [options]",
      short: "Set the current-context in a kubeconfig file",
      run: (call) => {
        const [name, more] = call.args;
        if (name === undefined || more !== undefined) throw new Error(`Unexpected args: [${call.args.join(" ")}]`);
        if (name !== call.around.context.name) throw noContext(name);
        call.streams.out(`Switched to context "${name}".\n`);
      },
    },
    {
      name: "view",
      use: "[flags] [options]",
      short: "Display merged kubeconfig settings or a specified kubeconfig file",
      flags: [
        {
          name: "output",
          short: "o",
          type: "string",
          default: "yaml",
          usage: "Output format. One of: (json, yaml, jsonpath).",
        },
        { name: "minify", type: "bool", usage: "Remove all information not used by current-context from the output" },
        { name: "flatten", type: "bool", usage: "Flatten the resulting kubeconfig file into self-contained output" },
        { name: "raw", type: "bool", usage: "Display raw byte data and sensitive data" },
        { name: "merge", type: "string", default: "true", usage: "Merge the full hierarchy of kubeconfig files" },
      ],
      run: view,
    },
  ],
};

function getContexts({ around: { context }, args, flags, streams }: CommandCall): void {
  const wrong = args.filter((name) => name !== context.name).map((name) => new Error(`context ${name} not found`));
  const isShown = args.length === 0 || args.includes(context.name);
  if (flags.text("output") === "name") {
    if (isShown) streams.out(`${context.name}\n`);
    return throwAll(wrong);
  }
  if (flags.text("output")) throw new Error(`output must be one of '' or 'name': ${flags.text("output")}`);
  const head = flags.bool("no-headers") ? "" : "CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n";
  streams.out(
    newTabWriter(wideColumns).align(
      `${head}${isShown ? `*\t${context.name}\t${context.cluster}\t${context.user}\t${context.namespace}\n` : ""}`,
    ),
  );
  throwAll(wrong);
}

function setContext(call: CommandCall): void {
  const {
    around: { context },
    args,
    flags,
    streams,
  } = call;
  if (args.length > 1) throw new Error(`Unexpected args: [${args.join(" ")}]`);
  if (args.length === 0 && !flags.bool("current"))
    throw new Error("you must specify a non-empty context name or --current");
  if (args.length > 0 && flags.bool("current")) throw new Error("you cannot specify both a context name and --current");
  const name = flags.bool("current") ? context.name : (args[0] ?? "");
  if (name !== context.name) throw new Error("a sandbox has one context, and no other can be made here");
  if (flags.changed("namespace")) context.namespace = flags.text("namespace");
  streams.out(`Context "${name}" modified.\n`);
}

function view(call: CommandCall): void {
  const { flags, streams } = call;
  const output = flags.text("output");
  const shown = configOf(call);
  if (output === "json") return streams.out(goJson(shown));
  if (output.startsWith("jsonpath=")) return streams.out(newTemplate(output.slice("jsonpath=".length)).text(shown));
  if (output !== "yaml")
    throw new Error(`unable to match a printer suitable for the output format ${JSON.stringify(output)}`);
  streams.out(goYaml(shown));
}
