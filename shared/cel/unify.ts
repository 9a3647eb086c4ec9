// Whether a value of one type may stand where another is wanted, and what that says of type parameters.
import {
  type CelType,
  dynType,
  isDyn,
  isDynOrError,
  listType,
  mapType,
  opaqueType,
  sameType,
  typeType,
} from "./types.ts";

/** What is known of type parameters, by name. */
export type Bound = ReadonlyMap<string, CelType>;

/** Bindings that grow while an expression is checked. An expression has as many as it has calls, so they are never copied. */
export class Bindings extends Map<string, CelType> {
  #changes: (readonly [name: string, before: CelType | undefined])[] = [];

  override set(name: string, type: CelType): this {
    this.#changes.push([name, this.get(name)]);
    return super.set(name, type);
  }

  /** Binds parameters so that every type may stand where its counterpart is wanted. Returns false, and changes nothing, if none do. */
  assign(given: readonly CelType[], wanted: readonly CelType[]): boolean {
    this.#changes = [];
    const isAssigned = allAssignable(this, given, wanted);
    if (!isAssigned) {
      for (const [name, before] of this.#changes.reverse()) {
        if (before) super.set(name, before);
        else this.delete(name);
      }
    }
    this.#changes = [];
    return isAssigned;
  }
}

/** Replaces bound parameters; unbound ones become dyn, if that is asked for. */
export function substitute(bound: Bound, type: CelType, freeIsDyn: boolean): CelType {
  if (type.kind === "param") {
    const known = bound.get(type.name);
    if (known) return substitute(bound, known, freeIsDyn);
    return freeIsDyn ? dynType : type;
  }
  const [first, second] = type.params;
  if (!first) return type;
  const inner = substitute(bound, first, freeIsDyn);
  switch (type.kind) {
    case "list":
      return listType(inner);
    case "map":
      return mapType(inner, substitute(bound, second ?? dynType, freeIsDyn));
    case "type":
      return typeType(inner);
    default:
      return opaqueType(type.name, ...type.params.map((param) => substitute(bound, param, freeIsDyn)));
  }
}

/** The wider of two types that go together. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrWider(a, b) ? a : b;
}

type Next = Map<string, CelType>;

function allAssignable(next: Next, given: readonly CelType[], wanted: readonly CelType[]): boolean {
  if (given.length !== wanted.length) return false;
  return given.every((type, index) => {
    const other = wanted[index];
    return other !== undefined && isAssignable(next, type, other);
  });
}

function isAssignable(next: Next, given: CelType, wanted: CelType): boolean {
  if (wanted.kind === "param") {
    const { isValid, wasBound } = bind(next, given, wanted);
    if (isValid) return true;
    if (wasBound) return false;
  }
  if (given.kind === "param") return bind(next, wanted, given).isValid;
  if (isDynOrError(given) || isDynOrError(wanted)) return true;
  if (given.kind === "null") return isNullable(wanted);
  if (wanted.kind === "null") return isNullable(given);
  switch (given.kind) {
    case "type":
      return wanted.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return (
        given.kind === wanted.kind && given.name === wanted.name && allAssignable(next, given.params, wanted.params)
      );
    default:
      return given.kind === wanted.kind && given.name === wanted.name;
  }
}

function isNullable({ kind }: CelType): boolean {
  return ["null", "opaque", "struct", "duration", "timestamp"].includes(kind);
}

/** Whether a parameter may be this type, given what is known of it. */
function bind(next: Next, type: CelType, param: CelType): { isValid: boolean; wasBound: boolean } {
  if (sameType(type, param)) return { isValid: true, wasBound: true };
  const known = next.get(param.name);
  if (known) {
    if (sameType(type, known)) return { isValid: true, wasBound: true };
    if (!isAssignable(next, type, known)) return { isValid: false, wasBound: true };
    const wider = mostGeneral(type, known);
    if (isFreeOf(next, param, wider)) next.set(param.name, wider);
    return { isValid: true, wasBound: true };
  }
  if (!isFreeOf(next, param, type)) return { isValid: false, wasBound: false };
  next.set(param.name, type);
  return { isValid: true, wasBound: false };
}

/** A parameter cannot be a type that it is part of. */
function isFreeOf(next: Next, param: CelType, type: CelType): boolean {
  if (sameType(param, type)) return false;
  if (type.kind === "param") {
    const known = next.get(type.name);
    return !known || isFreeOf(next, param, known);
  }
  return type.params.every((one) => isFreeOf(next, param, one));
}

function isEqualOrWider(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param") return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.kind !== "opaque" && a.kind !== "list" && a.kind !== "map") return sameType(a, b);
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => {
    const other = b.params[index];
    return other !== undefined && isEqualOrWider(param, other);
  });
}
