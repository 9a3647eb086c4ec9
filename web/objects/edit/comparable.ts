// An object without what every write changes, so that two states of it can be compared.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { readable } from "../../live/yaml.ts";

export function comparable(object: JsonObject): object {
  const { metadata, ...rest } = readable(object) as { metadata?: JsonObject };
  const { resourceVersion: _, generation: __, ...shown } = metadata ?? {};
  const { apiVersion, kind, ...others } = rest as JsonObject;
  return { apiVersion, kind, metadata: shown, ...others };
}
