// The parameters of operations in OpenAPI.
import { fieldsOf } from "../../../shared/schema/openapi/facts.ts";
import { scalars } from "../../../shared/schema/openapi/leaves.ts";
import type { Schema } from "../../../shared/schema/openapi/schema.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description?: string;
  readonly required?: true;
  readonly schema: Schema & { readonly uniqueItems: true };
}

type ScalarType = "string" | "integer" | "boolean";

function query(name: string, type: ScalarType, description?: string): Parameter {
  return { ...(description ? { description } : {}), in: "query", name, schema: { type, uniqueItems: true } };
}

function inPath(name: string, description: string): Parameter {
  return { description, in: "path", name, required: true, schema: { type: "string", uniqueItems: true } };
}

export const nameParameter = (kind: string): Parameter => inPath("name", `name of the ${kind}`);
export const namespaceParameter = inPath("namespace", "object name and auth scope, such as for teams and projects");
export const pathParameter = inPath("path", "path to the resource");
export const prettyParameter = query("pretty", "string", "Whether the answer is indented for people to read.");

const dryRun = query("dryRun", "string", "All: the request is checked and answered, and nothing is persisted.");
const fieldManager = query(
  "fieldManager",
  "string",
  "The name of whoever makes these changes, of at most 128 printable characters.",
);
const fieldValidation = query(
  "fieldValidation",
  "string",
  "What happens to unknown and duplicate fields. Ignore: they are dropped silently. Warn: they are dropped with a warning for each (the default). Strict: the request is refused.",
);
const force = query("force", "boolean", "Takes over fields that others own. For server-side apply only.");

/** The parameters of POST and PUT. */
export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const patchParameters: readonly Parameter[] = [...writeParameters, force];

const selection: readonly Parameter[] = [
  query("continue", "string", "The token of an earlier page: the list goes on after it, at the same revision."),
  query("fieldSelector", "string", "Which objects, by their fields. Default: all."),
  query("labelSelector", "string", "Which objects, by their labels. Default: all."),
  query("limit", "integer", "How many objects a page has at most; the list metadata then has a continue token."),
  query("resourceVersion", "string", "The revision that the answer must be at, or not be older than."),
  query("resourceVersionMatch", "string", "How resourceVersion is meant: NotOlderThan or Exact."),
  query("sendInitialEvents", "boolean", "A watch begins with the objects there are, and a bookmark after them."),
  query("timeoutSeconds", "integer", "How long the call may take, whether or not anything happens."),
];
/** The parameters of a list, which can also be a watch. */
export const listParameters: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "A watch may have BOOKMARK events, which tell only how far it is."),
  ...selection,
  query("watch", "boolean", "Answers with a stream of changes from resourceVersion on."),
];

export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query("gracePeriodSeconds", "integer", "Seconds until the object goes; zero is at once. Default: the kind's."),
  query(
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "boolean",
    "Deletes an object that can no longer be read from the store.",
  ),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query(
    "propagationPolicy",
    "string",
    "What happens to dependents. Orphan: they stay. Background: they are deleted after. Foreground: they are deleted first.",
  ),
];
export const deleteCollectionParameters: readonly Parameter[] = [...selection, ...deleteParameters];

/** Returns the fields of an options type (PodExecOptions) as query parameters. */
export function optionsParameters(optionsType: string): Parameter[] {
  return fieldsOf(optionsType).flatMap(({ field }) => {
    if (field.json === "apiVersion" || field.json === "kind" || field.shape === "map") return [];
    const type = typeof field.type === "string" ? scalars[field.type]?.schema.type : undefined;
    // Only scalars are query parameters. Times are not, as upstream.
    if (type !== "string" && type !== "integer" && type !== "boolean") return [];
    return [query(field.json, type)];
  });
}
