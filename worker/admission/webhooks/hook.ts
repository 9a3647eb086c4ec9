// One webhook of a configuration, and whether it is called for a write (upstream: ShouldCallHook).
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { isExemptConfiguration } from "../common/predicates.ts";
import { compiledConditions } from "../policies/compiled.ts";
import { conditionsHold } from "../policies/conditions.ts";
import { matchedKind } from "../policies/matching.ts";
import { inVersion } from "../policies/versions.ts";
import { newForbidden } from "../common/errors.ts";

export interface Hook<W extends ValidatingWebhook | MutatingWebhook> {
  /** Names it among all. */
  readonly id: string;
  readonly configuration: string;
  /** Its place among all that there are, called or not. */
  readonly index: number;
  readonly webhook: W;
  /** The version that its rules name, in which it is sent the object. */
  readonly kind: Kind;
}

type Configuration<W> = W extends MutatingWebhook ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;

/** The webhooks that a write concerns, in their order: by the name of their configuration, then as they stand there. */
export function hooksFor<W extends ValidatingWebhook | MutatingWebhook>(
  kind: Kind<Configuration<W>>,
  request: AdmissionRequest,
): Iterable<Hook<W>> {
  if (request.context.count(kind) === 0 || isExemptConfiguration(request)) return [];
  return wantedHooks(kind, request);
}

function* wantedHooks<W extends ValidatingWebhook | MutatingWebhook>(
  kind: Kind<Configuration<W>>,
  request: AdmissionRequest,
): Generator<Hook<W>> {
  const { context } = request;
  let place = 0;
  for (const { metadata, ...configuration } of context.list(kind)) {
    // A configuration of one kind holds webhooks of that kind.
    const webhooks = (configuration.webhooks ?? []) as W[];
    // Looked at one at a time: what one changes, the next is chosen by.
    for (const [index, webhook] of webhooks.entries()) {
      const wanted = wantedKind(webhook, request);
      const { name: configuration = "" } = metadata;
      const id = `${configuration}/${webhook.name}/${index}`;
      if (wanted) yield { id, configuration, index: place, webhook, kind: wanted };
      place++;
    }
  }
}

/** Undefined where it is not called. */
function wantedKind(webhook: ValidatingWebhook | MutatingWebhook, request: AdmissionRequest): Kind | undefined {
  const { rules = [], matchPolicy, namespaceSelector, objectSelector } = webhook;
  if (!rules.length) return undefined;
  const match = { resourceRules: rules, matchPolicy, namespaceSelector, objectSelector };
  const kind = matchedKind(match, request);
  return kind && meetsConditions(webhook, kind, request) ? kind : undefined;
}

/** Throws 403 where a condition cannot be evaluated and the failure policy is Fail. */
function meetsConditions(
  { matchConditions = [], failurePolicy }: ValidatingWebhook | MutatingWebhook,
  kind: Kind,
  request: AdmissionRequest,
): boolean {
  if (!matchConditions.length) return true;
  const object = request.object && inVersion(kind, request, request.object);
  const previous = request.oldObject && inVersion(kind, request, request.oldObject);
  const subject = { request, kind, object, previous, namespace: undefined, params: undefined };
  const held = conditionsHold(
    compiledConditions(matchConditions, subject.request.context.meter),
    new Map(),
    subject,
    failurePolicy,
  );
  if (typeof held === "boolean") return held;
  throw newForbidden(request, held.error);
}
