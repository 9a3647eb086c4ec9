// Reads the documents of a text, tries them with a dry run, and applies them. Each problem has its line. Independent of the page.
import { LineCounter, parseAllDocuments } from "yaml";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { type Discovery, findKind, type Mapping, pathOf } from "../../kubectl/cluster/discovery.ts";
import { type Status, StatusError } from "../../kubectl/errors.ts";
import { at, nameOf, namespaceOf, stringAt } from "../../kubectl/object.ts";
import { texts } from "../../messages/create.ts";
import { type Problem, problemsOf } from "../edit/problems.ts";

export interface Manifest {
  readonly object: JsonObject;
  /** The text of the document. */
  readonly text: string;
  readonly lineBefore: number;
}

export interface ReadManifests {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly Problem[];
}

export const mostDocuments = 100;

export function readManifests(text: string): ReadManifests {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const manifests: Manifest[] = [];
  const problems: Problem[] = [];
  for (const document of Array.isArray(documents) ? documents : []) {
    problems.push(...document.errors.map(({ message, pos: [from] }) => ({ line: lines.linePos(from).line, message })));
    if (document.errors.length > 0) continue;
    const from = document.contents?.range?.[0] ?? document.range[0];
    // The line before the first line of the contents, including its indentation.
    const lineBefore = lines.linePos(from).line - 1;
    const start = text.lastIndexOf("\n", from - 1) + 1;
    const value: unknown = document.toJS();
    if (value === null || value === undefined) continue;
    const objects = objectsOf(value);
    if (!objects) problems.push({ line: lineBefore + 1, message: texts.noObject });
    const documentText = text.slice(start, document.range[1]);
    for (const object of objects ?? []) {
      const missing = ["apiVersion", "kind"].filter((field) => typeof object[field] !== "string");
      if (!nameOf(object)) missing.push("metadata.name");
      if (missing.length > 0) problems.push({ line: lineBefore + 1, message: texts.missing(missing.join(", ")) });
      else manifests.push({ object, text: documentText, lineBefore });
    }
  }
  if (manifests.length > mostDocuments) problems.push({ line: 1, message: texts.tooMany(mostDocuments) });
  if (manifests.length === 0 && problems.length === 0) problems.push({ line: 1, message: texts.empty });
  return { manifests, problems };
}

/** Returns the items of a List, or the object itself. Undefined if the document has no object. */
function objectsOf(value: unknown): JsonObject[] | undefined {
  if (!isObject(value)) return undefined;
  if (value.kind !== "List" || !Array.isArray(value.items)) return [value];
  return value.items.every(isObject) ? value.items : undefined;
}

export interface Tried {
  readonly manifest: Manifest;
  readonly mapping: Mapping | undefined;
  /** The current object, or undefined if it does not exist. */
  readonly before: JsonObject | undefined;
  /** The object as the server would store it. Undefined if it depends on earlier documents of the text. */
  readonly after: JsonObject | undefined;
}

export type Request = (path: string, init?: RequestInit) => Promise<Response>;

interface Trial {
  readonly request: Request;
  readonly served: Discovery;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Reports whether fields of other field managers are taken over. */
  readonly isForced: boolean;
}

export interface TrialOutcome {
  readonly tried: readonly Tried[];
  readonly problems: readonly Problem[];
  /** Reports whether conflicts with other field managers are the only problem. */
  readonly isConflict: boolean;
}

/** Applies each object as a dry run. */
export async function tryManifests({ manifests }: ReadManifests, trial: Trial): Promise<TrialOutcome> {
  const tried: Tried[] = [];
  const problems: Problem[] = [];
  let isConflict = true;
  for (const manifest of manifests) {
    const { object } = manifest;
    const mapping = findKind(trial.served, stringAt(object, "apiVersion"), stringAt(object, "kind"));
    if (isOfText(manifests, manifest, mapping)) {
      tried.push({ manifest, mapping, before: undefined, after: undefined });
      continue;
    }
    if (!mapping) {
      const message = texts.notServed(stringAt(object, "kind"), stringAt(object, "apiVersion"));
      problems.push({ line: manifest.lineBefore + 1, message });
      isConflict = false;
      continue;
    }
    try {
      const current = await trial.request(pathTo(manifest, mapping, trial.namespace));
      const before = current.ok ? ((await current.json()) as JsonObject) : undefined;
      tried.push({
        manifest,
        mapping,
        before,
        after: await applyManifest(manifest, mapping, { ...trial, dryRun: true }),
      });
    } catch (error) {
      problems.push(...problemsAt(manifest, error));
      isConflict &&= error instanceof StatusError && error.status.reason === "Conflict";
    }
  }
  return { tried, problems, isConflict: isConflict && problems.length > 0 };
}

/** Reports whether an earlier document creates the namespace or kind of the object, so that a dry run cannot know them. */
function isOfText(all: readonly Manifest[], { object }: Manifest, mapping: Mapping | undefined): boolean {
  return all.some(({ object: earlier }) => {
    if (earlier.kind === "Namespace" && nameOf(earlier) === namespaceOf(object)) return true;
    return (
      !mapping &&
      earlier.kind === "CustomResourceDefinition" &&
      at(earlier, "spec", "names", "kind") === object.kind &&
      stringAt(object, "apiVersion").startsWith(`${stringAt(earlier, "spec", "group")}/`)
    );
  });
}

/** Applies the object server-side. Throws a `StatusError`. */
export async function applyManifest(
  manifest: Manifest,
  mapping: Mapping,
  { request, namespace, isForced, dryRun }: Omit<Trial, "served"> & { readonly dryRun: boolean },
): Promise<JsonObject> {
  const options = `${isForced ? "&force=true" : ""}${dryRun ? "&dryRun=All" : ""}`;
  const query = `fieldManager=sandbar-console&fieldValidation=Strict${options}`;
  const answer = await request(`${pathTo(manifest, mapping, namespace)}?${query}`, {
    method: "PATCH",
    headers: { "content-type": "application/apply-patch+yaml" },
    body: JSON.stringify(manifest.object),
  });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new StatusError(body as Status); // a refusal is a Status
  return isObject(body) ? body : {};
}

function pathTo({ object }: Manifest, mapping: Mapping, namespace: string): string {
  return pathOf(mapping, mapping.namespaced ? namespaceOf(object) || namespace : "", nameOf(object));
}

/** Returns the problems of a refused object at their lines in the whole text. */
export function problemsAt({ text, lineBefore, object }: Manifest, error: unknown): readonly Problem[] {
  const status = error instanceof StatusError ? error.status : { message: error instanceof Error ? error.message : "" };
  return problemsOf(status, text).map(({ line, message }) => ({
    line: line + lineBefore,
    message: `${stringAt(object, "kind")} ${nameOf(object)}: ${message}`,
  }));
}
