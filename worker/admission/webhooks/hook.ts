// The webhooks of a configuration that are called for a write (upstream: ShouldCallHook).
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
  /** The unique id of the webhook. */
  readonly id: string;
  readonly configuration: string;
  /** The position among all webhooks, called or not. */
  readonly index: number;
  readonly webhook: W;
  /** The version that the rules name. The webhook receives the object in this version. */
  readonly kind: Kind;
}

type Configuration<W> = W extends MutatingWebhook ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration;

/** Returns the webhooks that match a write, ordered by configuration name and position. */
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
    // A configuration of one kind has webhooks of that kind.
    const webhooks = (configuration.webhooks ?? []) as W[];
    // The loop is lazy: a change by one webhook affects whether the next one matches.
    for (const [index, webhook] of webhooks.entries()) {
      const matchingVersion = versionToSend(webhook, request);
      const { name: configuration = "" } = metadata;
      const id = `${configuration}/${webhook.name}/${index}`;
      if (matchingVersion) yield { id, configuration, index: place, webhook, kind: matchingVersion };
      place++;
    }
  }
}

/** Returns the version to send; undefined if the webhook is not called. */
function versionToSend(webhook: ValidatingWebhook | MutatingWebhook, request: AdmissionRequest): Kind | undefined {
  const { rules = [], matchPolicy, namespaceSelector, objectSelector } = webhook;
  if (!rules.length) return undefined;
  const match = { resourceRules: rules, matchPolicy, namespaceSelector, objectSelector };
  const kind = matchedKind(match, request);
  return kind && meetsConditions(webhook, kind, request) ? kind : undefined;
}

/** Evaluates the match conditions. Throws 403 if one fails with an error and the failure policy is Fail. */
function meetsConditions(
  { matchConditions = [], failurePolicy }: ValidatingWebhook | MutatingWebhook,
  kind: Kind,
  request: AdmissionRequest,
): boolean {
  if (!matchConditions.length) return true;
  const object = request.object && inVersion(kind, request, request.object);
  const previous = request.oldObject && inVersion(kind, request, request.oldObject);
  const subject = { request, kind, object, previous, namespace: undefined, params: undefined };
  const matches = conditionsHold(
    compiledConditions(matchConditions, subject.request.context.meter),
    new Map(),
    subject,
    failurePolicy,
  );
  if (typeof matches === "boolean") return matches;
  throw newForbidden(request, matches.error);
}
