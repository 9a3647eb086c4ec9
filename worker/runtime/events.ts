// How a controller records events; the recorder counts repeats as upstream's correlator does.
import type { KubeObject } from "../../shared/k8s/meta.ts";

export interface EventOptions {
  /** `involvedObject.fieldPath`, for a container `spec.containers{web}`. */
  readonly fieldPath?: string;
  /** `source.host`, for a kubelet its node. */
  readonly host?: string;
  /** What was being done, for a component that records through events.k8s.io; others have none. */
  readonly action?: string;
  /** The other object that it is about; only beside an action. */
  readonly related?: KubeObject;
}

export interface EventRecorder {
  /** Records an event about an object; the same event again raises its count. Never throws. */
  (object: KubeObject, type: "Normal" | "Warning", reason: string, message: string, options?: EventOptions): void;
}
