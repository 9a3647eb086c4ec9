// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { EventSource as EventSource_core_v1, ObjectReference as ObjectReference_core_v1 } from "./core-v1.ts";
import type { ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export interface Event {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  eventTime: string | null;
  series?: EventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding: ObjectReference_core_v1;
  related?: ObjectReference_core_v1;
  note?: string;
  type?: string;
  deprecatedSource: EventSource_core_v1;
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
}

export interface EventSeries {
  count: number;
  lastObservedTime: string | null;
}
