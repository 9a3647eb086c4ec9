// Removes the fields that every write changes from an object, so that two states can be compared.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { withoutManagedFields } from "../../live/yaml.ts";

export function comparable(object: JsonObject): object {
  const { metadata, ...rest } = withoutManagedFields(object) as { metadata?: JsonObject };
  const { resourceVersion: _, generation: __, ...comparedMetadata } = metadata ?? {};
  const { apiVersion, kind, ...comparedFields } = rest as JsonObject;
  return { apiVersion, kind, metadata: comparedMetadata, ...comparedFields };
}
