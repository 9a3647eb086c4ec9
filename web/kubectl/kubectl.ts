// kubectl as a library: it takes a command line and returns text and an exit code.
import { base64UrlOfText } from "../../shared/base/base64.ts";
import { newCluster, type DiscoveryCache } from "./cluster/cluster.ts";
import type { Command } from "./command.ts";
import { type Flag, arrayFlag, boolFlag, stringFlag } from "./flag.ts";
import { optionsCommand } from "./commands/options.ts";
import { commands } from "./catalogue.ts";
import { completions } from "./complete.ts";
import { reportOf } from "./errors.ts";
import { type FlagValues, parseFlags } from "./flags.ts";
import { helpOf } from "./help.ts";
import { currentConnection, type Target, targetOf } from "./kubeconfig.ts";
import { nearest } from "./nearest.ts";
import { bearerProtocol, type ClusterConnection, type Streams, type Surroundings } from "./surroundings.ts";

/** The flags that every command accepts. */
export const globalFlags: readonly Flag[] = [
  stringFlag("namespace", "If present, the namespace scope for this CLI request", { short: "n" }),
  stringFlag("context", "The name of the kubeconfig context to use"),
  stringFlag("cluster", "The name of the kubeconfig cluster to use"),
  stringFlag("user", "The name of the kubeconfig user to use"),
  stringFlag("kubeconfig", "Path to the kubeconfig file to use for CLI requests."),
  stringFlag("server", "The address and port of the Kubernetes API server", { short: "s" }),
  stringFlag("token", "Bearer token for authentication to the API server"),
  stringFlag("as", "Username to impersonate for the operation."),
  arrayFlag(
    "as-group",
    "Group to impersonate for the operation, this flag can be repeated to specify multiple groups.",
  ),
  stringFlag("as-uid", "UID to impersonate for the operation."),
  stringFlag("request-timeout", "The length of time to wait before giving up on a single server request.", {
    default: "0",
  }),
  stringFlag("cache-dir", "Default cache directory"),
  boolFlag(
    "warnings-as-errors",
    "Treat warnings received from the server as errors and exit with a non-zero exit code",
  ),
  boolFlag("insecure-skip-tls-verify", "If true, the server's certificate will not be checked for validity."),
  boolFlag("match-server-version", "Require server version to match client version"),
  boolFlag("disable-compression", "If true, opt-out of response compression for all requests to the server"),
  stringFlag("v", "number for the log level verbosity", { short: "v", default: "0" }),
];

const helpFlag = boolFlag("help", "help for the command", { short: "h" });

export const root: Command = {
  name: "kubectl",
  short: "kubectl controls the Kubernetes cluster manager.",
  commands: [...commands, optionsCommand(globalFlags)],
};

export interface Kubectl {
  /** Runs a command line and returns its exit code. `words` are the arguments after `kubectl`. */
  run(words: readonly string[], streams: Streams): Promise<number>;
  /** Completes the last word. Returns whole words, at most 200; never throws. */
  complete(words: readonly string[], signal: AbortSignal): Promise<string[]>;
  /** The discovery of the current context's cluster. */
  readonly discovery: DiscoveryCache;
  readonly surroundings: Surroundings;
}

export function newKubectl(surroundings: Surroundings): Kubectl {
  const caches = new DiscoveryCaches();
  return {
    get discovery() {
      return caches.of(currentConnection(surroundings));
    },
    surroundings,
    complete: (words, signal) => {
      const { command, rest } = findCommand(root, words.slice(0, -1));
      const flags = [...(command.flags ?? []), ...globalFlags, helpFlag];
      const cluster = newCluster(
        { fetch: (url, init) => surroundings.fetch(url, init), headers: {}, signal, warn: () => undefined },
        caches.of(currentConnection(surroundings)),
      );
      return completions({ command, rest, last: words.at(-1) ?? "", flags, cluster, surroundings });
    },
    run: async (words, streams) => {
      try {
        return await runLine(words, streams, surroundings, caches);
      } catch (error) {
        if (streams.signal.aborted) return 130;
        const { text, code } = reportOf(error);
        streams.err(text);
        return code;
      }
    },
  };
}

