// The question to a conversion webhook and its answer: ConversionReview of apiextensions.k8s.io.
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
const known = ["v1", "v1beta1"];

/** All of the objects have one version. */
export function conversionQuestion(
  objects: readonly KubeObject[],
  { webhook }: CustomResourceConversion,
  desiredAPIVersion: string,
): OutboundCall {
  const version = webhook?.conversionReviewVersions.find((one) => known.includes(one));
  if (!version) throw failed(objects, "failed: no supported conversion review versions");
  // The same question, whenever it is asked: so its answer is found again.
  const uid = objects[0]?.metadata.uid ?? "";
  const apiVersion = `apiextensions.k8s.io/${version}`;
  const body = { kind: "ConversionReview", apiVersion, request: { uid, desiredAPIVersion, objects } };
  const to = recipientOfWebhook(webhook?.clientConfig, timeoutMs / 1000) ?? { url: "" };
  return { to, body: JSON.stringify(body), timeoutMs };
}

/** Each object in its new version, or why none is. */
export function convertedIn(
  call: OutboundCall,
  answer: OutboundAnswer,
  objects: readonly KubeObject[],
  apiVersion: string,
): readonly KubeObject[] | ApiError {
  try {
    const found = objectsIn(call, answer, objects);
    if (found.length !== objects.length) {
      return failed(objects, `returned ${found.length} objects, expected ${objects.length}`);
    }
    return objects.map((object, index) => checked(object, found[index], apiVersion));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const conversionReview = { group: "apiextensions.k8s.io", kind: "ConversionReview" };

function objectsIn(call: OutboundCall, answer: OutboundAnswer, objects: readonly KubeObject[]): readonly unknown[] {
  const refuse = (why: string) => failed(objects, `failed: ${why}`);
  const asked = JSON.parse(call.body) as { apiVersion: string; request: { uid: string } }; // written above
  const version = asked.apiVersion.slice(asked.apiVersion.indexOf("/") + 1);
  const { response } = read(() => reviewIn(answer, conversionReview, version), refuse);
  if (!isObject(response)) throw refuse("no response provided");
  const { uid } = asked.request;
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

/** Of the metadata a webhook changes labels and annotations alone. */
function checked(object: KubeObject, given: unknown, apiVersion: string): KubeObject {
  if (!isObject(given)) throw new ApiError(500, "", unread(given));
  const refuse = (why: string) => failed([object], `returned invalid object${why}`);
  if (given["apiVersion"] !== apiVersion) {
    throw refuse(` at index 0: invalid groupVersion (expected ${apiVersion}, received ${textOf(given["apiVersion"])})`);
  }
  if (given["kind"] !== object.kind) {
    throw refuse(` at index 0: invalid kind (expected ${object.kind}, received ${textOf(given["kind"])})`);
  }
  const metadata = isObject(given["metadata"]) ? given["metadata"] : {};
  for (const [field, name] of sameFields) {
    const [wanted, got] = [object.metadata[field] ?? "", textOf(metadata[field])];
    if (wanted !== got) throw refuse(`: must have the same ${name}: ${wanted} != ${got}`);
  }
  const { labels: _labels, annotations: _annotations, ...rest } = object.metadata;
  const own = Object.fromEntries(
    (["labels", "annotations"] as const).flatMap((name) => {
      const problem = problemOf(name, metadata[name], object);
      if (problem !== undefined) throw failed([object], `returned invalid metadata: ${problem}`);
      return metadata[name] ? [[name, metadata[name]]] : [];
    }),
  );
  // What is no object of the kind is found when it is decoded.
  return { ...given, apiVersion, kind: object.kind, metadata: { ...rest, ...own } };
}

function unread(given: unknown): string {
  if (given === null || given === undefined) return "unexpected end of JSON input";
  const type = Array.isArray(given) ? "array" : typeof given === "boolean" ? "bool" : typeof given;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

/** What is wrong with labels or annotations, where they are not those that were there. */
function problemOf(name: "labels" | "annotations", given: unknown, { metadata }: KubeObject): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (!isObject(given)) return `invalid metadata.${name} of type ${goType(given)} in converted object`;
  const odd = Object.entries(given).find(([, value]) => typeof value !== "string");
  if (odd) return `metadata.${name}[${odd[0]}] must be a string, but is ${goType(odd[1])} in converted object`;
  if (equalJson(given, metadata[name] ?? {})) return undefined;
  const texts = given as Record<string, string>; // seen above
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

/** As upstream's plain errors end: no reason. */
function failed([object]: readonly KubeObject[], why: string): ApiError {
  return new ApiError(500, "", `conversion webhook for ${object?.apiVersion ?? ""}, Kind=${object?.kind ?? ""} ${why}`);
}
