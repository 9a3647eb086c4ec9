// MutatingAdmissionWebhook: asks the webhooks that a write concerns one after the other, each about what the one before it made.
import type { MutatingWebhook } from "../../shared/k8s/api/admissionregistration-v1.ts";
import { must } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { Inapplicable, jsonPatch } from "../../shared/schema/json-patch.ts";
import { parseJson } from "../../shared/schema/json.ts";
import { copyJson, isObject } from "../../shared/schema/json-values.ts";
import { mutatingWebhookConfigurations } from "../kinds/admissionregistration/mutating-webhook-configuration.ts";
import type { AdmissionPlugin, AdmissionRequest, ObjectType } from "../registry/admission.ts";
import { annotate } from "./annotations.ts";
import { decodedPatch } from "./patched.ts";
import { replace } from "./replace.ts";
import { heard } from "./webhooks/call.ts";
import { asVersion } from "./policies/versions.ts";
import { CallFailure, refusalOf } from "./webhooks/failure.ts";
import { type Hook, hooksFor } from "./webhooks/hook.ts";
import { reviewOf, shownObject } from "./webhooks/review.ts";

/** Upstream's `webhookReinvokeContext`. */
interface Notes {
  /** Asked, and to be asked again should something change after them. */
  asked: Set<string>;
  /** To be asked again. */
  again: Set<string>;
  /** The object as the last of them left it. */
  output: KubeObject | undefined;
}

export const mutatingWebhooks: AdmissionPlugin = {
  name: "MutatingAdmissionWebhook",
  mutate(request) {
    const { object, reinvocation } = request;
    const notes = notesOf(request);
    const isAgain = reinvocation?.isAgain === true;
    if (isAgain && !semanticEqual(object, notes.output)) askAgain(notes);
    for (const hook of hooksFor<MutatingWebhook>(mutatingWebhookConfigurations, request)) {
      const { id, webhook } = hook;
      if (isAgain && !notes.again.has(id)) continue;
      const changed = call(hook, request);
      if (changed) {
        askAgain(notes);
        if (reinvocation) reinvocation.isWanted = true;
      }
      if (webhook.reinvocationPolicy === "IfNeeded") notes.asked.add(id);
    }
    // Nobody else is asked again when something changes after them.
    if (notes.asked.size > 0) notes.output = object && copyJson(object);
  },
};

function notesOf({ reinvocation }: AdmissionRequest): Notes {
  const key = "MutatingAdmissionWebhook";
  // Only this plugin writes under its name.
  const known = reinvocation?.notes.get(key) as Notes | undefined;
  if (known) return known;
  const fresh: Notes = { asked: new Set(), again: new Set(), output: undefined };
  reinvocation?.notes.set(key, fresh);
  return fresh;
}

function askAgain(notes: Notes): void {
  for (const id of notes.asked) notes.again.add(id);
  notes.asked = new Set();
}

const keys = {
  mutation: "mutation.webhook.admission.k8s.io",
  patch: "patch.webhook.admission.k8s.io",
  failedOpen: "failed-open.mutation.webhook.admission.k8s.io",
};

/** Whether the object was changed; throws what refuses the write. */
function call(hook: Hook<MutatingWebhook>, request: AdmissionRequest): boolean {
  const { webhook, configuration, index } = hook;
  const round = `round_${request.reinvocation?.isAgain ? 1 : 0}_index_${index}`;
  const named = { configuration, webhook: webhook.name };
  let mutated = false;
  try {
    const review = reviewOf(hook, request);
    const [answer] = request.context.ask([review.question]);
    const { patch, patchType } = heard(webhook, review, must(answer, "answer"), request, true);
    const operations = patch === "" ? [] : operationsOf(webhook.name, patch);
    if (operations.length === 0) return false;
    if (patchType !== "JSONPatch")
      throw new CallFailure(webhook.name, `unsupported patch type ${JSON.stringify(patchType)}`);
    mutated = patched(hook, request, operations);
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

function patched(
  { webhook: { name }, kind }: Hook<MutatingWebhook>,
  request: AdmissionRequest,
  operations: readonly unknown[],
): boolean {
  const { object, type } = request;
  if (!object) {
    throw ApiError.internal(
      `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const shown = shownObject(kind, request, object);
  const next = decoded(type ?? kind, shown, operations);
  if (!type) kind.defaults?.(next);
  if (semanticEqual(next, shown)) return false;
  replace(object, type ? { ...next, metadata: next.metadata ?? {} } : asVersion(kind, next, request.kind));
  return true;
}

function operationsOf(name: string, patch: string): readonly unknown[] {
  const undecodable = (why: string) => new CallFailure(name, `received undecodable patch in webhook response: ${why}`);
  try {
    const { value } = parseJson(patch);
    if (value === null) return [];
    if (Array.isArray(value) && value.every((one) => one === null || isObject(one))) return value;
    const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    const wrong = items ? items.find((one) => one !== null && !isObject(one)) : value;
    const target = Array.isArray(value) ? "jsonpatch.Operation" : "jsonpatch.Patch";
    throw undecodable(`json: cannot unmarshal ${wordFor(wrong)} into Go value of type ${target}`);
  } catch (error) {
    if (error instanceof ApiError) throw undecodable(error.message);
    throw error;
  }
}

function wordFor(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** A patch that does not apply is the webhook's mistake, not the client's. */
function decoded(kind: ObjectType, object: object, operations: unknown): KubeObject {
  try {
    return decodedPatch(kind, jsonPatch(object, operations), false);
  } catch (error) {
    if (error instanceof Inapplicable) throw ApiError.internal(error.why);
    throw error;
  }
}
