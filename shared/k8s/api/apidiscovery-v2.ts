// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { GroupVersionKind as GroupVersionKind_meta_v1, ListMeta as ListMeta_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface APIGroupDiscovery {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  versions?: APIVersionDiscovery[];
}

export interface APIGroupDiscoveryList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: APIGroupDiscovery[];
}

export interface APIResourceDiscovery {
  resource: string;
  responseKind?: GroupVersionKind_meta_v1;
  scope: string;
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: APISubresourceDiscovery[];
}

export interface APISubresourceDiscovery {
  subresource: string;
  responseKind?: GroupVersionKind_meta_v1;
  acceptedTypes?: GroupVersionKind_meta_v1[];
  verbs: string[];
}

export interface APIVersionDiscovery {
  version: string;
  resources?: APIResourceDiscovery[];
  freshness?: string;
}
