// Decides whether a type is assignable to another, and binds type parameters.
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

/** Bindings of type parameters, by name. */
export type Bound = ReadonlyMap<string, CelType>;

/** Bindings that grow while an expression is checked. An expression has as many as it has calls, so they are never copied. */
export class Bindings extends Map<string, CelType> {
  #changes: (readonly [name: string, before: CelType | undefined])[] = [];

  override set(name: string, type: CelType): this {
    this.#changes.push([name, this.get(name)]);
    return super.set(name, type);
  }

  /** Binds parameters so that every type is assignable to its counterpart. Returns false, and changes nothing, if that is impossible. */
  assign(types: readonly CelType[], targets: readonly CelType[]): boolean {
    this.#changes = [];
    const isAssigned = allAssignable(this, types, targets);
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

/** Replaces bound parameters. Unbound parameters become dyn if `freeIsDyn` is set. */
export function substitute(bound: Bound, type: CelType, freeIsDyn: boolean): CelType {
  if (type.kind === "param") {
    const boundType = bound.get(type.name);
    if (boundType) return substitute(bound, boundType, freeIsDyn);
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

/** Returns the wider of two compatible types. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrWider(a, b) ? a : b;
}

type Next = Map<string, CelType>;

function allAssignable(next: Next, types: readonly CelType[], targets: readonly CelType[]): boolean {
  if (types.length !== targets.length) return false;
  return types.every((type, index) => {
    const target = targets[index];
    return target !== undefined && isAssignable(next, type, target);
  });
}

function isAssignable(next: Next, type: CelType, target: CelType): boolean {
  if (target.kind === "param") {
    const { isValid, wasBound } = bind(next, type, target);
    if (isValid) return true;
    if (wasBound) return false;
  }
  if (type.kind === "param") return bind(next, target, type).isValid;
  if (isDynOrError(type) || isDynOrError(target)) return true;
  if (type.kind === "null") return isNullable(target);
  if (target.kind === "null") return isNullable(type);
  switch (type.kind) {
    case "type":
      return target.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return type.kind === target.kind && type.name === target.name && allAssignable(next, type.params, target.params);
    default:
      return type.kind === target.kind && type.name === target.name;
  }
}

function isNullable({ kind }: CelType): boolean {
  return ["null", "opaque", "struct", "duration", "timestamp"].includes(kind);
}

/** Reports whether a parameter may be this type, and binds it. */
function bind(next: Next, type: CelType, param: CelType): { isValid: boolean; wasBound: boolean } {
  if (sameType(type, param)) return { isValid: true, wasBound: true };
  const boundType = next.get(param.name);
  if (boundType) {
    if (sameType(type, boundType)) return { isValid: true, wasBound: true };
    if (!isAssignable(next, type, boundType)) return { isValid: false, wasBound: true };
    const wider = mostGeneral(type, boundType);
    if (isFreeOf(next, param, wider)) next.set(param.name, wider);
    return { isValid: true, wasBound: true };
  }
  if (!isFreeOf(next, param, type)) return { isValid: false, wasBound: false };
  next.set(param.name, type);
  return { isValid: true, wasBound: false };
}

/** Reports whether a type does not contain the parameter: a parameter cannot be bound to a type that contains it. */
function isFreeOf(next: Next, param: CelType, type: CelType): boolean {
  if (sameType(param, type)) return false;
  if (type.kind === "param") {
    const boundType = next.get(type.name);
    return !boundType || isFreeOf(next, param, boundType);
  }
  return type.params.every((inner) => isFreeOf(next, param, inner));
}

function isEqualOrWider(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param") return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.kind !== "opaque" && a.kind !== "list" && a.kind !== "map") return sameType(a, b);
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => {
    const otherParam = b.params[index];
    return otherParam !== undefined && isEqualOrWider(param, otherParam);
  });
}
