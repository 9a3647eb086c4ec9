// Reads the manifests of `-f`: files, folders, the standard input and URLs, each with YAML or JSON documents.
import { absolute } from "../../../shared/shell/paths.ts";
import { readYamlDocuments } from "../../../shared/schema/yaml/read.ts";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { asError, throwAll } from "../errors.ts";
import type { Files } from "../files.ts";
import { type Info, isList, nameOf, namespaceOf, textOf } from "../object.ts";
import type { Streams } from "../surroundings.ts";
import { buildKustomization } from "./kustomize.ts";

export interface Manifests {
  readonly files: readonly string[];
  readonly kustomize: string;
  readonly isRecursive: boolean;
}

export interface Reading {
  readonly cluster: Cluster;
  readonly files: Files;
  readonly streams: Streams;
  /** The default namespace. */
  readonly namespace: string;
  /** Reports whether an object of another namespace is refused. */
  readonly enforcesNamespace: boolean;
  readonly isDetached: boolean;
  readonly validates: boolean;
}

interface Source {
  /** The source as errors name it: the path, or STDIN. */
  readonly name: string;
  text(): Promise<string>;
}

export interface Found {
  readonly infos: Info[];
  /** The errors of documents that could not be read or mapped. The other objects are still returned. */
  readonly errors: readonly Error[];
  /** Reports whether exactly one file with one object, not a list, was named. */
  readonly isSingle: boolean;
}

const extensions = [".json", ".yaml", ".yml"];

export async function readManifests(
  { files: named, kustomize, isRecursive }: Manifests,
  reading: Reading,
): Promise<Found> {
  if (kustomize && named.length > 0) throw new Error("only one of -f or -k can be specified");
  if (kustomize && isRecursive) throw new Error("the -k flag can't be used with -f or -R");
  const errors: Error[] = [];
  const sources = named.flatMap((name) => {
    try {
      return sourcesOf(name, isRecursive, reading);
    } catch (error) {
      errors.push(asError(error));
      return [];
    }
  });
  throwAll(errors);
  const infos: Info[] = [];
  const failed: Error[] = [];
  for (const source of sources) {
    try {
      for (const object of documentsIn(await source.text(), source.name, reading.validates))
        infos.push(...(await infosOf(object, source.name, reading, failed)));
    } catch (error) {
      failed.push(asError(error));
    }
  }
  if (kustomize) {
    for (const object of buildKustomization(reading.files, kustomize, (text) =>
      reading.streams.err(`# Warning: ${text}\n`),
    ))
      infos.push(...(await infosOf(object, kustomize, reading, failed)));
  }
  const isSingle =
    sources.length === 1 && named.length === 1 && named[0] !== "-" && !isFolder(reading.files, named[0] ?? "");
  return { infos, errors: failed, isSingle: isSingle && !kustomize };
}

function isFolder(files: Files, name: string): boolean {
  return files.list(absolute(name, files.folder)) !== undefined;
}

