// Builds AdmissionReview requests and reads their responses (admission.k8s.io; upstream: webhook/request).
import { textOfBase64 } from "../../../shared/base/base64.ts";
import type { MutatingWebhook, ValidatingWebhook } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { OutboundCall, Recipient, WebhookIdentity } from "../../../shared/k8s/outbound-call.ts";
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

/** The validated response of a webhook. */
export interface Verdict {
  readonly allowed: boolean;
  /** The Status as the webhook set it. */
  readonly status: JsonObject;
  /** The JSON text of a JSON patch; "" for none. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  /** Audit annotations, keyed under the webhook's name. */
  readonly annotations: Readonly<Record<string, string>>;
}

interface ReviewedWebhook {
  readonly webhook: Webhook;
  readonly kind: Kind;
  readonly identity: WebhookIdentity;
}

const versions = ["v1", "v1beta1"];
const defaultTimeoutSeconds = 10;

export function reviewOf({ webhook, kind, identity }: ReviewedWebhook, request: AdmissionRequest): Review {
  const version = webhook.admissionReviewVersions.find((version) => versions.includes(version));
  if (!version) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new ErrCallingWebhook(webhook.name, `could not create admission objects: ${why}`);
  }
  const uid = request.context.random.uuid();
  const apiVersion = `admission.k8s.io/${version}`;
  const seconds = webhook.timeoutSeconds ?? defaultTimeoutSeconds;
  const body = JSON.stringify({ kind: "AdmissionReview", apiVersion, request: requestOf(uid, request, kind) });
  const question = { to: recipientOf(webhook, seconds), body, timeoutMs: seconds * 1000, webhook: identity };
  return { question, uid, apiVersion };
}

/** Builds the request. Expressions of policies see it as `request`. `matchedKind` is the version that the rules name. */
export function requestOf(uid: string, request: AdmissionRequest, matchedKind: Kind): JsonObject {
  const { subresource, operation, object, oldObject, userInfo, name, dryRun, options = null } = request;
  const requestKind = request.requestKind ?? request.kind;
  const sub = subresource ? { subResource: subresource } : {};
  const namespace = namespaceOf(request);
  const { name: username, uid: userUid = "", groups, extra } = userInfo;
  return {
    uid,
    kind: kindOf(request.objectKind ?? matchedKind),
    resource: resourceOf(matchedKind),
    ...sub,
    requestKind: kindOf(request.objectKind ?? requestKind),
    requestResource: resourceOf(requestKind),
    ...(subresource ? { requestSubResource: subresource } : {}),
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
    operation,
    userInfo: { username, ...(userUid ? { uid: userUid } : {}), groups, ...(extra ? { extra } : {}) },
    object: object ? shownObject(matchedKind, request, object) : null,
    oldObject: oldObject ? inVersion(matchedKind, request, oldObject) : null,
    dryRun,
    options,
  };
}

/** Returns the object to send in the matched version. CONNECT options have no metadata. */
export function shownObject(matchedKind: Kind, request: AdmissionRequest, object: KubeObject): object {
  if (request.operation !== "CONNECT") return inVersion(matchedKind, request, object);
  const { metadata: _, ...connection } = object;
  return connection;
}

/** Returns the namespace of the request. A Namespace is in itself. */
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

/** Validates a decoded response. Throws `ErrCallingWebhook` if it is invalid. */
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
    // Decoding has checked that the patch is base64.
    patch: mutating && typeof patch === "string" ? textOfBase64(patch) : "",
    patchType: isOld ? "JSONPatch" : typeof patchType === "string" ? patchType : "",
    // The response has this type.
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

/** Returns a GroupVersionKind as Go prints it. */
function gvk(apiVersion: string, kind: string): string {
  return `${apiVersion || "/"}, Kind=${kind}`;
}
