// The interface for recording events. The recorder counts repeats as upstream's correlator does.
import type { KubeObject } from "../../shared/k8s/meta.ts";

export interface EventOptions {
  /** The `involvedObject.fieldPath`; for a container `spec.containers{web}`. */
  readonly fieldPath?: string;
  /** The `source.host`; for a kubelet its node. */
  readonly host?: string;
  /** The action, for a component that records through events.k8s.io. Undefined for other components. */
  readonly action?: string;
  /** The related object. Only set with an action. */
  readonly related?: KubeObject;
}

export interface EventRecorder {
  /** Records an event about an object. A repeated event raises its count. Never throws. */
  (object: KubeObject, type: "Normal" | "Warning", reason: string, message: string, options?: EventOptions): void;
}
