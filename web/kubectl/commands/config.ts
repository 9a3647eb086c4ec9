// `kubectl config`: contexts, clusters and users of a kubeconfig.
import { absolute } from "../../../shared/shell/paths.ts";
import { base64OfText } from "../../../shared/base/base64.ts";
import { copyJson, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { throwAll } from "../errors.ts";
import { boolFlag, stringFlag } from "../flag.ts";
import { documentOf, type KubeConfig, readKubeConfig, redacted, writeKubeConfig } from "../kubeconfig.ts";
import { stringAt } from "../object.ts";
import { goYaml } from "../print/yaml.ts";
import { goJson } from "../print/json.ts";
import { newTabWriter, wideColumns } from "../print/tab-writer.ts";
import { newTemplate } from "../print/json-path.ts";

type List = "clusters" | "contexts" | "users";

const singular: Readonly<Record<List, string>> = { clusters: "cluster", contexts: "context", users: "user" };

function configOf({ surroundings, flags }: CommandCall): KubeConfig {
  return readKubeConfig(surroundings, flags);
}

/** Returns a command function that changes the kubeconfig and writes it back. */
function changing(change: (config: KubeConfig, call: CommandCall) => string): (call: CommandCall) => void {
  return (call) => {
    const config = configOf(call);
    const message = change(config, call);
    writeKubeConfig(call.surroundings, config);
    call.streams.out(`${message}\n`);
  };
}

const noContext = (name: string) => new Error(`no context exists with the name: ${JSON.stringify(name)}`);
const embedFlag = boolFlag("embed-certs", "Embed certificates and keys as data");

export const config: Command = {
  name: "config",
  use: "SUBCOMMAND [options]",
  short: "Modify kubeconfig files",
  commands: [
    {
      name: "current-context",
      use: "[flags] [options]",
      short: "Display the current-context",
      run: (call) => {
        const { current } = configOf(call);
        if (current === "") throw new Error("current-context is not set");
        call.streams.out(`${current}\n`);
      },
    },
    deletes("clusters", "Delete the specified cluster from the kubeconfig"),
    deletes("contexts", "Delete the specified context from the kubeconfig"),
    deletes("users", "Delete the specified user from the kubeconfig"),
    lists("clusters", "Display clusters defined in the kubeconfig"),
    {
      name: "get-contexts",
      use: "[(-o|--output=)name)] [options]",
      short: "Describe one or many contexts",
      flags: [
        stringFlag("output", "Output format. One of: (name).", { short: "o" }),
        boolFlag("no-headers", "When using the default or custom-column output format, don't print headers."),
      ],
      run: getContexts,
    },
    lists("users", "Display users defined in the kubeconfig"),
    {
      name: "rename-context",
      use: "CONTEXT_NAME NEW_NAME [options]",
      short: "Rename a context from the kubeconfig file",
      run: changing(renameContext),
    },
    {
      name: "set-cluster",
      use: "NAME [--server=server] [--certificate-authority=path/to/certificate/authority] [--insecure-skip-tls-verify=true] [--tls-server-name=example.com] [options]",
      short: "Set a cluster entry in kubeconfig",
      flags: [
        stringFlag("server", "server for the cluster entry in kubeconfig"),
        stringFlag("certificate-authority", "Path to certificate-authority file for the cluster entry in kubeconfig"),
        stringFlag("tls-server-name", "tls-server-name for the cluster entry in kubeconfig"),
        stringFlag("proxy-url", "proxy-url for the cluster entry in kubeconfig"),
        boolFlag("insecure-skip-tls-verify", "insecure-skip-tls-verify for the cluster entry"),
        embedFlag,
      ],
      run: changing(setCluster),
    },
    {
      name: "set-context",
      use: "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace] [options]",
      short: "Set a context entry in kubeconfig",
      flags: [
        boolFlag("current", "Modify the current context"),
        stringFlag("cluster", "cluster for the context entry in kubeconfig"),
        stringFlag("user", "user for the context entry in kubeconfig"),
        stringFlag("namespace", "namespace for the context entry in kubeconfig"),
      ],
      run: setContext,
    },
    {
      name: "set-credentials",
      use: "NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] [--username=basic_user] [--password=basic_password] [options]",
      short: "Set a user entry in kubeconfig",
      flags: [
        stringFlag("client-certificate", "Path to client-certificate file for the user entry in kubeconfig"),
        stringFlag("client-key", "Path to client-key file for the user entry in kubeconfig"),
        stringFlag("token", "token for the user entry in kubeconfig"),
        stringFlag("username", "username for the user entry in kubeconfig"),
        stringFlag("password", "password for the user entry in kubeconfig"),
        embedFlag,
      ],
      run: changing(setCredentials),
    },
    {
      name: "use-context",
      aliases: ["use"],
      use: "CONTEXT_NAME [options]",
      short: "Set the current-context in a kubeconfig file",
      run: changing((kubeConfig, { args }) => {
        const [name, more] = args;
        if (name === undefined || more !== undefined) throw new Error(`Unexpected args: [${args.join(" ")}]`);
        if (!kubeConfig.contexts.has(name)) throw noContext(name);
        kubeConfig.current = name;
        return `Switched to context "${name}".`;
      }),
    },
    {
      name: "view",
      use: "[flags] [options]",
      short: "Display merged kubeconfig settings or a specified kubeconfig file",
      flags: [
        stringFlag("output", "Output format. One of: (json, yaml, jsonpath).", { short: "o", default: "yaml" }),
        boolFlag("minify", "Remove all information not used by current-context from the output"),
        boolFlag("flatten", "Flatten the resulting kubeconfig file into self-contained output"),
        boolFlag("raw", "Display raw byte data and sensitive data"),
        stringFlag("merge", "Merge the full hierarchy of kubeconfig files", { default: "true" }),
      ],
      run: view,
    },
  ],
};

function lists(list: List, short: string): Command {
  return {
    name: `get-${list}`,
    use: "[flags] [options]",
    short,
    run: (call) => call.streams.out(["NAME", ...[...configOf(call)[list].keys()].sort(), ""].join("\n")),
  };
}

function deletes(list: List, short: string): Command {
  const noun = singular[list];
  return {
    name: `delete-${noun}`,
    use: "NAME [options]",
    short,
    run: changing((kubeConfig, { args, streams }) => {
      const [name = "", more] = args;
      if (name === "" || more !== undefined) throw new Error(`you must specify a ${noun} to delete`);
      if (!kubeConfig[list].delete(name)) throw new Error(`cannot delete ${noun} ${name}, not in ${kubeConfig.path}`);
      if (list === "contexts" && kubeConfig.current === name)
        streams.err(
          'warning: this removed your active context, use "kubectl config use-context" to select a different one\n',
        );
      return `deleted ${noun} ${name} from ${kubeConfig.path}`;
    }),
  };
}

function renameContext(kubeConfig: KubeConfig, { args }: CommandCall): string {
  const [from = "", to = "", more] = args;
  if (from === "" || to === "" || more !== undefined) throw new Error(`Unexpected args: [${args.join(" ")}]`);
  const context = kubeConfig.contexts.get(from);
  if (!context) throw new Error(`cannot rename the context ${JSON.stringify(from)}, it's not in ${kubeConfig.path}`);
  if (kubeConfig.contexts.has(to))
    throw new Error(
      `cannot rename the context ${JSON.stringify(from)}, the context ${JSON.stringify(to)} already exists in ${kubeConfig.path}`,
    );
  kubeConfig.contexts.delete(from);
  kubeConfig.contexts.set(to, context);
  if (kubeConfig.current === from) kubeConfig.current = to;
  return `Context "${from}" renamed to "${to}".`;
}

function getContexts(call: CommandCall): void {
  const { args, flags, streams } = call;
  const { contexts, current } = configOf(call);
  const wrong = args.filter((name) => !contexts.has(name)).map((name) => new Error(`context ${name} not found`));
  const selectedContexts = [...contexts].sort().filter(([name]) => args.length === 0 || args.includes(name));
  if (flags.text("output") === "name") {
    streams.out(selectedContexts.map(([name]) => `${name}\n`).join(""));
    return throwAll(wrong);
  }
  if (flags.text("output")) throw new Error(`output must be one of '' or 'name': ${flags.text("output")}`);
  const head = flags.bool("no-headers") ? "" : "CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n";
  const rows = selectedContexts.map(([name, context]) => {
    const [cluster, user, namespace] = ["cluster", "user", "namespace"].map((field) => stringAt(context, field));
    return `${name === current ? "*" : ""}\t${name}\t${cluster}\t${user}\t${namespace}\n`;
  });
  streams.out(newTabWriter(wideColumns).align(head + rows.join("")));
  throwAll(wrong);
}

function setCluster(kubeConfig: KubeConfig, call: CommandCall): string {
  const { flags } = call;
  const name = onlyName(call, "Unexpected");
  const entry = { ...kubeConfig.clusters.get(name) };
  for (const field of ["server", "tls-server-name", "proxy-url"])
    if (flags.changed(field)) entry[field] = flags.text(field);
  if (flags.changed("insecure-skip-tls-verify")) {
    entry["insecure-skip-tls-verify"] = flags.bool("insecure-skip-tls-verify");
    if (flags.bool("insecure-skip-tls-verify")) {
      delete entry["certificate-authority"];
      delete entry["certificate-authority-data"];
    }
  }
  if (setFile(call, entry, "certificate-authority")) delete entry["insecure-skip-tls-verify"];
  kubeConfig.clusters.set(name, entry);
  return `Cluster "${name}" set.`;
}

function setCredentials(kubeConfig: KubeConfig, call: CommandCall): string {
  const { flags } = call;
  const name = onlyName(call, "unexpected");
  const isBasic = flags.text("username") !== "" || flags.text("password") !== "";
  if (isBasic && flags.text("token"))
    throw new Error(
      "you cannot specify more than one authentication method at the same time: --token, --username/--password",
    );
  const entry = { ...kubeConfig.users.get(name) };
  for (const field of ["client-certificate", "client-key"]) setFile(call, entry, field);
  for (const field of ["token", "username", "password"]) if (flags.changed(field)) entry[field] = flags.text(field);
  if (flags.text("token")) for (const field of ["username", "password"]) delete entry[field];
  if (isBasic) delete entry.token;
  kubeConfig.users.set(name, entry);
  return `User "${name}" set.`;
}

function onlyName({ args }: CommandCall, word: string): string {
  const [name = "", more] = args;
  if (name === "" || more !== undefined) throw new Error(`${word} args: [${args.join(" ")}]`);
  return name;
}

/** Sets the path of a file, or its contents with `--embed-certs`. Reports whether the flag was given. */
function setFile({ surroundings: { files }, flags }: CommandCall, entry: JsonObject, field: string): boolean {
  if (!flags.changed(field)) return false;
  const argument = flags.text(field);
  const path = argument && absolute(argument, files.folder);
  delete entry[field];
  delete entry[`${field}-data`];
  if (!flags.bool("embed-certs")) {
    if (path) entry[field] = path;
    return true;
  }
  const content = files.read(path);
  if (content === undefined)
    throw new Error(`could not stat ${field} file ${argument}: stat ${argument}: no such file or directory`);
  entry[`${field}-data`] = base64OfText(content);
  return true;
}

function setContext(call: CommandCall): void {
  const { surroundings, args, flags, streams } = call;
  if (args.length > 1) throw new Error(`Unexpected args: [${args.join(" ")}]`);
  if (args.length === 0 && !flags.bool("current"))
    throw new Error("you must specify a non-empty context name or --current");
  if (args.length > 0 && flags.bool("current")) throw new Error("you cannot specify both a context name and --current");
  const kubeConfig = configOf(call);
  const name = flags.bool("current") ? kubeConfig.current : (args[0] ?? "");
  if (name === "") throw new Error("no current context is set");
  const context = kubeConfig.contexts.get(name);
  const entry: JsonObject = { cluster: "", user: "", ...context };
  for (const field of ["cluster", "user", "namespace"]) if (flags.changed(field)) entry[field] = flags.text(field);
  kubeConfig.contexts.set(name, entry);
  // The namespace of the sandbox's own context is not stored in a file.
  const isPlain = surroundings.files.read(kubeConfig.path) === undefined && name === surroundings.context.name;
  if (isPlain && !flags.changed("cluster") && !flags.changed("user") && !flags.text("kubeconfig"))
    surroundings.context.namespace = stringAt(entry, "namespace");
  else writeKubeConfig(surroundings, kubeConfig);
  streams.out(`Context "${name}" ${context ? "modified" : "created"}.\n`);
}

const secrets = ["token", "password"];
const data = ["certificate-authority-data", "client-certificate-data", "client-key-data"];

function view(call: CommandCall): void {
  const { flags, streams } = call;
  const output = flags.text("output");
  const kubeConfig = configOf(call);
  if (flags.bool("minify")) minify(kubeConfig);
  const document = documentOf(flags.bool("raw") ? kubeConfig : withoutSecrets(kubeConfig, flags.bool("flatten")));
  if (output === "json") return streams.out(goJson(document));
  if (output.startsWith("jsonpath=")) return streams.out(newTemplate(output.slice("jsonpath=".length)).text(document));
  if (output !== "yaml")
    throw new Error(`unable to match a printer suitable for the output format ${JSON.stringify(output)}`);
  streams.out(goYaml(document));
}

function minify({ clusters, contexts, users, current }: KubeConfig): void {
  const context = contexts.get(current);
  if (!context) throw new Error("current-context must exist in order to minify");
  const keep = (entries: Map<string, JsonObject>, current: string) => {
    for (const name of [...entries.keys()]) if (name !== current) entries.delete(name);
  };
  keep(contexts, current);
  keep(clusters, stringAt(context, "cluster"));
  keep(users, stringAt(context, "user"));
}

function withoutSecrets(kubeConfig: KubeConfig, keepsData: boolean): KubeConfig {
  const hidden = (entries: Map<string, JsonObject>) =>
    new Map(
      [...entries].map(([name, entry]) => {
        const copy = copyJson(entry);
        for (const field of secrets) if (copy[field]) copy[field] = redacted;
        for (const field of data) if (copy[field] && !keepsData) copy[field] = "DATA+OMITTED";
        return [name, copy] as const;
      }),
    );
  return { ...kubeConfig, clusters: hidden(kubeConfig.clusters), users: hidden(kubeConfig.users) };
}
