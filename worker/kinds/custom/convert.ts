// From one version of a custom resource to another. Without a webhook only the version's name changes.
import type { KubeObject } from "../../../shared/k8s/meta.ts";

export function convert(object: KubeObject, apiVersion: string): KubeObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}
