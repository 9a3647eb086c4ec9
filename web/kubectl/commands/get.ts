// `kubectl get`: prints objects as tables or templates, and follows their changes.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { boolFlag, stringFlag, stringsFlag } from "../flag.ts";
import { asError, isNotFound, throwAll } from "../errors.ts";
import { type Mapping, pathOf } from "../cluster/discovery.ts";
import { type Info, metadataOf, textOf } from "../object.ts";
import { isForPeople, outputFlags, printerOf, type Printer } from "../print/printer.ts";
import { sortBy } from "../print/sort.ts";
import { newTabWriter, wideColumns } from "../print/tab-writer.ts";
import { isTable, newTablePrinter, tableOf } from "../print/table.ts";
import {
  allNamespacesFlag,
  chunkFlag,
  fieldSelectorFlag,
  fileFlags,
  select,
  selectorFlag,
} from "../resources/select.ts";

const tableAccept =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

export const get: Command = {
  name: "get",
  use: "[(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file|custom-columns|custom-columns-file|wide] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]",
  short: "Display one or many resources",
  completes: "resources",
  flags: [
    ...outputFlags,
    ...fileFlags,
    selectorFlag,
    fieldSelectorFlag,
    allNamespacesFlag,
    chunkFlag,
    boolFlag("watch", "After listing/getting the requested object, watch for changes.", { short: "w" }),
    boolFlag("watch-only", "Watch for changes to the requested object(s), without listing/getting first."),
    boolFlag("output-watch-events", "Output watch event objects when --watch or --watch-only is used."),
    boolFlag("ignore-not-found", "If set to true, suppresses NotFound error for specific objects that do not exist."),
    boolFlag("no-headers", "When using the default or custom-column output format, don't print headers."),
    boolFlag("show-labels", "When printing, show all labels as the last column."),
    boolFlag("show-kind", "If present, list the resource type for the requested object(s)."),
    stringsFlag(
      "label-columns",
      "Accepts a comma separated list of labels that are going to be presented as columns.",
      { short: "L" },
    ),
    stringFlag("sort-by", "If non-empty, sort list types using this field specification, a JSONPath expression."),
    boolFlag("server-print", "If true, have the server return the appropriate table output.", { default: true }),
    stringFlag("subresource", "If specified, gets the subresource of the requested object."),
    stringFlag("raw", "Raw URI to request from the server."),
  ],
  run: (call) => {
    const { flags, args, streams } = call;
    if (flags.text("raw")) return raw(call);
    if (flags.bool("watch") && flags.text("sort-by")) {
      streams.err("warning: --watch requested, --sort-by will be ignored for watch events received\n");
    }
    const watches = flags.bool("watch") || flags.bool("watch-only");
    if (!watches && args.length === 0 && flags.list("filename").length === 0 && !flags.text("kustomize")) {
      streams.err(
        `You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported resources.\n\n`,
      );
      throw usageError(
        call,
        'Required resource not specified.\nUse "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).',
      );
    }
    const output = flags.text("output");
    if (flags.bool("show-labels") && output && output !== "wide") {
      throw new Error(`--show-labels option cannot be used with ${output} printer`);
    }
    if (flags.bool("output-watch-events") && !watches) {
      throw new Error("--output-watch-events option can only be used with --watch or --watch-only");
    }
    if (watches) return watch(call);
    return isForPeople(flags) ? printTables(call) : printObjects(call);
  },
};

async function raw({ flags, args, cluster, streams }: CommandCall): Promise<void> {
  if (args.length > 0) throw new Error("arguments may not be passed when --raw is specified");
  if (flags.bool("watch") || flags.bool("watch-only") || flags.text("selector")) {
    throw new Error("--raw may not be specified with other flags that filter the server request or alter the output");
  }
  if (flags.text("output")) throw new Error("--raw and --output are mutually exclusive");
  const path = flags.text("raw");
  if (!path.startsWith("/"))
    throw new Error(`--raw must be a valid URL path: parse ${JSON.stringify(path)}: invalid URI for request`);
  streams.out(await cluster.text(path));
}

function choiceOf({ flags, args }: CommandCall) {
  const isTableOutput = isForPeople(flags);
  return {
    args,
    allowsAll: true,
    keepsGoing: true,
    allNamespaces: flags.bool("all-namespaces"),
    ignoresMissing: flags.bool("ignore-not-found"),
    subresource: flags.text("subresource"),
    chunk: flags.text("sort-by") ? 0 : flags.int("chunk-size"),
    ...(isTableOutput && flags.bool("server-print")
      ? { keepsLists: true, accept: tableAccept, query: flags.text("sort-by") ? { includeObject: "Object" } : {} }
      : {}),
  };
}

async function printTables(call: CommandCall): Promise<void> {
  const { flags, streams, namespace } = call;
  const { infos: selected, errors } = await select(call, choiceOf(call));
  const infos = sorted(selected, flags.text("sort-by"));
  const kinds = new Set(infos.map(({ mapping }) => mapping));
  const writer = newTabWriter(wideColumns);
  let hasWritten = false;
  let needsBlankLine = false;
  let last: Mapping | undefined;
  let text = "";
  const flush = () => {
    if (!text) return;
    streams.out((needsBlankLine ? "\n" : "") + writer.align(text));
    hasWritten = true;
    needsBlankLine = false;
    text = "";
  };
  let printer = tablePrinter(call, undefined, false);
  for (const { mapping, object } of infos) {
    if (mapping.resource !== last?.resource || mapping.group !== last.group) {
      flush();
      writer.forget();
      needsBlankLine = last !== undefined && !flags.bool("no-headers") && hasWritten;
      printer = tablePrinter(call, mapping, kinds.size > 1);
      last = mapping;
    }
    text += printer(object);
  }
  flush();
  if (!hasWritten && !flags.bool("ignore-not-found") && errors.length === 0) {
    const isNamespaced = !flags.bool("all-namespaces") && infos.every(({ mapping }) => mapping.namespaced);
    streams.err(isNamespaced ? `No resources found in ${namespace} namespace.\n` : "No resources found\n");
  }
  throwAll(errors);
}

