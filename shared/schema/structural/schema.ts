// The schema of a custom resource as an `ObjectSchema`: decoding, ownership and type errors follow from it.
import type { JSONSchemaProps } from "../../k8s/api/apiextensions-v1.ts";
import type { WorkMeter } from "../../k8s/bounds/work.ts";
import type { Shape } from "../apply/shape.ts";
import type { ObjectSchema } from "../object-schema.ts";
import { decodeCustom } from "./decode.ts";
import { type SchemaNode, schemaNode } from "./node.ts";
import { rootShape } from "./shape.ts";
import { customComplaint } from "./typed.ts";

export interface StructuralSchema extends ObjectSchema {
  readonly node: SchemaNode;
}

/** Returns the schema. Without `props` only metadata is known. Decoding charges the meter. */
export function structuralSchema(meter: WorkMeter, props: JSONSchemaProps = {}): StructuralSchema {
  const node = schemaNode(props);
  let shape: Shape | undefined;
  const shapeOnce = () => (shape ??= rootShape(node));
  return {
    node,
    decode: (value) => decodeCustom(node, value, meter),
    decodeMerged: (value) => decodeCustom(node, value, meter, { keepsNulls: true }),
    empty: (apiVersion, kind) => ({ apiVersion, kind, metadata: {} }),
    get shape() {
      return shapeOnce();
    },
    complaint: (config) => customComplaint(node, shapeOnce(), config),
  };
}
