// The admission plugins that are on, in upstream's order.
import type { AdmissionPlugin } from "../registry/admission.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { priority } from "./priority.ts";
import { serviceAccount } from "./service-account.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

export const plugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  serviceAccount,
  taintNodesByCondition,
  priority,
  defaultTolerationSeconds,
];
