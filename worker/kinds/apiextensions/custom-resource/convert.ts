// From one version of a custom resource to another. Without a webhook only the version's name changes.
import type { CustomResourceConversion } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import type { Conversions } from "./conversions.ts";

/** All of them in another version. */
export type Convert = (objects: readonly KubeObject[], apiVersion: string) => readonly KubeObject[];

/** `conversion` is what the definition says of it. */
export function converter(conversion: () => CustomResourceConversion | undefined, conversions: Conversions): Convert {
  return (objects, apiVersion) => {
    const others = objects.filter((object) => object.apiVersion !== apiVersion);
    if (others.length === 0) return objects;
    const how = conversion();
    if (how?.strategy !== "Webhook") return objects.map((object) => ({ ...object, apiVersion }));
    const converted = conversions.convert(others, how, apiVersion);
    const by = new Map(others.map((object, index) => [object, converted[index]]));
    return objects.map((object) => by.get(object) ?? object);
  };
}
