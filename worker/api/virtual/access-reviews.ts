// The three access reviews: SubjectAccessReview, SelfSubjectAccessReview and LocalSubjectAccessReview.
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "../../../shared/k8s/api/authorization-v1.ts";
import type { Attributes, Authorizer, UserInfo } from "../../../shared/k8s/authorizer.ts";
import { type FieldError, invalid, path } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { requesterOf } from "../filters/authorization.ts";
import { type VirtualResource, virtualKind } from "./resource.ts";
import { demandedFields, selectorComplaints, selectorErrors } from "./selector-attributes.ts";

const group = "authorization.k8s.io";
const spec = path("spec");

export const subjectAccessReviews: VirtualResource = {
  kind: virtualKind<SubjectAccessReview>(group, "subjectaccessreviews"),
  check: (draft) => {
    // Each of the three is decoded as its kind.
    const review = draft as SubjectAccessReview;
    refuse([...subjectErrors(review.spec), ...metadataErrors(review, "must be empty")]);
  },
  create: ({ server }, draft) => {
    const review = draft as SubjectAccessReview;
    return { ...review, status: answer(server.registry, userOf(review.spec), review.spec) };
  },
};

export const selfSubjectAccessReviews: VirtualResource = {
  kind: virtualKind<SelfSubjectAccessReview>(group, "selfsubjectaccessreviews"),
  check: (draft) => {
    const review = draft as SelfSubjectAccessReview;
    const errors = [...oneOfErrors(review.spec), ...selectorErrors(review.spec.resourceAttributes)];
    refuse([...errors, ...metadataErrors(review, "must be empty")]);
  },
  create: ({ identity, server }, draft) => {
    const review = draft as SelfSubjectAccessReview;
    return { ...review, status: answer(server.registry, requesterOf(identity), review.spec) };
  },
};

export const localSubjectAccessReviews: VirtualResource = {
  kind: virtualKind<LocalSubjectAccessReview>(group, "localsubjectaccessreviews"),
  check: (draft) => {
    const review = draft as LocalSubjectAccessReview;
    const { resourceAttributes, nonResourceAttributes } = review.spec;
    const errors = [...subjectErrors(review.spec), ...metadataErrors(review, "must be empty except for namespace")];
    if (resourceAttributes && (resourceAttributes.namespace ?? "") !== review.metadata.namespace) {
      const field = path("spec.resourceAttributes.namespace");
      errors.push(invalid(field, resourceAttributes.namespace ?? "", "must match metadata.namespace"));
    }
    if (nonResourceAttributes) {
      const field = path("spec.nonResourceAttributes");
      errors.push(invalid(field, internalForm(nonResourceAttributes), "disallowed on this kind of request"));
    }
    refuse(errors);
  },
  create: ({ server }, draft) => {
    const review = draft as LocalSubjectAccessReview;
    return { ...review, status: answer(server.registry, userOf(review.spec), review.spec) };
  },
};

function answer(
  { authorizer }: { readonly authorizer: Authorizer },
  user: UserInfo,
  of: SelfSubjectAccessReviewSpec,
): SubjectAccessReviewStatus {
  const { allowed, reason } = authorizer.decide(user, authorizationAttributesFrom(of));
  const evaluationError = of.resourceAttributes ? selectorComplaints(of.resourceAttributes).join("; ") : "";
  return { allowed, ...(reason ? { reason } : {}), ...(evaluationError ? { evaluationError } : {}) };
}

function userOf({ user = "", uid, groups = [], extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}

function authorizationAttributesFrom({
  resourceAttributes,
  nonResourceAttributes,
}: SelfSubjectAccessReviewSpec): Attributes {
  const none = { group: "", plural: "", subresource: "", namespace: "", name: "", path: "" };
  if (!resourceAttributes) return { ...none, isResource: false, ...ofPath(nonResourceAttributes) };
  const {
    verb = "",
    group: resourceGroup = "",
    resource = "",
    subresource = "",
    namespace = "",
    name = "",
  } = resourceAttributes;
  const fields = demandedFields(resourceAttributes);
  return {
    ...none,
    isResource: true,
    verb,
    group: resourceGroup,
    plural: resource,
    subresource,
    namespace,
    name,
    fields,
  };
}

function ofPath({ path: urlPath = "", verb = "" }: NonResourceAttributes = {}) {
  return { path: urlPath, verb };
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
    return [
      invalid(field, internalForm(nonResourceAttributes), "cannot be specified in combination with resourceAttributes"),
    ];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalid(spec.child("resourceAttributes"), null, why)];
}

/** Validates the metadata. Managed fields do not matter, but are printed with the rest. */
function metadataErrors({ metadata }: KubeObject, why: string): FieldError[] {
  const { managedFields: _ours, namespace: _asked, ...rest } = metadata;
  if (Object.keys(rest).length === 0) return [];
  // The namespace may have been set from the path, so it is last.
  const { name, generateName, namespace } = metadata;
  const first = Object.entries({ name, generateName, namespace }).filter(([, value]) => value !== undefined);
  return [invalid(path("metadata"), { ...Object.fromEntries(first), ...metadata }, why)];
}

/** Prints upstream's internal struct, whose fields have no JSON names. */
function internalForm({ path: urlPath, verb }: NonResourceAttributes): unknown {
  return { Path: urlPath ?? "", Verb: verb ?? "" };
}

/** Rejects a review. Upstream names no kind here. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw ApiError.invalid({ group, name: "" }, "", errors);
}
