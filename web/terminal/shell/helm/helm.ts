// `helm`: installs charts of the shell's files as releases that every Helm 3 reads.
import { trimmedEnd } from "../../../../shared/base/trim.ts";
import { seededRandom } from "../../../../shared/base/random.ts";
import { absolute } from "../../../../shared/shell/paths.ts";
import { newCluster } from "../../../kubectl/cluster/cluster.ts";
import { asError, messageOf } from "../../../kubectl/errors.ts";
import { arrayFlag, boolFlag, type Flag, stringFlag } from "../../../kubectl/flag.ts";
import { parseFlags } from "../../../kubectl/flags.ts";
import { currentConnection, targetOf } from "../../../kubectl/kubeconfig.ts";
import { globalFlags as kubectlFlags } from "../../../kubectl/kubectl.ts";
import { Failure } from "../failure.ts";
import { pause, type ProgramCall } from "../program.ts";
import { Interrupted, readAll } from "../streams.ts";
import type { Context } from "./actions/context.ts";
import { actionCommands } from "./commands/actions.ts";
import { checkCount, type HelmCall, type HelmCommand } from "./commands/call.ts";
import { chartCommands } from "./commands/charts.ts";
import { repositoryCommands } from "./commands/repositories.ts";
import { readCommands } from "./commands/reads.ts";
import { newStorage } from "./release/storage.ts";

const root: HelmCommand = {
  names: ["helm"],
  usage: "[command]",
  short: "The Kubernetes package manager",
  commands: [...actionCommands, ...readCommands, ...chartCommands, ...repositoryCommands],
};

const globalFlags: readonly Flag[] = [
  stringFlag("namespace", "namespace scope for this request", { short: "n" }),
  stringFlag("kube-context", "name of the kubeconfig context to use"),
  stringFlag("kubeconfig", "path to the kubeconfig file"),
  stringFlag("kube-token", "bearer token used for authentication"),
  stringFlag("kube-as-user", "username to impersonate for the operation"),
  arrayFlag(
    "kube-as-group",
    "group to impersonate for the operation, this flag can be repeated to specify multiple groups.",
  ),
  boolFlag("debug", "enable verbose output"),
  boolFlag("help", "help for the command", { short: "h" }),
];

export async function helm(call: ProgramCall): Promise<number> {
  await pause(call);
  try {
    return await run(call);
  } catch (error) {
    if (error instanceof Interrupted || call.signal.aborted) throw error;
    if (error instanceof RangeError) throw new Failure("the templates nest too deeply", 1);
    call.err.write(`Error: ${textOf(error)}\n`);
    return 1;
  }
}

/** Returns the server's message without kubectl's prefix. */
function textOf(error: unknown): string {
  return error instanceof Failure ? error.message : asError(error).message || messageOf(error);
}

async function run(call: ProgramCall): Promise<number> {
  const { command, path, rest } = subcommand(call.args);
  const { values: flags, args } = parseFlags(rest, [...globalFlags, ...(command.flags ?? [])]);
  if (flags.bool("help") || !command.run) {
    if (command === root && args[0] !== undefined && args[0] !== "help")
      throw new Error(
        `unknown command ${JSON.stringify(args[0])} for ${JSON.stringify(path)}\nRun '${path} --help' for usage.`,
      );
    call.out.write(helpText(command, path));
    return 0;
  }
  checkCount(path, command, args);
  await command.run(helmCall(call, args, flags));
  return 0;
}

function subcommand(words: readonly string[]): { command: HelmCommand; path: string; rest: readonly string[] } {
  let command = root;
  let path = "helm";
  const rest = [...words];
  for (;;) {
    const at = firstWord(rest);
    const next = command.commands?.find(({ names }) => names.includes(rest[at] ?? ""));
    if (!next) return { command, path, rest };
    command = next;
    path += ` ${next.names[0] ?? ""}`;
    rest.splice(at, 1);
  }
}

/** Returns the position of the first word that is neither a global flag nor its value. */
function firstWord(words: readonly string[]): number {
  let at = 0;
  for (; words[at]?.startsWith("-"); at++) {
    const word = words[at] ?? "";
    const flag = globalFlags.find(({ name, short }) => word === `--${name}` || word === `-${short ?? ""}`);
    if (flag && flag.type !== "bool") at++;
  }
  return at;
}

function helpText({ short, usage, flags = [], commands = [] }: HelmCommand, path: string): string {
  const lines = (items: readonly (readonly [string, string])[]) => {
    const width = Math.max(0, ...items.map(([name]) => name.length));
    return items.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join("");
  };
  const flagLines = flags
    .filter(({ hidden }) => !hidden)
    .map(({ name, short: letter, usage: text }) => [`${letter ? `-${letter}, ` : "    "}--${name}`, text] as const);
  return [
    `${short}\n\nUsage:\n  ${path} ${usage}\n`,
    commands.length > 0
      ? `\nAvailable Commands:\n${lines(commands.map(({ names, short: text }) => [names[0] ?? "", text]))}`
      : "",
    flagLines.length > 0 ? `\nFlags:\n${lines(flagLines)}` : "",
  ].join("");
}

function helmCall(call: ProgramCall, args: readonly string[], flags: HelmCall["flags"]): HelmCall {
  const { shell, out, err, signal } = call;
  const { surroundings, discovery } = shell.machine.kubectl;
  const warn = (text: string) => err.write(`${text}\n`);
  const selection = ["kubeconfig"].concat(flags.text("kube-context") ? ["context"] : []);
  const words = selection.flatMap((name) => {
    const text = flags.text(name === "context" ? "kube-context" : name);
    return text === "" ? [] : [`--${name}=${text}`];
  });
  const target = targetOf(surroundings, parseFlags(words, kubectlFlags).values, () => false);
  const { connection = surroundings } = target;
  // The cache is that of the current context's cluster.
  const cache = target.connection === currentConnection(surroundings) ? discovery : {};
  const namespace =
    flags.text("namespace") ||
    shell.variables.get("HELM_NAMESPACE") ||
    target.namespace ||
    surroundings.context.namespace ||
    "default";
  const bearer = flags.text("kube-token") || target.bearer;
  const headers = new Headers();
  if (bearer) headers.set("authorization", `Bearer ${bearer}`);
  if (flags.text("kube-as-user")) headers.set("impersonate-user", flags.text("kube-as-user"));
  for (const group of flags.list("kube-as-group")) headers.append("impersonate-group", group);
  const seed = Math.floor(surroundings.random.next() * 2 ** 31);
  const context = (place = namespace): Context => {
    const cluster = newCluster(
      {
        fetch: (url, init) => connection.fetch(url, init),
        headers: Object.fromEntries(headers),
        signal,
        warn: (text) => warn(`W ${text}`),
      },
      cache,
    );
    return {
      cluster,
      storage: newStorage(cluster, place, surroundings.clock),
      surroundings,
      signal,
      namespace,
      newRandom: () => seededRandom(seed),
      warn,
      out: (text) => out.write(text),
    };
  };
  return {
    args,
    flags,
    surroundings,
    namespace,
    signal,
    out: (text) => out.write(text),
    warn,
    path: (name) => absolute(trimmedEnd(name, "/") || "/", shell.folder),
    input: () => readAll(call.input, signal),
    context,
  };
}
