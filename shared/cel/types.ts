// The types of expressions, and how they are told.
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
  /** The type of a field of a struct; a struct without it is only known by its name. */
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

/** The type in an optional, and whether it was one. */
export function unwrapOptional(type: CelType): { readonly type: CelType; readonly wasOptional: boolean } {
  const [inner] = type.params;
  return inner && isOptional(type) ? { type: inner, wasOptional: true } : { type, wasOptional: false };
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => {
    const other = b.params[index];
    return other !== undefined && sameType(param, other);
  });
}

/** As error messages tell a type: `list(string)`. */
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

/** As the API server tells what an expression comes to: by the full names of types. */
export function declaredText(type: CelType): string {
  return type.params.length ? `${type.name}(${type.params.map(declaredText).join(", ")})` : type.name;
}

/** As error messages tell the types that a function was applied to: `string.(int, int)`. */
export function appliedText(args: readonly CelType[], isMember: boolean): string {
  const [target, ...rest] = args;
  if (!isMember || !target) return `(${args.map(typeText).join(", ")})`;
  return `${typeText(target)}.(${rest.map(typeText).join(", ")})`;
}
