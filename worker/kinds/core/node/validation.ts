// Validates nodes and their updates.
import { parseCidr } from "../../../../shared/k8s/ip.ts";
import { utf8Length } from "../../../../shared/base/utf8.ts";
import type { Node, Taint } from "../../../../shared/k8s/api/core-v1.ts";
import {
  type FieldError,
  type FieldPath,
  duplicate,
  forbidden,
  internalError,
  invalid,
  path,
  required,
} from "../../../../shared/k8s/field.ts";
import { labelValue, qualifiedName } from "../../../../shared/k8s/names.ts";
import { internalForm } from "../../common/go-struct.ts";
import { validateCidrForLegacyField } from "../../common/ip-validation.ts";
import { each } from "../../common/checks.ts";
import { validateResourceQuantity } from "../pod/validation/resources.ts";
import { validateTaintEffect } from "../pod/validation/scheduling.ts";
import { repeatsOf } from "../../../../shared/k8s/repeats.ts";

const addressType = "io.k8s.api.core.v1.NodeAddress";

export function validateNode({ spec, status }: Node): FieldError[] {
  const cidrs = spec.podCIDRs ?? [];
  const at = path("spec", "podCIDRs");
  return [
    ...validateTaints(spec.taints ?? []),
    ...validateResources(status),
    ...validateDeclaredFeatures(status.declaredFeatures ?? []),
    ...cidrs.flatMap((cidr, index) => validateCidrForLegacyField(cidr, at.index(index))),
    ...(cidrs.length > 1 ? validateFamilies(cidrs, at) : []),
  ];
}

/** Upstream looks at much of a node again when it is updated. */
export function validateNodeUpdate({ spec, status }: Node, previous: Node): FieldError[] {
  const errors = [...validateResources(status), ...validateDeclaredFeatures(status.declaredFeatures ?? [])];
  const addresses = status.addresses ?? [];
  const repeatedAddresses = repeatsOf(addresses, ({ type, address }) => JSON.stringify([type, address]));
  for (const [index, address] of addresses.entries()) {
    if (!repeatedAddresses[index]) continue;
    errors.push(duplicate(path("status", "addresses").index(index), internalForm(addressType, address)));
  }
  const [cidrs, old] = [spec.podCIDRs ?? [], previous.spec.podCIDRs ?? []];
  const changed = cidrs.length === old.length ? old.filter((cidr, index) => cidr !== cidrs[index]) : old.slice(0, 1);
  for (const _ of changed) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    errors.push(forbidden(path("spec", "podCIDRs"), detail));
  }
  if (previous.spec.providerID && previous.spec.providerID !== spec.providerID) {
    const detail = 'node updates may not change providerID except from "" to valid';
    errors.push(forbidden(path("spec", "providerID"), detail));
  }
  errors.push(...validateTaints(spec.taints ?? []));
  if ((spec.externalID ?? "") !== (previous.spec.externalID ?? "")) {
    errors.push(forbidden(path("spec", "externalID"), "may not be updated"));
  }
  return errors;
}

function validateResources(status: Node["status"]): FieldError[] {
  return (["capacity", "allocatable"] as const).flatMap((field) =>
    Object.entries(status[field] ?? {}).flatMap(([name, quantity]) =>
      validateResourceQuantity(name, quantity, path("status", field, name)),
    ),
  );
}

function validateFamilies(cidrs: readonly string[], at: FieldPath): FieldError[] {
  const bad = cidrs.findIndex((cidr) => !parseCidr(cidr));
  const why = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad] ?? ""})`;
  const families = new Set(bad < 0 ? cidrs.map((cidr) => cidr.includes(":")) : []);
  return [
    ...(bad < 0 ? [] : [internalError(at, `invalid PodCIDRs. failed to check with dual stack with error:${why}`)]),
    ...(cidrs.length > families.size
      ? [invalid(at, cidrs, "may specify no more than one CIDR for each IP family")]
      : []),
  ];
}

function validateDeclaredFeatures(features: readonly string[]): FieldError[] {
  return features.flatMap((feature, index) => {
    const at = path("status", "declaredFeatures").index(index);
    const before = index > 0 ? features[index - 1] : undefined;
    const errors: FieldError[] = [];
    if (before === feature) errors.push(duplicate(at, feature));
    else if (before !== undefined && before > feature) {
      errors.push(invalid(at, feature, "list must be sorted alphabetically"));
    }
    return [...errors, ...each(featureProblems(feature), at, feature)];
  });
}

function featureProblems(feature: string): string[] {
  const wrong = `invalid feature name ${JSON.stringify(feature)}: must`;
  if (utf8Length(feature) > 253) return [`${wrong} be no more than 253 characters`];
  if (/^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/.test(feature)) return [];
  return [
    `${wrong} start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
  ];
}

/** Validates taints. Upstream's paths have them under the metadata. */
function validateTaints(taints: readonly Taint[]): FieldError[] {
  const repeats = repeatsOf(taints, ({ key, effect }) => JSON.stringify([key, effect]));
  return taints.flatMap((taint, index) => {
    const at = path("metadata", "taints").index(index);
    const { key, value = "", effect } = taint;
    const errors = each(qualifiedName(key), at.child("key"), key);
    const wrong = labelValue(value);
    if (wrong.length) errors.push(invalid(at.child("value"), value, wrong.join(";")));
    const effectAt = at.child("effect");
    errors.push(...(effect ? validateTaintEffect(effect, effectAt) : [required(effectAt)]));
    if (repeats[index]) errors.push(repeatedTaint(at, taint));
    return errors;
  });
}

function repeatedTaint(at: FieldPath, taint: Taint): FieldError {
  const error = duplicate(at, internalForm("io.k8s.api.core.v1.Taint", taint));
  return { ...error, message: `${error.message}: taints must be unique by key and effect pair` };
}
