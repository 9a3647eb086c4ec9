// The kind ValidatingWebhookConfiguration of admissionregistration.k8s.io.
import type { ValidatingWebhookConfiguration } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { webhookBehaviour } from "./webhooks.ts";
import { defineKind } from "../kind.ts";

export const validatingWebhookConfigurations = defineKind<ValidatingWebhookConfiguration>(
  "admissionregistration.k8s.io",
  "v1",
  "validatingwebhookconfigurations",
  webhookBehaviour(),
);
