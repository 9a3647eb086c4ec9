// The question to a webhook and its answer: AdmissionReview of admission.k8s.io (upstream: webhook/request).
import type { MutatingWebhook, ValidatingWebhook } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { Question, Recipient } from "../../../shared/k8s/question.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { CallFailure } from "./failure.ts";

type Webhook = MutatingWebhook | ValidatingWebhook;

export interface Review {
  readonly question: Question;
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
  readonly warnings: readonly string[];
}

const versions = ["v1", "v1beta1"];
const defaultTimeoutSeconds = 10;
const defaultPort = 443;

export function reviewOf(webhook: Webhook, request: AdmissionRequest): Review {
  const version = webhook.admissionReviewVersions.find((one) => versions.includes(one));
  if (!version) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new CallFailure(webhook.name, `could not create admission objects: ${why}`);
  }
  const uid = request.context.random.uuid();
  const apiVersion = `admission.k8s.io/${version}`;
  const seconds = webhook.timeoutSeconds ?? defaultTimeoutSeconds;
  const body = JSON.stringify({ kind: "AdmissionReview", apiVersion, request: requestOf(uid, request) });
  return { question: { to: recipientOf(webhook, seconds), body, timeoutMs: seconds * 1000 }, uid, apiVersion };
}

/** Also what the expressions of policies know as `request`. */
export function requestOf(uid: string, request: AdmissionRequest): JsonObject {
  const { kind, subresource, operation, object, previous, user, name, namespace, dryRun } = request;
  const { group, version } = kind;
  const connects = operation === "CONNECT";
  // What is connected to with is shown as an object of its own kind, which has no metadata.
  const { metadata: _, ...connection } = object ?? { metadata: {} };
  const ofKind = { group, version, kind: (connects && object?.kind) || kind.kind };
  const resource = { group, version, resource: kind.plural };
  const sub = subresource ? { subResource: subresource } : {};
  const { name: username, uid: userUid = "", groups, extra } = user;
  return {
    uid,
    kind: ofKind,
    resource,
    ...sub,
    requestKind: ofKind,
    requestResource: resource,
    ...(subresource ? { requestSubResource: subresource } : {}),
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : {}),
    operation,
    userInfo: { username, ...(userUid ? { uid: userUid } : {}), groups, ...(extra ? { extra } : {}) },
    object: connects ? connection : (object ?? null),
    oldObject: previous ?? null,
    dryRun,
    options: connects
      ? null
      : { kind: optionsKinds[operation], apiVersion: "meta.k8s.io/v1", ...(dryRun ? { dryRun: ["All"] } : {}) },
  };
}

const optionsKinds: Readonly<Record<Exclude<AdmissionRequest["operation"], "CONNECT">, string>> = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
};

function recipientOf({ name, clientConfig }: Webhook, seconds: number): Recipient {
  const { url, service, caBundle } = clientConfig;
  const trust = caBundle ? { caBundle } : {};
  if (service) {
    const { namespace, port = defaultPort, path = "" } = service;
    const host = `https://${service.name}.${namespace}.svc:${port}`;
    return {
      url: `${host}${path.startsWith("/") ? "" : "/"}${path}?timeout=${seconds}s`,
      service: { namespace, name: service.name, port },
      ...trust,
    };
  }
  if (!url) throw new CallFailure(name, "webhook configuration must have either service or URL");
  return { url: `${url}${url.includes("?") ? "&" : "?"}timeout=${seconds}s`, ...trust };
}

/** Throws `CallFailure` for what is no proper answer. */
export function verdictOf({ name }: Webhook, mutating: boolean, { uid, apiVersion }: Review, answer: unknown): Verdict {
  const invalid = (why: string) => new CallFailure(name, `received invalid webhook response: ${why}`);
  const review = isObject(answer) ? answer : {};
  const response = review["response"];
  if (!isObject(response)) throw invalid("webhook response was absent");
  if (apiVersion === "admission.k8s.io/v1") {
    if (response["uid"] !== uid) {
      const said = typeof response["uid"] === "string" ? response["uid"] : "";
      throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(said)}`);
    }
    if (review["apiVersion"] !== apiVersion || review["kind"] !== "AdmissionReview") {
      throw invalid(`expected webhook response of ${gvk(apiVersion, "AdmissionReview")}, got ${gvkOf(review)}`);
    }
    checkPatch(response, mutating, invalid);
  }
  const patch = mutating && typeof response["patch"] === "string" ? decoded(response["patch"]) : "";
  if (patch === undefined) throw new CallFailure(name, "received undecodable patch in webhook response");
  return {
    allowed: response["allowed"] === true,
    status: isObject(response["status"]) ? response["status"] : {},
    patch,
    warnings: Array.isArray(response["warnings"])
      ? response["warnings"].filter((one): one is string => typeof one === "string")
      : [],
  };
}

function checkPatch({ patch, patchType }: JsonObject, mutating: boolean, invalid: (why: string) => Error): void {
  const hasPatch = typeof patch === "string" && patch !== "";
  const hasType = patchType !== undefined && patchType !== null;
  if (!mutating) {
    if (hasPatch) throw invalid("validating webhook may not return response.patch");
    if (hasType) throw invalid("validating webhook may not return response.patchType");
    return;
  }
  if (hasPatch && !hasType) throw invalid("webhook returned response.patch but not response.patchType");
  if (!hasPatch && hasType) throw invalid("webhook returned response.patchType but not response.patch");
  if (hasType && patchType !== "JSONPatch") throw invalid(`unsupported patch type ${JSON.stringify(patchType)}`);
}

function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function gvkOf({ apiVersion, kind }: JsonObject): string {
  return gvk(typeof apiVersion === "string" ? apiVersion : "", typeof kind === "string" ? kind : "");
}

/** As Go prints a GroupVersionKind. */
function gvk(apiVersion: string, kind: string): string {
  return `${apiVersion}, Kind=${kind}`;
}
