// Converts custom resources between versions. Without a webhook, only apiVersion changes.
import type { CustomResourceConversion } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import type { Conversions } from "./conversions.ts";

/** Converts all objects to another version. */
export type Convert = (objects: readonly KubeObject[], apiVersion: string) => readonly KubeObject[];

/** Returns the converter of a definition. `conversion` returns the definition's conversion. */
export function converter(
  name: string,
  conversion: () => CustomResourceConversion | undefined,
  conversions: Conversions,
): Convert {
  return (objects, apiVersion) => {
    const remaining = objects.filter((object) => object.apiVersion !== apiVersion);
    if (remaining.length === 0) return objects;
    const how = conversion();
    if (how?.strategy !== "Webhook") return objects.map((object) => ({ ...object, apiVersion }));
    const converted = conversions.convert(remaining, { name, conversion: how }, apiVersion);
    const by = new Map(remaining.map((object, index) => [object, converted[index]]));
    return objects.map((object) => by.get(object) ?? object);
  };
}
