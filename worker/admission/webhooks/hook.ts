// One webhook of a configuration, and whether it is called for a write (upstream: ShouldCallHook).
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { isExempt, matchesNamespace, matchesObject, matchesRule } from "../matching.ts";
import { compiledConditions } from "../policies/compiled.ts";
import { conditionsHold } from "../policies/conditions.ts";
import { forbiddenBy } from "../refuse.ts";

export interface Hook<W extends ValidatingWebhook | MutatingWebhook> {
  /** Names it among all. */
  readonly id: string;
  readonly webhook: W;
}

type Configuration<W> = W extends MutatingWebhook ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;

/** The webhooks that a write concerns, in upstream's order: by the name of their configuration, then as they stand there. */
export function* hooksFor<W extends ValidatingWebhook | MutatingWebhook>(
  kind: Kind<Configuration<W>>,
  request: AdmissionRequest,
): Generator<Hook<W>> {
  const { context } = request;
  if (context.count(kind) === 0 || isExempt(request)) return;
  for (const { metadata, ...configuration } of context.list(kind)) {
    // A configuration of one kind holds webhooks of that kind.
    const webhooks = (configuration.webhooks ?? []) as W[];
    // Looked at one at a time: what one changes, the next is chosen by.
    for (const [index, webhook] of webhooks.entries()) {
      if (concerns(webhook, request)) yield { id: `${metadata.name}/${webhook.name}/${index}`, webhook };
    }
  }
}

function concerns(webhook: ValidatingWebhook | MutatingWebhook, request: AdmissionRequest): boolean {
  return (
    webhook.rules?.some((rule) => matchesRule(rule, request)) === true &&
    matchesNamespace(webhook.namespaceSelector, request) &&
    matchesObject(webhook.objectSelector, request) &&
    meetsConditions(webhook, request)
  );
}

/** Throws 403 where this cannot be told and the webhook must not be passed by. */
function meetsConditions(
  { matchConditions = [], failurePolicy }: ValidatingWebhook | MutatingWebhook,
  request: AdmissionRequest,
): boolean {
  if (!matchConditions.length) return true;
  const { object, previous } = request;
  const subject = { request, object, previous, namespace: undefined, params: undefined };
  const held = conditionsHold(compiledConditions(matchConditions), new Map(), subject, failurePolicy);
  if (typeof held === "boolean") return held;
  throw forbiddenBy(request, held.error);
}
