// The kind ValidatingWebhookConfiguration of admissionregistration.k8s.io.
import type { ValidatingWebhookConfiguration } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import {
  defaultWebhook,
  hasOtherWebhooks,
  warningsForStaticSuffix,
  validateWebhooks,
  webhookColumns,
} from "./webhooks.ts";
import { defineKind } from "../kind.ts";

export const validatingWebhookConfigurations = defineKind<ValidatingWebhookConfiguration>(
  "admissionregistration.k8s.io",
  "v1",
  "validatingwebhookconfigurations",
  {
    validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.validate()],
    allowUnconditionalUpdate: false,
    defaults({ webhooks = [] }) {
      for (const hook of webhooks) defaultWebhook(hook);
    },
    raisesGeneration: hasOtherWebhooks,
    validate: validateWebhooks,
    warnings: warningsForStaticSuffix,
    columns: webhookColumns,
  },
);
