// The description of kinds without a describer: every field below its label.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { nameOf, namespaceOf, stringsAt } from "../object.ts";
import { goValue } from "../print/go-value.ts";
import { type Describer, describeEvents } from "./describer.ts";
import type { Description } from "./writer.ts";

const skipped = [
  ".metadata.managedFields",
  ".metadata.name",
  ".metadata.namespace",
  ".metadata.labels",
  ".metadata.annotations",
];
const acronyms = ["API", "URL", "UID", "GUID"];

export const describeGeneric: Describer = async (object, into, asking) => {
  into.line(0, `Name:\t${nameOf(object)}`);
  into.line(0, `Namespace:\t${namespaceOf(object)}`);
  into.labels("Labels", stringsAt(object, "metadata", "labels"));
  into.annotations("Annotations", stringsAt(object, "metadata", "annotations"));
  content(object, 0, "", into);
  await describeEvents(object, into, asking);
};

function content(object: JsonObject, level: number, path: string, into: Description): void {
  for (const field of Object.keys(object).sort()) {
    const value = object[field];
    const here = `${path}.${field}`;
    if (skipped.includes(here)) continue;
    const label = labelOf(field);
    if (isObject(value)) {
      into.line(level, `${label}:`);
      content(value, level + 1, here, into);
    } else if (Array.isArray(value)) {
      into.line(level, `${label}:`);
      for (const item of value) {
        if (isObject(item)) content(item, level + 1, here, into);
        else into.line(level + 1, goValue(item));
      }
    } else into.line(level, `${label}:\t${goValue(value)}`);
  }
}

/** Formats a field name as a label: `lastTransitionTime` becomes `Last Transition Time`, `podCIDR` becomes `Pod CIDR`. */
function labelOf(field: string): string {
  if (/[^\p{L}-]/u.test(field)) return field;
  const words = field.split(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{Ll})(?=\p{Lu})|(?<=-)(?=[^-])|(?<=[^-])(?=-)/u);
  return words
    .map((word) => {
      if (acronyms.includes(word.toUpperCase())) return word.toUpperCase();
      return word === word.toLowerCase() ? word.charAt(0).toUpperCase() + word.slice(1) : word;
    })
    .join(" ");
}
