// Validates the requested and the accepted names of a definition.
import type { CustomResourceDefinitionNames } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { type FieldError, type FieldPath, invalid } from "../../../../shared/k8s/field.ts";
import { dns1035Label } from "../../../../shared/k8s/names.ts";

export function validateNames(names: CustomResourceDefinitionNames, at: FieldPath): FieldError[] {
  const { plural, singular = "", kind, listKind = "", shortNames = [], categories = [] } = names;
  const mixed = "may have mixed case, but should otherwise match: ";
  const label = (text: string, where: FieldPath, prefix = "") => {
    const wrong = dns1035Label(prefix ? text.toLowerCase() : text);
    return wrong.length === 0 ? [] : [invalid(where, text, prefix + wrong.join(","))];
  };
  const labelIfSet = (text: string, where: FieldPath, prefix = "") => (text === "" ? [] : label(text, where, prefix));
  const same = kind !== "" && kind === listKind;
  return [
    ...labelIfSet(plural, at.child("plural")),
    ...labelIfSet(singular, at.child("singular")),
    ...labelIfSet(kind, at.child("kind"), mixed),
    ...labelIfSet(listKind, at.child("listKind"), mixed),
    ...shortNames.flatMap((shortName, index) => label(shortName, at.child("shortNames").index(index))),
    ...(same ? [invalid(at.child("listKind"), listKind, "kind and listKind may not be the same")] : []),
    ...categories.flatMap((category, index) => label(category, at.child("categories").index(index))),
  ];
}
