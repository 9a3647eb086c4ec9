// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { ObjectReference as ObjectReference_core_v1, Protocol as Protocol_core_v1 } from "./core-v1.ts";
import type { ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface Endpoint {
  addresses: string[];
  conditions: EndpointConditions;
  hostname?: string;
  targetRef?: ObjectReference_core_v1;
  deprecatedTopology?: Record<string, string>;
  nodeName?: string;
  zone?: string;
  hints?: EndpointHints;
}

export interface EndpointConditions {
  ready?: boolean;
  serving?: boolean;
  terminating?: boolean;
}

export interface EndpointHints {
  forZones?: ForZone[];
  forNodes?: ForNode[];
}

export interface EndpointPort {
  name?: string;
  protocol?: Protocol_core_v1;
  port?: number;
  appProtocol?: string;
}

export interface EndpointSlice {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  addressType: string;
  endpoints: Endpoint[];
  ports: EndpointPort[];
}

export interface ForNode {
  name: string;
}

export interface ForZone {
  name: string;
}
