// The ownership of custom objects, field by field, which server-side apply derives from a structural schema.
import { type Key, leaf, type Shape, shapeOf, untyped } from "../apply/shape.ts";
import { isObject } from "../json-values.ts";
import type { SchemaNode } from "./node.ts";

const meta = shapeOf("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");

export function rootShape(node: SchemaNode): Shape {
  return structOf(node, true);
}

const shapes = new WeakMap<SchemaNode, Shape>();

function shapeOfNode(node: SchemaNode): Shape {
  const shape = shapes.get(node) ?? newShape(node);
  shapes.set(node, shape);
  return shape;
}

function newShape(node: SchemaNode): Shape {
  if (node.isIntOrString) return leaf;
  if (node.type === "array") return listOf(node);
  if (node.type !== "object") return node.type === "" && node.keepsUnknown ? untyped : leaf;
  if (node.mapType === "atomic") return leaf;
  return structOf(node, node.isEmbedded);
}

function structOf(node: SchemaNode, isResource: boolean): Shape {
  const additional = node.additional();
  const hasFields = Object.keys(node.props.properties ?? {}).length > 0 || isResource;
  if (!hasFields && typeof additional === "object") return { form: "map", values: shapeOfNode(additional) };
  if (!hasFields && (node.keepsUnknown || additional === true)) return untyped;
  return {
    form: "struct",
    field: (name) => {
      if (isResource && name === "metadata") return meta;
      if (isResource && (name === "apiVersion" || name === "kind")) return leaf;
      const field = node.property(name);
      return field && shapeOfNode(field);
    },
    ...(node.keepsUnknown ? { rest: untyped } : {}),
  };
}

function listOf(node: SchemaNode): Shape {
  const items = node.items();
  if (node.listType === "set") return { form: "set" };
  const keys = node.props["x-kubernetes-list-map-keys"];
  if (node.listType !== "map" || !keys || !items) return leaf;
  return { form: "keyed", keys: [...keys].sort().map((name) => keyOf(items, name)), items: shapeOfNode(items) };
}

function keyOf(items: SchemaNode, name: string): Key {
  const fallback = items.property(name)?.props.default;
  return { name, absent: isObject(fallback) ? undefined : fallback };
}