function sourcesOf(name: string, isRecursive: boolean, { files, streams }: Reading): Source[] {
  if (name === "-") return [{ name: "STDIN", text: () => streams.input() }];
  if (/^https?:\/\//.test(name)) return [{ name, text: () => download(name) }];
  const path = absolute(name, files.folder);
  if (files.read(path) !== undefined) return [fileSource(files, name, path)];
  if (files.list(path) === undefined) throw new Error(`the path ${JSON.stringify(name)} does not exist`);
  const filePaths = filesBelow(files, name.endsWith("/") ? name.slice(0, -1) : name, path, isRecursive);
  if (filePaths.length === 0)
    throw new Error(`error reading [${name}]: recognized file extensions are [${extensions.join(" ")}]`);
  return filePaths;
}

function filesBelow(files: Files, name: string, path: string, isRecursive: boolean): Source[] {
  return (files.list(path) ?? []).flatMap((entry) => {
    const [entryName, entryPath] = [`${name}/${entry}`, `${path === "/" ? "" : path}/${entry}`];
    if (files.read(entryPath) === undefined) return isRecursive ? filesBelow(files, entryName, entryPath, true) : [];
    return extensions.some((extension) => entry.endsWith(extension)) ? [fileSource(files, entryName, entryPath)] : [];
  });
}

function fileSource(files: Files, name: string, path: string): Source {
  return { name, text: () => Promise.resolve(files.read(path) ?? "") };
}

async function download(url: string): Promise<string> {
  const answer = await fetch(url);
  if (answer.ok) return answer.text();
  throw new Error(
    `unable to read URL ${JSON.stringify(url)}, server reported ${answer.status} ${answer.statusText}, status code=${answer.status}`,
  );
}

/** Returns the documents that are not empty. Throws errors with the source's name. */
export function documentsIn(text: string, source: string, validates = false): JsonObject[] {
  const documents: JsonObject[] = [];
  const invalid = (problem: string) =>
    new Invalid(
      `error validating ${JSON.stringify(source)}: error validating data: ${problem}; if you choose to ignore these errors, turn validation off with --validate=false`,
    );
  try {
    for (const { value } of text.trimStart().startsWith("{") ? jsonDocuments(text) : readYamlDocuments(text)) {
      if (value === null) continue;
      if (!isObject(value) && validates) throw invalid("invalid object to validate");
      if (!isObject(value)) throw new Error(`couldn't get version/kind; json parse error: ${notAnObject(value)}`);
      const unset = ["apiVersion", "kind"].filter((field) => !textOf(value[field])).map((field) => `${field} not set`);
      if (validates && unset.length > 0) throw invalid(unset.length > 1 ? `[${unset.join(", ")}]` : unset.join(""));
      documents.push(value);
    }
  } catch (error) {
    if (error instanceof Invalid) throw error;
    const { message } = asError(error);
    throw new Error(
      `error parsing ${source}: ${message.startsWith("yaml: ") ? `error converting YAML to JSON: ${message}` : message}`,
    );
  }
  return documents;
}

class Invalid extends Error {
  override name = "Invalid";
}

function notAnObject(value: unknown): string {
  const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

function jsonDocuments(text: string): Iterable<{ value: unknown }> {
  try {
    return [{ value: JSON.parse(text) as unknown }];
  } catch {
    return readYamlDocuments(text);
  }
}

/** Returns the objects of a document, or of each item of a list. An object that cannot be mapped is added to `failed`. */
async function infosOf(object: JsonObject, source: string, reading: Reading, failed: Error[]): Promise<Info[]> {
  if (isList(object) && Array.isArray(object.items)) {
    const items = object.items.filter(isObject);
    const inner: Info[] = [];
    for (const item of items) inner.push(...(await infosOf(item, source, reading, failed)));
    return inner;
  }
  try {
    return [await infoOf(object, source, reading)];
  } catch (error) {
    failed.push(asError(error));
    return [];
  }
}

async function infoOf(
  object: JsonObject,
  source: string,
  { cluster, namespace, enforcesNamespace, isDetached }: Reading,
): Promise<Info> {
  const [apiVersion, kind] = [textOf(object.apiVersion), textOf(object.kind)];
  const quotedSource = JSON.stringify(source);
  if (!kind)
    throw new Error(`unable to decode ${quotedSource}: Object 'Kind' is missing in '${JSON.stringify(object)}'`);
  const mapping = await cluster.kind(apiVersion, kind);
  if (!apiVersion || !mapping) {
    const name = nameOf(object);
    throw new Error(
      `resource mapping not found for name: ${JSON.stringify(name)} namespace: ${JSON.stringify(namespaceOf(object))} from ${quotedSource}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}\nensure CRDs are installed first`,
    );
  }
  const info: Info = { mapping, namespace: namespaceOf(object), name: nameOf(object), source, object };
  if (!isDetached) placeIn(info, namespace, enforcesNamespace);
  return info;
}

/** Sets the namespace of a namespaced object, and removes it from a cluster-scoped one. */
export function placeIn(info: Info, namespace: string, enforces: boolean): void {
  if (!isObject(info.object.metadata)) info.object.metadata = {};
  const metadata = info.object.metadata as JsonObject; // just made or tested
  if (!info.mapping.namespaced) {
    info.namespace = "";
    delete metadata.namespace;
    return;
  }
  if (!info.namespace) {
    info.namespace = namespace;
    metadata.namespace = namespace;
  }
  if (enforces && info.namespace !== namespace) {
    throw new Error(
      `the namespace from the provided object ${JSON.stringify(info.namespace)} does not match the namespace ${JSON.stringify(namespace)}. You must pass '--namespace=${info.namespace}' to perform this operation.`,
    );
  }
}