async function runLine(
  words: readonly string[],
  streams: Streams,
  surroundings: Surroundings,
  caches: DiscoveryCaches,
): Promise<number> {
  const { command, path, rest } = findCommand(root, words);
  const flags = [...globalFlags, helpFlag, ...(command.flags ?? [])];
  const parsed = (() => {
    try {
      return parseFlags(rest, flags);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\nSee '${path} --help' for usage.`);
    }
  })();
  const { values, args, dash } = parsed;
  if (values.bool("help")) {
    streams.out(helpOf(command, path));
    return 0;
  }
  if (!command.run) return withoutRun(command, path, args, streams);
  // `kubectl config` works on the file; all other commands use the target that it selects.
  const isOfFile = path.startsWith("kubectl config");
  const target: Target = isOfFile
    ? { namespace: "", bearer: undefined }
    : targetOf(surroundings, values, (name) => command.flags?.some((flag) => flag.name === name) ?? false);
  let warned = 0;
  const { connection = surroundings } = target;
  const cluster = newCluster(
    {
      fetch: (url, init) => connection.fetch(url, init),
      headers: { ...(target.bearer ? { authorization: `Bearer ${target.bearer}` } : {}), ...impersonation(values) },
      signal: streams.signal,
      warn: (text) => {
        warned += 1;
        streams.err(`Warning: ${text}\n`);
      },
    },
    caches.of(target.connection),
  );
  const namespace = values.text("namespace");
  await command.run({
    flags: values,
    args,
    dash,
    cluster,
    surroundings: at(surroundings, target),
    streams,
    namespace: namespace || target.namespace || "default",
    hasNamespace: namespace !== "",
    path,
    command,
    root,
  });
  if (values.bool("warnings-as-errors") && warned > 0) {
    throw new Error(`${warned} warning${warned === 1 ? "" : "s"} received`);
  }
  return 0;
}

export interface FoundCommand {
  readonly command: Command;
  readonly path: string;
  /** The words after the names of the command. */
  readonly rest: readonly string[];
}

/** Finds the command that words name. Flags may stand between them. */
export function findCommand(from: Command, words: readonly string[]): FoundCommand {
  let command = from;
  let path = from.name;
  const rest = [...words];
  for (;;) {
    const at = firstArgument(rest, command);
    const word = rest[at];
    const next =
      word === undefined
        ? undefined
        : command.commands?.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
    if (!next) return { command, path, rest };
    rest.splice(at, 1);
    command = next;
    path = `${path} ${next.name}`;
  }
}

/** Returns the index of the first word that is neither a flag nor a value of one. */
function firstArgument(words: readonly string[], command: Command): number {
  const flags = [...(command.flags ?? []), ...globalFlags, helpFlag];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return -1;
    if (!word.startsWith("-") || word === "-") return at;
    const flag = flags.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));
    if (flag && flag.type !== "bool" && flag.bare === undefined) at += 1;
  }
  return -1;
}

function withoutRun(command: Command, path: string, args: readonly string[], streams: Streams): number {
  const [word] = args;
  if (word === undefined) {
    // A command that has only subcommands is an error without one.
    if (command.name === "kubectl" || command.helpsOnOut) streams.out(helpOf(command, path));
    else streams.err(helpOf(command, path));
    return command.name === "kubectl" ? 0 : 1;
  }
  if (command.name !== "kubectl")
    throw new Error(`unknown command ${JSON.stringify(args.join(" "))}\nSee '${path} -h' for help and examples`);
  const similar = nearest(
    word,
    (command.commands ?? []).map(({ name }) => name),
  );
  const hint =
    similar.length > 0 ? `\n\nDid you mean this?\n${similar.map((name) => `\t${name}\n`).join("")}` : ` for "kubectl"`;
  throw new Error(
    similar.length > 0
      ? `unknown command ${JSON.stringify(word)} for "kubectl"${hint}`
      : `unknown command ${JSON.stringify(word)}${hint}`,
  );
}

/** The discovery of each cluster. */
class DiscoveryCaches {
  readonly #caches = new Map<string, DiscoveryCache>();

  of(connection: ClusterConnection | undefined): DiscoveryCache {
    const server = connection?.server ?? "";
    const cache = this.#caches.get(server) ?? {};
    this.#caches.set(server, cache);
    return cache;
  }
}

/** Returns the surroundings with the connection and the user of a command. */
function at(surroundings: Surroundings, { bearer, connection }: Target): Surroundings {
  if (!bearer && !connection) return surroundings;
  const { fetch, socket } = connection ?? surroundings;
  return { ...surroundings, fetch, socket: bearer ? withBearer({ socket }, bearer) : socket };
}

/** Adds a token to WebSockets. Browsers can send one only as a subprotocol. */
function withBearer({ socket }: Pick<Surroundings, "socket">, bearer: string): Surroundings["socket"] {
  return (path, protocols) => socket(path, [...protocols, bearerProtocol + base64UrlOfText(bearer)]);
}

function impersonation(values: FlagValues): Record<string, string> {
  const groups = values.list("as-group");
  return {
    ...(values.text("as") ? { "impersonate-user": values.text("as") } : {}),
    ...(groups.length > 0 ? { "impersonate-group": groups.join(", ") } : {}),
    ...(values.text("as-uid") ? { "impersonate-uid": values.text("as-uid") } : {}),
    ...(values.text("token") ? { authorization: `Bearer ${values.text("token")}` } : {}),
  };
}
