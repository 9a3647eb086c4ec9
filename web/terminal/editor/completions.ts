// Completions in a manifest: the fields and values of the cluster's schema.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { type Field, fieldsOf, placeAt, type Schemas, valuesOf } from "../shell/schema.ts";
import { placeOf } from "./yaml-place.ts";

export function completionsOf(schemas: Schemas) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const [, lead = "", key, value] = /^((?: |- )*)(?:([\w./-]+):[ ]+)?([\w./-]*)$/.exec(before) ?? [];
    if (value === undefined || (value === "" && !context.explicit && key === undefined && before.trim() !== ""))
      return null;
    const place = placeOf(context.state.doc.toString(), line.number - 1, lead.length);
    const root = await schemas.kind(place.apiVersion, place.kind);
    const schemaPlace = root && placeAt(root, key === undefined ? place.path : [...place.path, key]);
    if (!schemaPlace || context.aborted) return null;
    const options =
      key === undefined
        ? fieldsOf(schemaPlace)
            .filter(({ name }) => !place.siblings.includes(name))
            .map((field) => optionOf(field, lead.length))
        : valuesOf(schemaPlace).map((label): Completion => ({ label, type: "enum" }));
    return options.length === 0 ? null : { from: context.pos - value.length, options, validFor: /^[\w./-]*$/ };
  };
}

function optionOf({ name, type, description, isRequired, holds }: Field, indent: number): Completion {
  const blanks = " ".repeat(indent);
  const suffix = holds === "value" ? ": " : holds === "object" ? `:\n${blanks}  ` : `:\n${blanks}- `;
  return {
    label: name,
    detail: type,
    info: description,
    apply: name + suffix,
    type: "property",
    boost: isRequired ? 1 : 0,
  };
}
