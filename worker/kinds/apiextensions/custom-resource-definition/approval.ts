// Validates the approval annotation, which groups of the Kubernetes community require.
import type { CustomResourceDefinition } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import { type FieldError, invalid, path, required } from "../../../../shared/k8s/field.ts";

export const approvalAnnotation = "api-approved.kubernetes.io";
const see = "see https://github.com/kubernetes/enhancements/pull/1111";

export interface Approval {
  readonly state: "missing" | "bypassed" | "approved" | "invalid";
  readonly reason: string;
}

export function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((suffix) => group === suffix || group.endsWith(`.${suffix}`));
}

export function approvalOf({ metadata }: CustomResourceDefinition): Approval {
  const text = metadata.annotations?.[approvalAnnotation] ?? "";
  const message = `protected groups must have approval annotation ${JSON.stringify(approvalAnnotation)}`;
  if (text === "") return { state: "missing", reason: `${message}, ${see}` };
  if (text.startsWith("unapproved")) return { state: "bypassed", reason: `not approved: ${JSON.stringify(text)}` };
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]+/.test(text)) return { state: "approved", reason: `approved in ${text}` };
  return { state: "invalid", reason: `${message} with either a URL or a reason starting with "unapproved", ${see}` };
}

/** Validates the approval. An existing definition without one stays valid. */
export function validateApproval(
  object: CustomResourceDefinition,
  previous: CustomResourceDefinition | undefined,
): FieldError[] {
  if (!isProtectedGroup(object.spec.group)) return [];
  const { state, reason } = approvalOf(object);
  if (previous && approvalOf(previous).state === state) return [];
  const at = path("metadata", "annotations").key(approvalAnnotation);
  if (state === "missing") return [required(at, reason)];
  return state === "invalid" ? [invalid(at, object.metadata.annotations?.[approvalAnnotation] ?? "", reason)] : [];
}
