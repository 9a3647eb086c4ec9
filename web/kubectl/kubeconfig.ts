// The kubeconfig: the entry of the sandbox of this page, and the entries that `kubectl config` writes to a file.
import { absolute } from "../../shared/shell/paths.ts";
import { type JsonObject, isObject } from "../../shared/schema/json-values.ts";
import { readYamlDocuments } from "../../shared/schema/yaml/read.ts";
import { Exit } from "./errors.ts";
import type { FlagValues } from "./flags.ts";
import { listAt, objectAt, stringAt, textOf } from "./object.ts";
import { goYaml } from "./print/yaml.ts";
import type { ClusterConnection, Context, Surroundings } from "./surroundings.ts";

type Entries = Map<string, JsonObject>;

export interface KubeConfig {
  /** The file that changes are written to. */
  readonly path: string;
  readonly clusters: Entries;
  readonly contexts: Entries;
  readonly users: Entries;
  /** The name of the current context, or an empty string if none is set. */
  current: string;
}

/** The placeholder for credentials. The page's own credentials are never written to a file. */
export const redacted = "REDACTED";
const lists = { clusters: "cluster", contexts: "context", users: "user" } as const;

/** Reads the file of `--kubeconfig` or `~/.kube/config`. Without a file, the result has the contexts of the page's own sandboxes. */
export function readKubeConfig(
  { files, context, clusters }: Surroundings,
  flags: Pick<FlagValues, "text">,
): KubeConfig {
  const path = pathOf(files.folder, flags);
  const text = files.read(path);
  if (text === undefined && flags.text("kubeconfig"))
    return { path, clusters: new Map(), contexts: new Map(), users: new Map(), current: "" };
  if (text === undefined) return ownConfig(path, context, clusters?.slice(1) ?? []);
  const document = parsed(text, path);
  const entriesOf = (list: keyof typeof lists): Entries =>
    new Map(listAt(document, list).map((entry) => [textOf(entry.name), objectAt(entry, lists[list])]));
  return {
    path,
    clusters: entriesOf("clusters"),
    contexts: entriesOf("contexts"),
    users: entriesOf("users"),
    current: textOf(document["current-context"]),
  };
}

function ownConfig(path: string, context: Context, further: readonly ClusterConnection[]): KubeConfig {
  const { name, cluster, user, server, namespace } = context;
  const furtherNames = further.map((connection) => connection.name);
  return {
    path,
    clusters: new Map([
      [cluster, { server }],
      ...further.map((connection) => [connection.name, { server: connection.server }] as const),
    ]),
    contexts: new Map([
      [name, { cluster, ...(namespace ? { namespace } : {}), user }],
      ...furtherNames.map((entry) => [entry, { cluster: entry, user: entry }] as const),
    ]),
    users: new Map([user, ...furtherNames].map((owner) => [owner, { token: redacted }])),
    current: name,
  };
}

/** Returns the page's connection to the cluster of the current context; undefined if the kubeconfig leads to none of its clusters. */
export function currentConnection(surroundings: Surroundings): ClusterConnection | undefined {
  const { clusters = [] } = surroundings;
  const config = readKubeConfig(surroundings, noFlags);
  const cluster = stringAt(config.contexts.get(config.current) ?? {}, "cluster");
  const server = stringAt(config.clusters.get(cluster) ?? {}, "server");
  return clusters.find((connection) => connection.server === server);
}

const noFlags: Pick<FlagValues, "text"> = { text: () => "" };

const home = "/home/user";

function pathOf(folder: string, flags: Pick<FlagValues, "text">): string {
  const path = flags.text("kubeconfig");
  return path ? absolute(path, folder) : `${home}/.kube/config`;
}

function parsed(text: string, path: string): JsonObject {
  try {
    const [value] = readYamlDocuments(text);
    const document = value === undefined || value.value === null ? {} : value.value;
    if (isObject(document)) return document;
  } catch (error) {
    throw new Error(
      `error loading config file ${JSON.stringify(path)}: ${error instanceof Error ? error.message : ""}`,
    );
  }
  throw new Error(`error loading config file ${JSON.stringify(path)}: it is not a mapping`);
}

/** Writes the file, and makes the namespace of the current context the default of the commands that follow. */
export function writeKubeConfig({ files, context }: Surroundings, config: KubeConfig): void {
  files.write(config.path, goYaml(documentOf(config)));
  if (config.path === `${home}/.kube/config`) {
    context.namespace = stringAt(config.contexts.get(config.current) ?? {}, "namespace") || "default";
  }
}

export function documentOf({ clusters, contexts, users, current }: KubeConfig): JsonObject {
  const listed = (entries: Entries, key: string) =>
    entries.size === 0 ? null : [...entries].sort().map(([name, body]) => ({ [key]: body, name }));
  return {
    apiVersion: "v1",
    clusters: listed(clusters, "cluster"),
    contexts: listed(contexts, "context"),
    "current-context": current,
    kind: "Config",
    users: listed(users, "user"),
  };
}

/** The cluster, user and namespace of a command. */
export interface Target {
  readonly namespace: string;
  /** The token of the user entry, or undefined for the page's own user. */
  readonly bearer: string | undefined;
  /** The connection to one of several clusters; undefined if the page has one. */
  readonly connection?: ClusterConnection | undefined;
}

/** Applies `--context`, `--cluster` and `--user`. Throws if the page cannot use the selected entries. */
export function targetOf(surroundings: Surroundings, flags: FlagValues, hasOwn: (flag: string) => boolean): Target {
  const config = readKubeConfig(surroundings, flags);
  const globalFlag = (flag: string) => (hasOwn(flag) ? "" : flags.text(flag));
  const name = globalFlag("context") || config.current;
  const context = config.contexts.get(name);
  if (!context && globalFlag("context"))
    throw new Exit(1, `Error in configuration: context was not found for specified context: ${name}`);
  const cluster = globalFlag("cluster") || stringAt(context ?? {}, "cluster");
  const user = globalFlag("user") || stringAt(context ?? {}, "user");
  if (globalFlag("cluster") && !config.clusters.has(cluster))
    throw new Error(`cluster ${JSON.stringify(cluster)} does not exist`);
  if (globalFlag("user") && !config.users.has(user))
    throw new Error(`auth info ${JSON.stringify(user)} does not exist`);
  const server = stringAt(config.clusters.get(cluster) ?? {}, "server");
  const connection = surroundings.clusters?.find((candidate) => candidate.server === server);
  if (!connection) checkServer(surroundings, server);
  return {
    namespace: stringAt(context ?? {}, "namespace"),
    bearer: bearerOf(config.users.get(user) ?? {}, user),
    connection,
  };
}

function checkServer({ context, clusters }: Surroundings, server: string): void {
  if (server === context.server) return;
  const reachable = clusters ? "sandboxes alone" : `sandbox alone (${context.server})`;
  if (server === "")
    throw new Exit(
      1,
      "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
    );
  throw new Exit(1, `Unable to connect to the server: a page reaches its own ${reachable}, not ${server}`);
}

function bearerOf(user: JsonObject, name: string): string | undefined {
  const token = stringAt(user, "token");
  if (token !== "") return token === redacted ? undefined : token;
  if (Object.keys(user).length === 0) throw new Exit(1, "error: You must be logged in to the server (Unauthorized)");
  throw new Error(
    `user ${JSON.stringify(name)}: a page cannot send client certificates or passwords; give the user a token, or use --as=${name}`,
  );
}
