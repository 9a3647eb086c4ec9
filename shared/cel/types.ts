// The types of expressions, and their texts.
export type TypeKind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "param"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "uint";

export interface CelType {
  readonly kind: TypeKind;
  readonly name: string;
  readonly params: readonly CelType[];
  /** Returns the type of a field of a struct. A struct without this method is only known by its name. */
  field?(name: string): CelType | undefined;
}

function simple(kind: TypeKind, name: string = kind): CelType {
  return { kind, name, params: [] };
}

export const anyType = simple("any", "google.protobuf.Any");
export const boolType = simple("bool");
export const bytesType = simple("bytes");
export const doubleType = simple("double");
export const durationType = simple("duration", "google.protobuf.Duration");
export const dynType = simple("dyn");
export const errorType = simple("error");
export const intType = simple("int");
export const nullType = simple("null", "null_type");
export const stringType = simple("string");
export const timestampType = simple("timestamp", "google.protobuf.Timestamp");
export const uintType = simple("uint");

export function listType(element: CelType): CelType {
  return { kind: "list", name: "list", params: [element] };
}

export function mapType(key: CelType, value: CelType): CelType {
  return { kind: "map", name: "map", params: [key, value] };
}

export function typeType(param?: CelType): CelType {
  return { kind: "type", name: "type", params: param ? [param] : [] };
}

export function paramType(name: string): CelType {
  return { kind: "param", name, params: [] };
}

export function opaqueType(name: string, ...params: CelType[]): CelType {
  return { kind: "opaque", name, params };
}

export function optionalType(param: CelType): CelType {
  return opaqueType("optional_type", param);
}

export function structType(name: string, field?: (name: string) => CelType | undefined): CelType {
  return { kind: "struct", name, params: [], ...(field ? { field } : {}) };
}

export function isDyn({ kind }: CelType): boolean {
  return kind === "dyn" || kind === "any";
}

export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === "error";
}

export function isOptional({ kind, name }: CelType): boolean {
  return kind === "opaque" && name === "optional_type";
}

/** Returns the type inside an optional, and whether the type was an optional. */
export function unwrapOptional(type: CelType): { readonly type: CelType; readonly wasOptional: boolean } {
  const [inner] = type.params;
  return inner && isOptional(type) ? { type: inner, wasOptional: true } : { type, wasOptional: false };
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => {
    const otherParam = b.params[index];
    return otherParam !== undefined && sameType(param, otherParam);
  });
}

/** Formats a type as error messages do: `list(string)`. */
export function typeText(type: CelType): string {
  switch (type.kind) {
    case "any":
    case "duration":
    case "null":
    case "timestamp":
      return type.kind;
    case "error":
      return "!error!";
    default:
      return type.params.length ? `${type.name}(${type.params.map(typeText).join(", ")})` : type.name;
  }
}

/** Formats the result type of an expression as the API server does: with full names. */
export function declaredText(type: CelType): string {
  return type.params.length ? `${type.name}(${type.params.map(declaredText).join(", ")})` : type.name;
}

/** Formats the argument types of a call as error messages do: `string.(int, int)`. */
export function appliedText(args: readonly CelType[], isMember: boolean): string {
  const [target, ...rest] = args;
  if (!isMember || !target) return `(${args.map(typeText).join(", ")})`;
  return `${typeText(target)}.(${rest.map(typeText).join(", ")})`;
}
