// MutatingAdmissionWebhook: calls the webhooks that match a write, one after the other. Each receives the output of the one before.
import type { MutatingWebhook } from "../../shared/k8s/api/admissionregistration-v1.ts";
import { must } from "../../shared/base/assert.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { Inapplicable, jsonPatch } from "../../shared/schema/json-patch.ts";
import { parseJson } from "../../shared/schema/json.ts";
import { isObject } from "../../shared/schema/json-values.ts";
import { mutatingWebhookConfigurations } from "../kinds/admissionregistration/mutating-webhook-configuration.ts";
import type { AdmissionPlugin, AdmissionRequest, GroupVersionKind } from "../registry/admission.ts";
import { annotate } from "./common/annotations.ts";
import { decodePatched } from "./common/patched.ts";
import { reinvokeContextOf, requireReinvoking, setLastOutput } from "./common/reinvoke-context.ts";
import { replace } from "./common/replace.ts";
import { readResponse } from "./webhooks/call.ts";
import { asVersion } from "./policies/versions.ts";
import { ErrCallingWebhook, refusalOf } from "./webhooks/failure.ts";
import { type Hook, hooksFor } from "./webhooks/hook.ts";
import { reviewOf, shownObject } from "./webhooks/review.ts";

const pluginName = "MutatingAdmissionWebhook";

export const mutatingWebhooks: AdmissionPlugin = {
  name: pluginName,
  mutate(request) {
    const { reinvocationContext } = request;
    const reinvokes = reinvokeContextOf(request, pluginName);
    for (const hook of hooksFor<MutatingWebhook>(mutatingWebhookConfigurations, request)) {
      const { id, webhook } = hook;
      if (reinvocationContext?.isReinvoke && !reinvokes.reinvoke.has(id)) continue;
      if (call(hook, request)) {
        requireReinvoking(reinvokes);
        if (reinvocationContext) reinvocationContext.shouldReinvoke = true;
      }
      if (webhook.reinvocationPolicy === "IfNeeded") reinvokes.previouslyInvokedReinvocable.add(id);
    }
    setLastOutput(reinvokes, request.object);
  },
};

const keys = {
  mutation: "mutation.webhook.admission.k8s.io",
  patch: "patch.webhook.admission.k8s.io",
  failedOpen: "failed-open.mutation.webhook.admission.k8s.io",
};

/** Calls a webhook and applies its patch. Returns whether the object changed. Throws the error that rejects the write. */
function call(hook: Hook<MutatingWebhook>, request: AdmissionRequest): boolean {
  const { webhook, configuration, index } = hook;
  const round = `round_${request.reinvocationContext?.isReinvoke ? 1 : 0}_index_${index}`;
  const named = { configuration, webhook: webhook.name };
  let mutated = false;
  try {
    const review = reviewOf(hook, request);
    const [answer] = request.context.ask([review.question]);
    const { patch, patchType } = readResponse(webhook, review, must(answer, "answer"), request, { isMutating: true });
    const operations = patch === "" ? [] : operationsOf(webhook.name, patch);
    if (operations.length === 0) return false;
    if (patchType !== "JSONPatch")
      throw new ErrCallingWebhook(webhook.name, `unsupported patch type ${JSON.stringify(patchType)}`);
    mutated = applyPatch(hook, request, operations);
    annotate(request, `${keys.patch}/${round}`, JSON.stringify({ ...named, patch: operations, patchType }));
    return mutated;
  } catch (error) {
    const refusal = refusalOf(error, webhook.failurePolicy);
    if (refusal !== undefined) throw refusal;
    annotate(request, `${keys.failedOpen}/${round}`, webhook.name);
    return false;
  } finally {
    annotate(request, `${keys.mutation}/${round}`, JSON.stringify({ ...named, mutated }));
  }
}

function applyPatch(
  { webhook: { name }, kind }: Hook<MutatingWebhook>,
  request: AdmissionRequest,
  operations: readonly unknown[],
): boolean {
  const { object, objectKind } = request;
  if (!object) {
    throw ApiError.internal(
      `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const reviewed = shownObject(kind, request, object);
  const next = decodePatchedObject(objectKind ?? kind, reviewed, operations, request.context.meter);
  if (!objectKind) kind.defaults?.(next);
  if (semanticEqual(next, reviewed)) return false;
  replace(object, objectKind ? { ...next, metadata: next.metadata ?? {} } : asVersion(kind, next, request.kind));
  return true;
}

function operationsOf(name: string, patch: string): readonly unknown[] {
  const undecodable = (why: string) =>
    new ErrCallingWebhook(name, `received undecodable patch in webhook response: ${why}`);
  try {
    const { value } = parseJson(patch);
    if (value === null) return [];
    if (Array.isArray(value) && value.every((operation) => operation === null || isObject(operation))) return value;
    const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    const invalid = items ? items.find((operation) => operation !== null && !isObject(operation)) : value;
    const target = Array.isArray(value) ? "jsonpatch.Operation" : "jsonpatch.Patch";
    throw undecodable(`json: cannot unmarshal ${wordFor(invalid)} into Go value of type ${target}`);
  } catch (error) {
    if (error instanceof ApiError) throw undecodable(error.message);
    throw error;
  }
}

function wordFor(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Applies and decodes a patch. A patch that does not apply is an error of the webhook, not of the client. */
function decodePatchedObject(
  kind: GroupVersionKind,
  object: object,
  operations: unknown,
  meter: WorkMeter,
): KubeObject {
  try {
    return decodePatched(kind, jsonPatch(object, operations, meter), { isStrict: false });
  } catch (error) {
    if (error instanceof Inapplicable) throw ApiError.internal(error.why);
    throw error;
  }
}
