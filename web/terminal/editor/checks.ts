// Validates manifests before they are sent: YAML errors, and fields that are not in the cluster's schema.
import { isMap, isScalar, isSeq, parseAllDocuments, type Document, type ParsedNode } from "yaml";
import { fieldsOf, isOpen, type Place, placeAt, type Schemas, valuesOf } from "../shell/schema.ts";
import { texts as all } from "../../messages/terminal.ts";

const texts = all.checks;

export interface Finding {
  /** Positions in the text. */
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** The limit of the checked text in characters. A longer text is not checked. */
const maxText = 512 * 1024;
/** The limit of reported findings. */
const maxFindings = 50;

export async function findingsIn(text: string, schemas: Schemas): Promise<Finding[]> {
  if (text.length > maxText) return [];
  const findings: Finding[] = [];
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  if (!Array.isArray(documents)) return [];
  for (const document of documents) {
    for (const { pos, message } of document.errors)
      findings.push({ from: pos[0], to: pos[1], message: message.split("\n")[0] ?? "" });
    if (document.errors.length === 0) findings.push(...(await findingsInDocument(document, schemas)));
  }
  return findings.slice(0, maxFindings);
}

async function findingsInDocument(document: Document.Parsed, schemas: Schemas): Promise<Finding[]> {
  const { contents } = document;
  if (!isMap(contents)) return [];
  const [apiVersion, kind] = [textAt(contents.get("apiVersion")), textAt(contents.get("kind"))];
  const [from, to] = contents.range;
  const start = { from, to: Math.min(to, from + 1) };
  if (apiVersion === "" || kind === "")
    return contents.items.length === 0 ? [] : [{ ...start, message: texts.missingApiVersionOrKind }];
  const root = await schemas.kind(apiVersion, kind);
  if (!root) return [{ ...start, message: texts.kindNotServed(kind, apiVersion) }];
  const findings: Finding[] = [];
  const place = placeAt(root, []);
  if (place) check(contents, place, "", findings);
  return findings;
}

function textAt(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function check(node: ParsedNode | null, place: Place, path: string, findings: Finding[]): void {
  if (!node || findings.length >= maxFindings) return;
  const { type } = place.schema;
  const [from, to] = node.range;
  const allowsAnyType =
    typeof type !== "string" ||
    place.schema["x-kubernetes-int-or-string"] === true ||
    place.schema.format === "int-or-string";
  if (isMap(node)) {
    if (!allowsAnyType && type !== "object") findings.push({ from, to, message: texts.mustNotBeMap(path, type) });
    else checkFields(node, place, path, findings);
  } else if (isSeq(node)) {
    if (!allowsAnyType && type !== "array") findings.push({ from, to, message: texts.mustNotBeList(path, type) });
    const inner = placeAt(place, [{ item: true }]);
    if (inner) for (const [at, item] of node.items.entries()) check(item, inner, `${path}[${at}]`, findings);
  } else if (isScalar(node)) {
    const { value } = node;
    if (value === null || allowsAnyType) return;
    const actual = typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
    const hasSchemaType =
      actual === type || (type === "number" && actual === "integer") || (type === "string" && value instanceof Date);
    if (!hasSchemaType) findings.push({ from, to, message: texts.wrongScalarType(path, type, actual) });
    const allowed = valuesOf(place);
    if (type === "string" && allowed.length > 0 && typeof value === "string" && !allowed.includes(value))
      findings.push({ from, to, message: texts.mustBeOneOf(path, allowed.join(", ")) });
  }
}

function checkFields(
  node: ParsedNode & { items: readonly unknown[] },
  place: Place,
  path: string,
  findings: Finding[],
): void {
  if (!isMap(node)) return;
  const fields = new Map(fieldsOf(place).map((field) => [field.name, field]));
  const seenKeys = new Set<string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : "";
    seenKeys.add(name);
    const inner = placeAt(place, [name]);
    const fieldPath = path === "" ? name : `${path}.${name}`;
    if (inner) check(value, inner, fieldPath, findings);
    else if (!isOpen(place) && isScalar(key) && key.range)
      findings.push({ from: key.range[0], to: key.range[1], message: texts.unknownField(fieldPath) });
  }
  for (const { name, isRequired } of fields.values()) {
    if (!isRequired || seenKeys.has(name)) continue;
    const [from] = node.range;
    findings.push({ from, to: from + 1, message: texts.missingRequiredField(path === "" ? name : `${path}.${name}`) });
  }
}
