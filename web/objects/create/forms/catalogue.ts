// The kinds that have a form, in the order of the choice.
import type { KindForm } from "./form.ts";
import { claimForm, configMapForm, ingressForm, secretForm, serviceForm } from "./network-and-storage.ts";
import { cronJobForm, deploymentForm, jobForm, podForm, statefulSetForm } from "./pods.ts";

export const kindForms: readonly KindForm[] = [
  deploymentForm,
  serviceForm,
  podForm,
  configMapForm,
  secretForm,
  jobForm,
  cronJobForm,
  statefulSetForm,
  ingressForm,
  claimForm,
];
