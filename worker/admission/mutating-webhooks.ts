// MutatingAdmissionWebhook: asks the webhooks that a write concerns one after the other, each about what the one before it made.
import type { MutatingWebhook } from "../../shared/k8s/api/admissionregistration-v1.ts";
import { must } from "../../shared/base/assert.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { jsonPatch } from "../../shared/schema/json-patch.ts";
import { copyJson } from "../../shared/schema/json-values.ts";
import { mutatingWebhookConfigurations } from "../kinds/mutating-webhook-configurations.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";
import { replace } from "./replace.ts";
import { heard } from "./webhooks/call.ts";
import { CallFailure, refusalOf } from "./webhooks/failure.ts";
import { hooksFor } from "./webhooks/hook.ts";
import { reviewOf } from "./webhooks/review.ts";

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
    for (const { id, webhook } of hooksFor<MutatingWebhook>(mutatingWebhookConfigurations, request)) {
      if (isAgain && !notes.again.has(id)) continue;
      const changed = call(webhook, request);
      if (changed) {
        askAgain(notes);
        if (reinvocation) reinvocation.isWanted = true;
      }
      if (webhook.reinvocationPolicy === "IfNeeded") notes.asked.add(id);
    }
    notes.output = object && copyJson(object);
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

/** Whether the object was changed; throws what refuses the write. */
function call(webhook: MutatingWebhook, request: AdmissionRequest): boolean {
  try {
    const review = reviewOf(webhook, request);
    const [answer] = request.context.ask([review.question]);
    const { patch } = heard(webhook, review, must(answer, "answer"), request, true);
    return patch !== "" && patched(webhook, request, patch);
  } catch (error) {
    const refusal = refusalOf(error, webhook.failurePolicy);
    if (refusal !== undefined) throw refusal;
    return false;
  }
}

function patched({ name }: MutatingWebhook, { kind, object }: AdmissionRequest, patch: string): boolean {
  const operations = operationsOf(name, patch);
  if (Array.isArray(operations) && operations.length === 0) return false;
  if (!object) {
    throw ApiError.internal(
      `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const next = decoded(kind, object, operations);
  kind.defaults?.(next);
  if (semanticEqual(next, object)) return false;
  replace(object, next);
  return true;
}

function operationsOf(name: string, patch: string): unknown {
  try {
    return JSON.parse(patch);
  } catch {
    throw new CallFailure(name, "received undecodable patch in webhook response: invalid JSON");
  }
}

/** A patch that does not apply is the webhook's mistake, not the client's. */
function decoded(kind: AdmissionRequest["kind"], object: KubeObject, operations: unknown): KubeObject {
  try {
    return kind.schema.decode(jsonPatch(object, operations)).object as KubeObject;
  } catch (error) {
    if (error instanceof ApiError) throw ApiError.internal(error.message);
    throw error;
  }
}
