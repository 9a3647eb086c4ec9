// Random objects of any built-in type, for property tests: every form, in canonical and other spellings.
import type { Random } from "../../shared/base/random.ts";
import { type Field, type Form, type TypeNode, jsonSchemaProps, typeOf } from "../../shared/schema/graph.ts";

/**
 * An object of a type; `density` is the chance of each field to be there. apiVersion and kind, which protobuf has only
 * on its envelope, are left out.
 */
export function generateObject(type: string, random: Random, density = 0.5, depth = 0): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  const node = typeOf(type);
  for (const field of node?.fields ?? []) {
    if (node && !hasNumber(node, field)) continue;
    if (random.next() > density / (depth + 1)) continue;
    object[field.json] = random.next() < 0.05 ? null : generateField(field, random, density, depth);
  }
  return object;
}

function hasNumber(node: TypeNode, field: Field): boolean {
  return node.members.some((member) => ("nested" in member ? hasNumber(member.nested, field) : member.field === field));
}

function generateField(field: Field, random: Random, density: number, depth: number): unknown {
  const generateItem = () => generateValue(field, random, density, depth);
  const count = Math.floor(random.next() * 3);
  if (field.shape === "list") return Array.from({ length: count }, generateItem);
  if (field.shape === "map")
    return Object.fromEntries(Array.from({ length: count }, () => [random.suffix(3), generateItem()]));
  return generateItem();
}

function generateValue(field: Pick<Field, "form" | "type">, random: Random, density: number, depth: number): unknown {
  const { form, type } = field;
  if (form === "struct") return generateObject(type, random, density, depth + 1);
  if (form.startsWith("schemaOr")) {
    const schema = generateObject(jsonSchemaProps, random, density, depth + 2);
    if (random.next() < 0.5) return schema;
    return form === "schemaOrBool" ? random.next() < 0.5 : form === "schemaOrArray" ? [schema] : ["a", ""];
  }
  const choices = samples[form] ?? ["", "text", "ünï"];
  return choices[Math.floor(random.next() * choices.length)];
}

const samples: Partial<Record<Form, readonly unknown[]>> = {
  bool: [true, false],
  int32: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)],
  int64: [0, 1, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  uint8: [0, 255],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 50],
  float32: [0, 1.5, -2],
  float64: [0, 1.1, -1e300],
  bytes: ["", "YQ==", "YWI=", "YWJj", "////"],
  quantity: ["1", "1000m", "1Gi", "1024Ki", "1.5", "0", 2],
  time: ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5+01:00", "1970-01-01T00:00:00Z"],
  microtime: ["2026-01-02T03:04:05.000000Z", "2026-01-02T03:04:05.123456-02:30"],
  duration: ["0s", "90s", "1h", "1.5ms"],
  intOrString: [0, 80, -1, "http", "", "25%"],
  raw: [{ kind: "Any", nested: [1, null, { a: "b" }] }, {}],
  fieldsV1: [{ "f:metadata": { "f:name": {} } }],
  json: [{ a: 1 }, [1, "x"], "text", 1.5, true],
  strings: [[], ["a", "b"], [""]],
};
