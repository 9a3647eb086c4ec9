// What nodes must be, and what an update may change of them.
import type { Node, Taint } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  invalid,
  path,
  required,
} from "../../../shared/k8s/field.ts";
import { labelValue, qualifiedName } from "../../../shared/k8s/names.ts";
import { validateCidr } from "../network/validate-ip.ts";
import { each } from "../pods/checks.ts";
import { validateResourceQuantity } from "../pods/validate-resources.ts";
import { validateTaintEffect } from "../pods/validate-scheduling.ts";

export function validateNode({ spec, status }: Node): FieldError[] {
  const errors = validateTaints(spec.taints ?? [], path("metadata", "taints"));
  for (const field of ["capacity", "allocatable"] as const) {
    for (const [name, quantity] of Object.entries(status[field] ?? {})) {
      errors.push(...validateResourceQuantity(name, quantity, path("status", field, name)));
    }
  }
  const cidrs = spec.podCIDRs ?? [];
  const at = path("spec", "podCIDRs");
  errors.push(...cidrs.flatMap((cidr, index) => validateCidr(cidr, at.index(index))));
  const families = new Set(cidrs.map((cidr) => cidr.includes(":")));
  if (cidrs.length > families.size) {
    errors.push(invalid(at, cidrs, "may specify no more than one CIDR for each IP family"));
  }
  return errors;
}

export function validateNodeUpdate({ spec, status }: Node, previous: Node): FieldError[] {
  const addresses = status.addresses ?? [];
  const errors = addresses.flatMap((address, index) => {
    const isRepeated = addresses.slice(0, index).some((one) => semanticEqual(one, address));
    return isRepeated ? [duplicate(path("status", "addresses").index(index), address)] : [];
  });
  const [cidrs, old] = [spec.podCIDRs ?? [], previous.spec.podCIDRs ?? []];
  if (old.length > 0 && !semanticEqual(cidrs, old)) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    errors.push(forbidden(path("spec", "podCIDRs"), detail));
  }
  if (previous.spec.providerID && previous.spec.providerID !== spec.providerID) {
    const detail = 'node updates may not change providerID except from "" to valid';
    errors.push(forbidden(path("spec", "providerID"), detail));
  }
  if ((spec.externalID ?? "") !== (previous.spec.externalID ?? "")) {
    errors.push(forbidden(path("spec", "externalID"), "may not be updated"));
  }
  return errors;
}

/** Upstream names taints under the metadata. */
function validateTaints(taints: readonly Taint[], path: FieldPath): FieldError[] {
  return taints.flatMap((taint, index) => {
    const at = path.index(index);
    const { key, value = "", effect } = taint;
    const errors = each(qualifiedName(key), at.child("key"), key);
    const wrong = labelValue(value);
    if (wrong.length) errors.push(invalid(at.child("value"), value, wrong.join(";")));
    const effectAt = at.child("effect");
    errors.push(...(effect ? validateTaintEffect(effect, effectAt) : [required(effectAt)]));
    const isRepeated = taints.slice(0, index).some((one) => one.key === key && one.effect === effect);
    if (isRepeated) errors.push(repeatedTaint(at, taint));
    return errors;
  });
}

function repeatedTaint(at: FieldPath, taint: Taint): FieldError {
  const error = duplicate(at, taint);
  return { ...error, message: `${error.message}: taints must be unique by key and effect pair` };
}
