// How a controller records events; the recorder counts repeats as upstream's correlator does.
import type { KubeObject } from "../../shared/k8s/meta.ts";

export interface EventOptions {
  /** `involvedObject.fieldPath`, for a container `spec.containers{web}`. */
  readonly fieldPath?: string;
  /** `source.host`, for a kubelet its node. */
  readonly host?: string;
}

export interface EventRecorder {
  /** Records an event about an object; the same event again raises its count. Never throws. */
  (object: KubeObject, type: "Normal" | "Warning", reason: string, message: string, options?: EventOptions): void;
}
