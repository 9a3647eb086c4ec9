// Type errors of an applied configuration against a custom resource's schema, in upstream's words.
import { inside } from "../apply/compare.ts";
import type { Shape } from "../apply/shape.ts";
import { checkItems, checkScalar, checkType, complaintOf, valueText } from "../apply/typed.ts";
import { isObject } from "../json-values.ts";
import { type SchemaNode, rootNode } from "./node.ts";

const scalars = { string: "string", integer: "numeric", number: "numeric", boolean: "boolean" } as const;

export function customComplaint(node: SchemaNode, shape: Shape, config: unknown): string | undefined {
  const errors: string[] = [];
  checkObject(rootNode(node), shape, config, "", errors);
  return complaintOf(errors);
}

function checkObject(node: SchemaNode, shape: Shape, value: unknown, at: string, errors: string[]): void {
  if (!isObject(value)) {
    errors.push(`${at}: expected map, got ${valueText(value)}`);
    return;
  }
  const additional = node.additional();
  for (const [name, item] of Object.entries(value)) {
    const field = node.property(name) ?? (typeof additional === "object" ? additional : undefined);
    if (node.isEmbedded && name === "metadata") {
      checkType("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", item, `${at}.metadata`, errors);
    } else if (field) {
      check(field, inside(shape, name), item, `${at}.${name}`, errors);
    } else if (!isKnown(node, name)) {
      errors.push(`${at}.${name}: field not declared in schema`);
      return;
    }
  }
}

function isKnown(node: SchemaNode, name: string): boolean {
  const isType = node.isEmbedded && (name === "apiVersion" || name === "kind");
  return isType || node.keepsUnknown || node.additional() === true;
}

function check(node: SchemaNode, shape: Shape, value: unknown, at: string, errors: string[]): void {
  if (value === null) return;
  const { type } = node;
  if (node.isIntOrString) checkScalar("any", value, at, errors);
  else if (type === "object") checkObject(node, shape, value, at, errors);
  else if (type === "array") {
    const items = node.items();
    checkItems(shape, value, at, errors, (item, below, where) => {
      if (items) check(items, below, item, where, errors);
    });
  } else if (type in scalars) {
    // The type is a key of `scalars`.
    checkScalar(scalars[type as keyof typeof scalars], value, at, errors);
  }
}
