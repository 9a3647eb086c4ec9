// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { Status as Status_meta_v1 } from "./meta-v1.ts";

export interface ConversionRequest {
  uid: string;
  desiredAPIVersion: string;
  objects: unknown[];
}

export interface ConversionResponse {
  uid: string;
  convertedObjects: unknown[];
  result: Status_meta_v1;
}

export interface ConversionReview {
  apiVersion: string;
  kind: string;
  request?: ConversionRequest;
  response?: ConversionResponse;
}
