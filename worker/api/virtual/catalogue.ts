// The catalogue of resources and subresources that are only created.
import type { Kind } from "../../kinds/kind.ts";
import { requestToken } from "../authentication/token-request.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { localSubjectAccessReviews, selfSubjectAccessReviews, subjectAccessReviews } from "./access-reviews.ts";
import { bindings } from "./bindings.ts";
import type { VirtualResource } from "./resource.ts";
import { selfSubjectRulesReviews } from "./rules-reviews.ts";
import { selfSubjectReviews } from "./self-subject-reviews.ts";
import { tokenReviews } from "./token-reviews.ts";

const resources: readonly VirtualResource[] = [
  bindings,
  tokenReviews,
  selfSubjectReviews,
  subjectAccessReviews,
  selfSubjectAccessReviews,
  localSubjectAccessReviews,
  selfSubjectRulesReviews,
];

export const virtualKinds: readonly Kind[] = resources.map(({ kind }) => kind);

const byKind = new Map(resources.map((resource) => [resource.kind, resource]));

export function virtualResource(kind: Kind): VirtualResource | undefined {
  return byKind.get(kind);
}

type Subresource = (req: ApiRequest, info: ResourceInfo) => Promise<Response>;

const subresources: Readonly<Record<string, Subresource>> = { "serviceaccounts/token": requestToken };

export function virtualSubresource(kind: Kind, name: string): Subresource | undefined {
  return subresources[`${kind.resource}/${name}`];
}
