// The kind MutatingWebhookConfiguration of admissionregistration.k8s.io.
import type { MutatingWebhookConfiguration } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { defaultWebhook, webhookBehaviour } from "./webhooks.ts";
import { defineKind } from "../kind.ts";

export const mutatingWebhookConfigurations = defineKind<MutatingWebhookConfiguration>(
  "admissionregistration.k8s.io",
  "v1",
  "mutatingwebhookconfigurations",
  {
    ...webhookBehaviour<MutatingWebhookConfiguration>(),
    defaults({ webhooks = [] }) {
      for (const hook of webhooks) {
        defaultWebhook(hook);
        hook.reinvocationPolicy ??= "Never";
      }
    },
  },
);
