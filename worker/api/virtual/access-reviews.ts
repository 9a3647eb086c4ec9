// The three kinds of access review: may this user, may I, may this user in this namespace.
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "../../../shared/k8s/api/authorization-v1.ts";
import type { Access, Authorizer } from "../../../shared/k8s/access.ts";
import { type FieldError, type FieldPath, invalid, path, required } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind, Requester } from "../../kinds/kind.ts";
import { requesterOf } from "../authorization.ts";
import { type VirtualResource, virtualKind } from "./resource.ts";

const group = "authorization.k8s.io";
const spec = path("spec");
const attributes = path("spec.resourceAttributes");

const subjectKind = virtualKind<SubjectAccessReview>(group, "subjectaccessreviews");
export const subjectAccessReviews: VirtualResource = {
  kind: subjectKind,
  create: ({ service }, draft) => {
    // Each of the three is decoded as its kind.
    const review = draft as SubjectAccessReview;
    refuse(subjectKind, [...subjectErrors(review.spec), ...metadataErrors(review, "must be empty")]);
    return { ...review, status: answer(service.registry, userOf(review.spec), review.spec) };
  },
};

const selfKind = virtualKind<SelfSubjectAccessReview>(group, "selfsubjectaccessreviews");
export const selfSubjectAccessReviews: VirtualResource = {
  kind: selfKind,
  create: ({ identity, service }, draft) => {
    const review = draft as SelfSubjectAccessReview;
    const errors = [...oneOfErrors(review.spec), ...selectorErrors(review.spec.resourceAttributes)];
    refuse(selfKind, [...errors, ...metadataErrors(review, "must be empty")]);
    return { ...review, status: answer(service.registry, requesterOf(identity), review.spec) };
  },
};

const localKind = virtualKind<LocalSubjectAccessReview>(group, "localsubjectaccessreviews");
export const localSubjectAccessReviews: VirtualResource = {
  kind: localKind,
  create: ({ service }, draft) => {
    const review = draft as LocalSubjectAccessReview;
    const { resourceAttributes, nonResourceAttributes } = review.spec;
    const errors = [...subjectErrors(review.spec), ...metadataErrors(review, "must be empty except for namespace")];
    if (resourceAttributes && (resourceAttributes.namespace ?? "") !== review.metadata.namespace) {
      const field = path("spec.resourceAttributes.namespace");
      errors.push(invalid(field, resourceAttributes.namespace ?? "", "must match metadata.namespace"));
    }
    if (nonResourceAttributes) {
      const field = path("spec.nonResourceAttributes");
      errors.push(invalid(field, nonResourceAttributes, "disallowed on this kind of request"));
    }
    refuse(localKind, errors);
    return { ...review, status: answer(service.registry, userOf(review.spec), review.spec) };
  },
};

function answer(
  { authorizer }: { readonly authorizer: Authorizer },
  user: Requester,
  of: SelfSubjectAccessReviewSpec,
): SubjectAccessReviewStatus {
  const { allowed, reason } = authorizer.decide(user, accessOf(of));
  return { allowed, ...(reason ? { reason } : {}) };
}

function userOf({ user = "", uid, groups = [], extra }: SubjectAccessReviewSpec): Requester {
  return { name: user, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}

function accessOf({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): Access {
  const none = { group: "", plural: "", subresource: "", namespace: "", name: "", path: "" };
  if (!resourceAttributes) return { ...none, isResource: false, ...ofPath(nonResourceAttributes) };
  const {
    verb = "",
    group: asked = "",
    resource = "",
    subresource = "",
    namespace = "",
    name = "",
  } = resourceAttributes;
  const requirements = resourceAttributes.fieldSelector?.requirements ?? [];
  const fields = requirements.flatMap(({ key, operator, values: [value] = [] }) =>
    operator === "In" && value !== undefined ? [[key, value] as const] : [],
  );
  return { ...none, isResource: true, verb, group: asked, plural: resource, subresource, namespace, name, fields };
}

function ofPath({ path: asked = "", verb = "" }: NonResourceAttributes = {}) {
  return { path: asked, verb };
}

function subjectErrors(of: SubjectAccessReviewSpec): FieldError[] {
  const named = of.user || of.groups?.length;
  return [
    ...oneOfErrors(of),
    ...(named ? [] : [invalid(spec.child("user"), of.user ?? "", "at least one of user or group must be specified")]),
    ...selectorErrors(of.resourceAttributes),
  ];
}

function oneOfErrors({ resourceAttributes, nonResourceAttributes }: SelfSubjectAccessReviewSpec): FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    const field = spec.child("nonResourceAttributes");
    return [invalid(field, nonResourceAttributes, "cannot be specified in combination with resourceAttributes")];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalid(spec.child("resourceAttributes"), null, why)];
}

function metadataErrors({ metadata }: KubeObject, why: string): FieldError[] {
  const { managedFields: _ours, namespace: _asked, ...rest } = metadata;
  return Object.keys(rest).length > 0 ? [invalid(path("metadata"), rest, why)] : [];
}

function selectorErrors(of: ResourceAttributes | undefined): FieldError[] {
  return [
    ...oneSelectorErrors(of?.fieldSelector, attributes.child("fieldSelector")),
    ...oneSelectorErrors(of?.labelSelector, attributes.child("labelSelector")),
  ];
}

function oneSelectorErrors(
  selector: { rawSelector?: string; requirements?: readonly unknown[] } | undefined,
  field: FieldPath,
): FieldError[] {
  if (!selector) return [];
  const { rawSelector = "", requirements = [] } = selector;
  if (rawSelector && requirements.length > 0) {
    return [invalid(field.child("rawSelector"), rawSelector, "may not specified at the same time as requirements")];
  }
  if (rawSelector || requirements.length > 0) return [];
  const why = `when ${field} is specified, requirements or rawSelector is required`;
  return [required(field.child("requirements"), why)];
}

function refuse(kind: Pick<Kind, "groupKind">, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw ApiError.invalid(kind.groupKind, "", errors);
}
