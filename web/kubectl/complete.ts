// Completions of a partial command line: subcommands, flags, resource types, names, containers and files.
import { absolute } from "../../shared/shell/paths.ts";
import { findResource, pathOf } from "./cluster/discovery.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { Command } from "./command.ts";
import type { Flag } from "./flag.ts";
import { listAt, nameOf, textOf } from "./object.ts";
import type { Surroundings } from "./surroundings.ts";

/** The maximum number of completions. */
const mostOffered = 200;

export interface Begun {
  /** The command that the preceding words name, and the words after its name. */
  readonly command: Command;
  readonly rest: readonly string[];
  /** The word that is being typed, or an empty string if a new word begins. */
  readonly last: string;
  readonly flags: readonly Flag[];
  readonly cluster: Cluster;
  readonly surroundings: Surroundings;
}

/** Returns sorted words that begin with `last`, at most 200. Returns none if the cluster does not answer. */
export async function completions(begun: Begun): Promise<string[]> {
  const candidates = await offers(begun).catch((): string[] => []);
  return [...new Set(candidates)]
    .filter((word) => word.startsWith(begun.last))
    .sort()
    .slice(0, mostOffered);
}

async function offers(begun: Begun): Promise<string[]> {
  const { command, rest, last, flags } = begun;
  const flag = flagBefore(rest.at(-1), flags);
  if (flag) return flagValues(flag, begun);
  if (last.startsWith("-"))
    return flags.filter(({ hidden }) => !hidden).map(({ name, type }) => `--${name}${type === "bool" ? "" : "="}`);
  if (command.commands?.length && !command.run) return command.commands.map(({ name }) => name);
  const words = argumentsOf(rest, flags);
  const subcommands = command.commands?.map(({ name }) => name) ?? [];
  // As in a shell, files are offered only if no subcommand begins with the word.
  if (command.completes === "files")
    return subcommands.some((name) => name.startsWith(last)) ? subcommands : filesNamed(begun);
  if (command.completes === "pods") return podWords(begun, words);
  if (command.completes === "nodes") return names(begun, "nodes", "");
  if (command.completes === "resources") return [...subcommands, ...(await resources(begun, words))];
  return subcommands;
}

/** Returns the words that are neither flags nor values of flags. */
function argumentsOf(words: readonly string[], flags: readonly Flag[]): string[] {
  return words.filter((word, at) => !word.startsWith("-") && !flagBefore(words[at - 1], flags));
}

/** Completes POD or TYPE/NAME. After a pod, `kubectl logs` also accepts a container. */
async function podWords(begun: Begun, words: readonly string[]): Promise<string[]> {
  if (words.length === 0) return begun.last.includes("/") ? resources(begun, words) : names(begun, "pods", "");
  return words.length === 1 && begun.command.name === "logs" ? containers(begun) : [];
}

/** Returns the flag whose value comes next: `-n ` and `--namespace `, not `--namespace=x`. */
function flagBefore(word: string | undefined, flags: readonly Flag[]): Flag | undefined {
  if (!word?.startsWith("-") || word.includes("=")) return undefined;
  const flag = flags.find(({ name, short }) => word === `--${name}` || word === `-${short ?? ""}`);
  return flag && flag.type !== "bool" && flag.bare === undefined ? flag : undefined;
}

async function flagValues({ name }: Flag, begun: Begun): Promise<string[]> {
  if (name === "namespace") return names(begun, "namespaces", "");
  if (name === "filename" || name === "kustomize" || name.startsWith("from-")) return filesNamed(begun);
  if (name === "container") return containers(begun);
  if (name === "output") return ["json", "yaml", "wide", "name", "jsonpath=", "custom-columns=", "go-template="];
  return [];
}

async function resources(begun: Begun, words: readonly string[]): Promise<string[]> {
  const { cluster, last } = begun;
  const [type] = words;
  if (type !== undefined && !type.includes("/")) return names(begun, type, "");
  const slash = last.indexOf("/");
  if (slash > 0) return names(begun, last.slice(0, slash), last.slice(0, slash + 1));
  const { resources: all } = await cluster.discovery();
  return all.filter(({ isPreferred, verbs }) => isPreferred && verbs.includes("list")).map(({ resource }) => resource);
}

async function names({ cluster, rest, surroundings }: Begun, type: string, prefix: string): Promise<string[]> {
  const mapping = findResource(await cluster.discovery(), type);
  if (!mapping) return [];
  const list = await cluster.json(pathOf(mapping, mapping.namespaced ? namespaceOf(rest, surroundings) : ""), {
    query: { limit: String(mostOffered) },
  });
  return listAt(list, "items").map((item) => prefix + nameOf(item));
}

/** Returns the containers of the pod that the words name. */
async function containers({ cluster, rest, flags, surroundings }: Begun): Promise<string[]> {
  const name = argumentsOf(rest, flags)[0]?.replace(/^pods?\//, "");
  const mapping = findResource(await cluster.discovery(), "pods");
  if (!name || name.includes("/") || !mapping) return [];
  const pod = await cluster.json(pathOf(mapping, namespaceOf(rest, surroundings), name));
  return ["initContainers", "containers"].flatMap((list) =>
    listAt(pod, "spec", list).map(({ name: containerName }) => textOf(containerName)),
  );
}

function namespaceOf(words: readonly string[], { context }: Surroundings): string {
  const at = words.findIndex((word) => word === "-n" || word === "--namespace");
  const namespaceFlag = words.find((word) => word.startsWith("--namespace="));
  return (
    textOf(at >= 0 ? words[at + 1] : namespaceFlag?.slice("--namespace=".length)) || context.namespace || "default"
  );
}

async function filesNamed({ surroundings: { files }, last }: Begun): Promise<string[]> {
  const slash = last.lastIndexOf("/") + 1;
  const folder = absolute(last.slice(0, slash) || ".", files.folder);
  return (files.list(folder) ?? []).map((name) => last.slice(0, slash) + name);
}
