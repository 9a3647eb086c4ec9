// References from an autoscaler to what it scales or measures.
import type { CrossVersionObjectReference } from "../../../shared/k8s/api/autoscaling-v2.ts";
import { type FieldError, type FieldPath, invalid, required } from "../../../shared/k8s/field.ts";
import { pathSegmentName } from "../../../shared/k8s/names.ts";
import { each } from "../pods/checks.ts";

/** `allowsCore`: the apiVersion may be of the core group, or absent. */
export function validateReference(
  { kind, name, apiVersion = "" }: CrossVersionObjectReference,
  at: FieldPath,
  allowsCore: boolean,
): FieldError[] {
  const named = (value: string, where: FieldPath) =>
    value ? each(pathSegmentName(value), where, value) : [required(where)];
  const errors = [...named(kind, at.child("kind")), ...named(name, at.child("name"))];
  const parts = apiVersion.split("/");
  const hasGroup = parts.length === 2 && parts[0] !== "";
  if (parts.length > 2) {
    errors.push(invalid(at.child("apiVersion"), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else if (!allowsCore && !hasGroup) {
    errors.push(invalid(at.child("apiVersion"), apiVersion, "apiVersion must specify API group"));
  }
  return errors;
}
