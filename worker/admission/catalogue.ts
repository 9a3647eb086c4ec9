// The admission plugins that are on, in upstream's order.
import type { AdmissionPlugin } from "../registry/admission.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { limitRanger } from "./limit-ranger.ts";
import { mutatingAdmissionPolicy } from "./mutating-admission-policy.ts";
import { mutatingWebhooks } from "./mutating-webhooks.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { podSecurity } from "./pod-security.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./resource-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";
import { validatingAdmissionPolicy } from "./validating-admission-policy.ts";
import { validatingWebhooks } from "./validating-webhooks.ts";

export const plugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  taintNodesByCondition,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateSubjectRestriction,
  defaultIngressClass,
  mutatingAdmissionPolicy,
  mutatingWebhooks,
  validatingAdmissionPolicy,
  validatingWebhooks,
  // Counts what the others let pass, so it comes last.
  resourceQuota,
];