function sorted(infos: readonly Info[], path: string): readonly Info[] {
  if (!path || infos.length === 0) return infos;
  const tables = infos.filter(({ object }) => isTable(object));
  for (const { object } of tables) object.rows = sortedRows(object, path);
  if (tables.length === infos.length || infos.length < 2) return infos;
  if (tables.length > 0) throw new Error("sorting is not supported on mixed Table and non-Table object lists");
  return sortBy(infos, path, ({ object }) => object);
}

/** Sorts the rows of a table. Returns no rows if they cannot be sorted: kubectl does not report an error for tables. */
function sortedRows(table: JsonObject, path: string) {
  const { rows } = tableOf(table);
  if (rows.length < 2) return rows;
  try {
    return sortBy(rows, path, (row) => row.object);
  } catch {
    return [];
  }
}

function tablePrinter(
  { flags, surroundings }: CommandCall,
  mapping: Mapping | undefined,
  showsKind: boolean,
): (object: JsonObject, event?: string) => string {
  const singular = mapping ? `${mapping.kind.toLowerCase()}${mapping.group ? `.${mapping.group}` : ""}` : "";
  return newTablePrinter(
    {
      withNamespace: flags.bool("all-namespaces") && mapping?.namespaced === true,
      kind: showsKind || flags.bool("show-kind") ? singular : "",
      isWide: flags.text("output") === "wide",
      hasHeaders: !flags.bool("no-headers"),
      labelColumns: flags.list("label-columns"),
      showsLabels: flags.bool("show-labels"),
    },
    () => surroundings.clock.nowMs(),
  ).rows;
}

async function printObjects(call: CommandCall): Promise<void> {
  const { flags, streams, surroundings } = call;
  const { infos, errors, isSingle } = await select(call, choiceOf(call));
  if (errors.length > 0 && isSingle) throwAll(errors);
  if (infos.length === 0 && flags.bool("ignore-not-found")) return throwAll(errors);
  const print = printerOf({ flags, files: surroundings.files, operation: "", isGet: true });
  const path = flags.text("sort-by");
  const [only] = infos;
  const list = (objects: readonly JsonObject[]): JsonObject => ({
    apiVersion: "v1",
    kind: "List",
    metadata: { resourceVersion: "" },
    items: path ? sortBy(objects, path, (object) => object) : objects,
  });
  const text =
    isSingle && infos.length === 1 && only ? print(only.object) : print(list(infos.map(({ object }) => object)));
  streams.out(text);
  throwAll(errors);
}

async function watch(call: CommandCall): Promise<void> {
  const { flags, streams, cluster, surroundings } = call;
  const choice = { ...choiceOf(call), keepsGoing: false, singleType: true, keepsLists: true, chunk: 0 };
  let selection;
  try {
    selection = await select(call, choice);
  } catch (error) {
    if (isNotFound(error) && flags.bool("ignore-not-found")) return;
    throw error;
  }
  const [info] = selection.infos;
  if (!info) return;
  if (selection.infos.length > 1) {
    throw new Error(
      "watch is only supported on individual resources and resource collections - more than 1 resource was found",
    );
  }
  const isCollection = info.name === "";
  const write = watchWriter(call, info.mapping, surroundings.files);
  const initialEventType = flags.bool("output-watch-events") ? "ADDED" : undefined;
  if (!flags.bool("watch-only")) {
    for (const object of isTable(info.object) || !isCollection ? [info.object] : itemsOf(info.object))
      write(object, initialEventType);
  }
  const query = {
    ...choice.query,
    labelSelector: flags.text("selector"),
    fieldSelector: isCollection ? flags.text("field-selector") : `metadata.name=${info.name}`,
    resourceVersion: isCollection ? textOf(metadataOf(info.object).resourceVersion) : versionOf(info.object),
  };
  const watchOptions = { query, ...(choice.accept ? { accept: choice.accept } : {}) };
  try {
    for await (const event of cluster.watch(pathOf(info.mapping, info.namespace), watchOptions)) {
      if (event.type === "ERROR") throw new Error(textOf(event.object.message) || "an error on the server");
      if (event.type !== "BOOKMARK") write(event.object, flags.bool("output-watch-events") ? event.type : undefined);
    }
  } catch (error) {
    if (!streams.signal.aborted) throw asError(error);
  }
}

function itemsOf(list: JsonObject): JsonObject[] {
  const items = Array.isArray(list.items) ? list.items.filter(isObject) : [];
  return items.map((item) => ({ apiVersion: list.apiVersion, kind: textOf(list.kind).replace(/List$/, ""), ...item }));
}

/** Returns the resource version of an object, or of the only row of a table. */
function versionOf(object: JsonObject): string {
  const target = isTable(object) ? (tableOf(object).rows[0]?.object ?? object) : object;
  return textOf(metadataOf(target).resourceVersion);
}

function watchWriter(
  call: CommandCall,
  mapping: Mapping,
  files: CommandCall["surroundings"]["files"],
): (object: JsonObject, event?: string) => void {
  const { flags, streams } = call;
  if (!isForPeople(flags)) {
    const print: Printer = printerOf({ flags, files, operation: "", isGet: true });
    return (object, event) => streams.out(print(event ? { type: event, object } : object));
  }
  const rows = tablePrinter(call, mapping, false);
  const writer = newTabWriter(wideColumns);
  return (object, event) => streams.out(writer.align(rows(object, event)));
}
