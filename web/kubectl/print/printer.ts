// Output formats of `-o`, for `get` and for commands that report operations.
import { absolute } from "../../../shared/shell/paths.ts";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { type Flag, boolFlag, stringFlag } from "../flag.ts";
import type { Files } from "../files.ts";
import type { FlagValues } from "../flags.ts";
import { nameText } from "../object.ts";
import { columnsFromFile, columnsFromText, customColumnsPrinter } from "./custom-columns.ts";
import { goSyntax } from "./go-value.ts";
import { newGoTemplate } from "./go-template.ts";
import { goJson, indented } from "./json.ts";
import { newTemplate } from "./json-path.ts";
import { declaredOrder } from "./declared-order.ts";
import { goYaml } from "./yaml.ts";

/** Returns the text of an object. One printer prints all objects of a command. */
export type Printer = (object: JsonObject) => string;

export const outputFlags: readonly Flag[] = [
  stringFlag(
    "output",
    "Output format. One of: (json, yaml, kyaml, name, go-template, go-template-file, template, templatefile, jsonpath, jsonpath-as-json, jsonpath-file).",
    { short: "o" },
  ),
  stringFlag("template", "Template string or path to template file to use when -o=go-template, -o=go-template-file."),
  boolFlag("allow-missing-template-keys", "Ignore errors in templates when a field or map key is missing.", {
    default: true,
  }),
  boolFlag("show-managed-fields", "Keep the managedFields when printing objects in JSON or YAML format."),
];

const templateFormats = ["go-template", "go-template-file", "template", "templatefile"];
const pathFormats = ["jsonpath", "jsonpath-as-json", "jsonpath-file"];
const objectFormats = ["json", "yaml", "kyaml"];
const commonFormats = [...objectFormats, "name", ...templateFormats, ...pathFormats];

export interface PrinterOptions {
  readonly flags: FlagValues;
  readonly files: Files;
  /** The operation: `created`, followed by `(dry run)` if it is one. Printed by the default format and left out by `-o name`. */
  readonly operation: string;
  /** Reports whether `wide` and custom columns are allowed as well. */
  readonly isGet?: boolean;
  /** Reports whether the objects have known types, whose fields have a declared order in JSON. */
  readonly isTyped?: boolean;
}

/** Throws if the format is unknown or its template is invalid. */
export function printerOf(options: PrinterOptions): Printer {
  const { flags, operation, isGet = false } = options;
  const formatText = flags.text("output");
  const [head = ""] = formatText.split("=");
  const format = formatText === "" && flags.text("template") ? "go-template" : head;
  if (pathFormats.includes(format)) return pathPrinter(format, argumentOf(options, formatText), options);
  if (templateFormats.includes(format)) return templatePrinter(format, argumentOf(options, formatText), options);
  const lower = formatText.toLowerCase();
  if (objectFormats.includes(lower)) return objectPrinter(lower, options);
  if (isGet && (format === "custom-columns" || format === "custom-columns-file")) {
    const text = argumentOf(options, formatText);
    if (!text) throw new Error("custom-columns format specified but no custom columns given");
    const columns =
      format === "custom-columns"
        ? columnsFromText(text)
        : columnsFromFile(fileText(options, text, ` template ${text}`));
    return customColumnsPrinter(columns, !flags.bool("no-headers"));
  }
  if (lower === "name") return (object) => eachItem(object, (item) => `${nameText(item)}\n`);
  if (formatText === "")
    return (object) => eachItem(object, (item) => `${nameText(item)}${operation ? ` ${operation}` : ""}\n`);
  const allowed = [...commonFormats, ...(isGet ? ["custom-columns", "custom-columns-file", "wide"] : [])].sort();
  throw new Error(
    `unable to match a printer suitable for the output format ${JSON.stringify(formatText)}, allowed formats are: ${allowed.join(",")}`,
  );
}

/** Reports whether the output is a table. */
export function isForPeople(flags: FlagValues): boolean {
  const format = flags.text("output");
  return (format === "" && !flags.text("template")) || format === "wide";
}

function argumentOf({ flags }: PrinterOptions, formatText: string): string {
  const template = flags.text("template");
  const equals = formatText.indexOf("=");
  return template || (equals < 0 ? "" : formatText.slice(equals + 1));
}

function fileText({ files }: PrinterOptions, path: string, what: string): string {
  const text = files.read(absolute(path, files.folder));
  if (text === undefined) throw new Error(`error reading${what}, open ${path}: no such file or directory`);
  return text;
}

function pathPrinter(format: string, argument: string, options: PrinterOptions): Printer {
  if (!argument) throw new Error("template format specified but no template given");
  const text = format === "jsonpath-file" ? fileText(options, argument, ` --template ${argument}`) : argument;
  const template = attempt(`error parsing jsonpath ${text}`, () =>
    newTemplate(text, { allowsMissing: options.flags.bool("allow-missing-template-keys") }),
  );
  return (object) => {
    try {
      return format === "jsonpath-as-json" ? template.json(object) : template.text(object);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      throw new Error(
        `error executing jsonpath ${JSON.stringify(text)}: Error executing template: ${cause}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t${text}\n\tobject given to jsonpath engine was:\n\t\t${goSyntax(object)}\n\n\n`,
      );
    }
  };
}

function templatePrinter(format: string, argument: string, options: PrinterOptions): Printer {
  if (!argument) throw new Error("template format specified but no template given");
  const isFile = format === "templatefile" || format === "go-template-file";
  const text = isFile ? fileText(options, argument, ` --template ${argument}`) : argument;
  const template = attempt(`error parsing template ${text}`, () => {
    try {
      return newGoTemplate(text);
    } catch (error) {
      throw new Error(`template: output:1: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  return (object) => template.run(object);
}

function attempt<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(`${what}, ${error instanceof Error ? error.message : String(error)}`);
  }
}

function objectPrinter(format: string, { flags, isTyped = false }: PrinterOptions): Printer {
  let count = 0;
  return (object) => {
    const printed = flags.bool("show-managed-fields") ? object : withoutManagedFields(object);
    if (format === "json") return isTyped ? `${indented(declaredOrder(printed))}\n` : goJson(printed);
    count += 1;
    const text = format === "kyaml" ? `---\n${goYaml(printed)}` : goYaml(printed);
    return count > 1 && format === "yaml" ? `---\n${text}` : text;
  };
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  if (Array.isArray(object.items)) {
    return {
      ...object,
      items: object.items.map((item: unknown) => (isObject(item) ? withoutManagedFields(item) : item)),
    };
  }
  if (!isObject(object.metadata) || !Object.hasOwn(object.metadata, "managedFields")) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function eachItem(object: JsonObject, text: (item: JsonObject) => string): string {
  return Array.isArray(object.items) ? object.items.filter(isObject).map(text).join("") : text(object);
}
