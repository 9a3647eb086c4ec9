// Builds requests to conversion webhooks and reads their responses: ConversionReview of apiextensions.k8s.io.
import type { CustomResourceConversion } from "../../../../shared/k8s/api/apiextensions-v1.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import type { OutboundAnswer, OutboundCall } from "../../../../shared/k8s/outbound-call.ts";
import { path } from "../../../../shared/k8s/field.ts";
import { goType } from "../../../../shared/k8s/go-text.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { validateAnnotations, validateLabels } from "../../../../shared/k8s/validate-meta.ts";
import { equalJson, isObject, type JsonObject } from "../../../../shared/schema/json-values.ts";
import { recipientOfWebhook } from "../../../../shared/schema/webhook-client.ts";
import { reviewIn } from "../../../../shared/schema/review-answer.ts";

const timeoutMs = 30_000;
const supportedVersions = ["v1", "v1beta1"];

/** Builds the call. All objects have the same version. */
export function conversionQuestion(
  objects: readonly KubeObject[],
  { webhook }: CustomResourceConversion,
  desiredAPIVersion: string,
): OutboundCall {
  const version = webhook?.conversionReviewVersions.find((version) => supportedVersions.includes(version));
  if (!version) throw conversionError(objects, "failed: no supported conversion review versions");
  // The uid is derived from the objects, so that a repeated call finds the earlier answer.
  const uid = objects[0]?.metadata.uid ?? "";
  const apiVersion = `apiextensions.k8s.io/${version}`;
  const body = { kind: "ConversionReview", apiVersion, request: { uid, desiredAPIVersion, objects } };
  const to = recipientOfWebhook(webhook?.clientConfig, timeoutMs / 1000) ?? { url: "" };
  return { to, body: JSON.stringify(body), timeoutMs };
}

/** Returns the converted objects. Throws the error if the conversion failed. */
export function convertedIn(
  call: OutboundCall,
  answer: OutboundAnswer,
  objects: readonly KubeObject[],
  apiVersion: string,
): readonly KubeObject[] | ApiError {
  try {
    const convertedObjects = objectsIn(call, answer, objects);
    if (convertedObjects.length !== objects.length) {
      return conversionError(objects, `returned ${convertedObjects.length} objects, expected ${objects.length}`);
    }
    return objects.map((object, index) => checkConverted(object, convertedObjects[index], apiVersion));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const conversionReview = { group: "apiextensions.k8s.io", kind: "ConversionReview" };

function objectsIn(call: OutboundCall, answer: OutboundAnswer, objects: readonly KubeObject[]): readonly unknown[] {
  const refuse = (why: string) => conversionError(objects, `failed: ${why}`);
  const reviewRequest = JSON.parse(call.body) as { apiVersion: string; request: { uid: string } }; // This code has written the text.
  const version = reviewRequest.apiVersion.slice(reviewRequest.apiVersion.indexOf("/") + 1);
  const { response } = read(() => reviewIn(answer, conversionReview, version), refuse);
  if (!isObject(response)) throw refuse("no response provided");
  const { uid } = reviewRequest.request;
  if (version === "v1" && response["uid"] !== uid) {
    throw refuse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response["uid"] ?? "")}`);
  }
  const result = isObject(response["result"]) ? response["result"] : {};
  if (result["status"] !== "Success") {
    throw refuse(
      textOf(result["message"]) || `response.result.status was '${textOf(result["status"])}', not 'Success'`,
    );
  }
  return Array.isArray(response["convertedObjects"]) ? response["convertedObjects"] : [];
}

function read(body: () => JsonObject, refuse: (why: string) => ApiError): { readonly response?: unknown } {
  try {
    return body();
  } catch (error) {
    throw error instanceof ApiError ? refuse(error.message) : error;
  }
}

/** Validates a converted object. A webhook may only change labels and annotations in the metadata. */
function checkConverted(object: KubeObject, converted: unknown, apiVersion: string): KubeObject {
  if (!isObject(converted)) throw new ApiError(500, "", unread(converted));
  const refuse = (why: string) => conversionError([object], `returned invalid object${why}`);
  if (converted["apiVersion"] !== apiVersion) {
    throw refuse(
      ` at index 0: invalid groupVersion (expected ${apiVersion}, received ${textOf(converted["apiVersion"])})`,
    );
  }
  if (converted["kind"] !== object.kind) {
    throw refuse(` at index 0: invalid kind (expected ${object.kind}, received ${textOf(converted["kind"])})`);
  }
  const metadata = isObject(converted["metadata"]) ? converted["metadata"] : {};
  for (const [field, name] of sameFields) {
    const [expected, got] = [object.metadata[field] ?? "", textOf(metadata[field])];
    if (expected !== got) throw refuse(`: must have the same ${name}: ${expected} != ${got}`);
  }
  const { labels: _labels, annotations: _annotations, ...rest } = object.metadata;
  const ownMetadata = Object.fromEntries(
    (["labels", "annotations"] as const).flatMap((name) => {
      const problem = problemOf(name, metadata[name], object);
      if (problem !== undefined) throw conversionError([object], `returned invalid metadata: ${problem}`);
      return metadata[name] ? [[name, metadata[name]]] : [];
    }),
  );
  // Decoding reports values that are not objects of the kind.
  return { ...converted, apiVersion, kind: object.kind, metadata: { ...rest, ...ownMetadata } };
}

function unread(response: unknown): string {
  if (response === null || response === undefined) return "unexpected end of JSON input";
  const type = Array.isArray(response) ? "array" : typeof response === "boolean" ? "bool" : typeof response;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

/** Returns the error of labels or annotations, if the webhook changed them. */
function problemOf(name: "labels" | "annotations", value: unknown, { metadata }: KubeObject): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) return `invalid metadata.${name} of type ${goType(value)} in converted object`;
  const odd = Object.entries(value).find(([, value]) => typeof value !== "string");
  if (odd) return `metadata.${name}[${odd[0]}] must be a string, but is ${goType(odd[1])} in converted object`;
  if (equalJson(value, metadata[name] ?? {})) return undefined;
  const texts = value as Record<string, string>; // The type was checked above.
  const errors =
    name === "labels"
      ? validateLabels(texts, path("metadata", "labels"))
      : validateAnnotations(texts, path("metadata", "annotation"));
  const all = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return all.length > 1 ? `[${all.join(", ")}]` : all[0];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const sameFields = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

/** Returns upstream's plain error without a reason. */
function conversionError([object]: readonly KubeObject[], why: string): ApiError {
  return new ApiError(500, "", `conversion webhook for ${object?.apiVersion ?? ""}, Kind=${object?.kind ?? ""} ${why}`);
}
