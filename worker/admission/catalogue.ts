// The admission plugins that are on, in upstream's order.
import type { AdmissionPlugin } from "../registry/admission.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { priority } from "./priority.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

export const plugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  serviceAccount,
  taintNodesByCondition,
  priority,
  defaultTolerationSeconds,
  storageObjectInUseProtection,
  runtimeClass,
  certificateSubjectRestriction,
  defaultIngressClass,
];
