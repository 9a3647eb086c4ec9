// `-o custom-columns`: a header and a path for each column.
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { columnText, newTemplate, type Template } from "./json-path.ts";
import { relaxedPath } from "./sort.ts";
import { newTabWriter, wideColumns } from "./tab-writer.ts";

export interface ColumnSpec {
  readonly header: string;
  readonly path: string;
}

export function columnsFromText(spec: string): ColumnSpec[] {
  if (spec === "") throw new Error("custom-columns format specified but no custom columns given");
  return spec.split(",").map((columnSpec) => {
    const colon = columnSpec.indexOf(":");
    if (colon < 0) throw new Error(`unexpected custom-columns spec: ${columnSpec}, expected <header>:<json-path-expr>`);
    return { header: columnSpec.slice(0, colon), path: relaxedPath(columnSpec.slice(colon + 1)) };
  });
}

/** Parses the two lines of a columns file: headers and paths, separated by spaces. */
export function columnsFromFile(text: string): ColumnSpec[] {
  const [first, second] = text.split("\n");
  const expected = "Expected format is one line of space separated headers, one line of space separated column specs.";
  if (!first) throw new Error(`invalid template, missing header line. ${expected}`);
  if (!second) throw new Error(`invalid template, missing spec line. ${expected}`);
  const headers = first.trim().split(/\s+/);
  const paths = second.trim().split(/\s+/);
  if (headers.length !== paths.length) {
    throw new Error(`number of headers (${headers.length}) and field specifications (${paths.length}) don't match`);
  }
  return headers.map((header, at) => ({ header, path: relaxedPath(paths[at] ?? "") }));
}

export function customColumnsPrinter(
  columns: readonly ColumnSpec[],
  hasHeaders: boolean,
): (object: JsonObject) => string {
  const templates = columns.map(({ path }) => newTemplate(path));
  const writer = newTabWriter(wideColumns);
  let isFirst = true;
  return (object) => {
    const objects = Array.isArray(object.items) ? object.items.filter(isObject) : [object];
    const lines = objects.map((object) => templates.map((template) => cell(template, object)).join("\t"));
    if (hasHeaders && isFirst) lines.unshift(columns.map(({ header }) => header).join("\t"));
    isFirst = false;
    return writer.align(lines.map((line) => `${line}\n`).join(""));
  };
}

function cell(template: Template, object: JsonObject): string {
  const values = template.results(object);
  if (!values[0]?.length) return ["<none>", ...values.slice(1).flat().map(columnText)].join(",");
  return values.flat().map(columnText).join(",");
}
