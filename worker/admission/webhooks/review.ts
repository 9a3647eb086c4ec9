// The question to a webhook and its answer: AdmissionReview of admission.k8s.io (upstream: webhook/request).
import { textOfBase64 } from "../../../shared/base/base64.ts";
import type { MutatingWebhook, ValidatingWebhook } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { OutboundCall, Recipient } from "../../../shared/k8s/outbound-call.ts";
import { recipientOfWebhook } from "../../../shared/schema/webhook-client.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { AdmissionRequest, GroupVersionKind } from "../../registry/admission.ts";
import { inVersion } from "../policies/versions.ts";
import { ErrCallingWebhook } from "./failure.ts";

type Webhook = MutatingWebhook | ValidatingWebhook;

export interface Review {
  readonly question: OutboundCall;
  readonly uid: string;
  readonly apiVersion: string;
}

/** What a webhook said, checked. */
export interface Verdict {
  readonly allowed: boolean;
  /** A Status, as it was given. */
  readonly status: JsonObject;
  /** JSON, of a JSON patch; "" for none. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  /** For the audit log, each under the webhook's name. */
  readonly annotations: Readonly<Record<string, string>>;
}

const versions = ["v1", "v1beta1"];
const defaultTimeoutSeconds = 10;

export function reviewOf({ webhook, kind }: { webhook: Webhook; kind: Kind }, request: AdmissionRequest): Review {
  const version = webhook.admissionReviewVersions.find((one) => versions.includes(one));
  if (!version) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new ErrCallingWebhook(webhook.name, `could not create admission objects: ${why}`);
  }
  const uid = request.context.random.uuid();
  const apiVersion = `admission.k8s.io/${version}`;
  const seconds = webhook.timeoutSeconds ?? defaultTimeoutSeconds;
  const body = JSON.stringify({ kind: "AdmissionReview", apiVersion, request: requestOf(uid, request, kind) });
  return { question: { to: recipientOf(webhook, seconds), body, timeoutMs: seconds * 1000 }, uid, apiVersion };
}

/** Also what the expressions of policies know as `request`. `wanted` is the version that the rules name. */
export function requestOf(uid: string, request: AdmissionRequest, wanted: Kind): JsonObject {
  const { subresource, operation, object, oldObject, userInfo, name, dryRun, options = null } = request;
  const requestKind = request.requestKind ?? request.kind;
  const sub = subresource ? { subResource: subresource } : {};
  const namespace = namespaceOf(request);
  const { name: username, uid: userUid = "", groups, extra } = userInfo;
  return {
    uid,
    kind: kindOf(request.objectKind ?? wanted),
    resource: resourceOf(wanted),
    ...sub,
    requestKind: kindOf(request.objectKind ?? requestKind),
    requestResource: resourceOf(requestKind),
    ...(subresource ? { requestSubResource: subresource } : {}),
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
    operation,
    userInfo: { username, ...(userUid ? { uid: userUid } : {}), groups, ...(extra ? { extra } : {}) },
    object: object ? shownObject(wanted, request, object) : null,
    oldObject: oldObject ? inVersion(wanted, request, oldObject) : null,
    dryRun,
    options,
  };
}

/** What is connected with has no metadata. */
export function shownObject(wanted: Kind, request: AdmissionRequest, object: KubeObject): object {
  if (request.operation !== "CONNECT") return inVersion(wanted, request, object);
  const { metadata: _, ...connection } = object;
  return connection;
}

/** A Namespace is taken to be in itself. */
function namespaceOf({ kind, namespace, name }: AdmissionRequest): string {
  return kind.resource === namespaces.resource ? name : namespace;
}

function kindOf({ apiVersion, kind }: GroupVersionKind) {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return { group, version, kind };
}

function resourceOf({ group, version, plural }: Kind) {
  return { group, version, resource: plural };
}

function recipientOf({ name, clientConfig }: Webhook, seconds: number): Recipient {
  const recipient = recipientOfWebhook(clientConfig, seconds);
  if (recipient) return recipient;
  throw new ErrCallingWebhook(name, "webhook configuration must have either service or URL");
}

/** Throws `ErrCallingWebhook` for what is no proper answer. `review` has been decoded. */
export function verdictOf(
  { name }: Webhook,
  mutating: boolean,
  { uid, apiVersion }: Review,
  review: JsonObject,
): Verdict {
  const invalid = (why: string) => new ErrCallingWebhook(name, `received invalid webhook response: ${why}`);
  const response = review["response"];
  if (!isObject(response)) throw invalid("webhook response was absent");
  const isOld = apiVersion !== "admission.k8s.io/v1";
  if (!isOld) {
    if (response["uid"] !== uid) {
      throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response["uid"] ?? "")}`);
    }
    if (review["apiVersion"] !== apiVersion || review["kind"] !== "AdmissionReview") {
      throw invalid(`expected webhook response of ${gvk(apiVersion, "AdmissionReview")}, got ${gvkOf(review)}`);
    }
    checkPatch(response, mutating, invalid);
  }
  const { patch, patchType, warnings, auditAnnotations } = response;
  return {
    allowed: response["allowed"] === true,
    status: isObject(response["status"]) ? response["status"] : {},
    // Decoding has seen to it that it is base64.
    patch: mutating && typeof patch === "string" ? textOfBase64(patch) : "",
    patchType: isOld ? "JSONPatch" : typeof patchType === "string" ? patchType : "",
    // Of the response's type.
    warnings: (warnings ?? []) as readonly string[],
    annotations: (auditAnnotations ?? {}) as Readonly<Record<string, string>>,
  };
}

function checkPatch({ patch, patchType }: JsonObject, mutating: boolean, invalid: (why: string) => Error): void {
  const hasPatch = typeof patch === "string" && patch !== "";
  const hasType = patchType !== undefined;
  if (!mutating) {
    if (hasPatch) throw invalid("validating webhook may not return response.patch");
    if (hasType) throw invalid("validating webhook may not return response.patchType");
    return;
  }
  if (hasPatch && !hasType) throw invalid("webhook returned response.patch but not response.patchType");
  if (!hasPatch && hasType) throw invalid("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw invalid('webhook returned invalid response.patchType of ""');
}

function gvkOf({ apiVersion, kind }: JsonObject): string {
  return gvk(typeof apiVersion === "string" ? apiVersion : "", typeof kind === "string" ? kind : "");
}

/** As Go prints a GroupVersionKind. */
function gvk(apiVersion: string, kind: string): string {
  return `${apiVersion || "/"}, Kind=${kind}`;
}
