// The question to a conversion webhook and its answer: ConversionReview of apiextensions.k8s.io.
import type { CustomResourceConversion } from "../../../shared/k8s/api/apiextensions-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Answer, Question, Recipient } from "../../../shared/k8s/question.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";

const timeoutMs = 30_000;
const defaultPort = 443;
const known = ["v1", "v1beta1"];

/** All of the objects have one version. */
export function conversionQuestion(
  objects: readonly KubeObject[],
  { webhook }: CustomResourceConversion,
  desiredAPIVersion: string,
): Question {
  const version = webhook?.conversionReviewVersions.find((one) => known.includes(one));
  if (!version) throw failed(objects, "failed: no supported conversion review versions");
  // The same question, whenever it is asked: so its answer is found again.
  const uid = objects[0]?.metadata.uid ?? "";
  const apiVersion = `apiextensions.k8s.io/${version}`;
  const body = { kind: "ConversionReview", apiVersion, request: { uid, desiredAPIVersion, objects } };
  return { to: recipientOf(webhook?.clientConfig), body: JSON.stringify(body), timeoutMs };
}

function recipientOf(client: NonNullable<CustomResourceConversion["webhook"]>["clientConfig"]): Recipient {
  const { url = "", service, caBundle } = client ?? {};
  if (!service) return { url, caBundle };
  const { namespace, name, port = defaultPort, path = "" } = service;
  const where = `https://${name}.${namespace}.svc:${port}${path.startsWith("/") ? "" : "/"}${path}`;
  return { url: where, service: { namespace, name, port }, caBundle };
}

/** Each object in its new version, or why none is. */
export function convertedIn(
  question: Question,
  answer: Answer,
  objects: readonly KubeObject[],
  apiVersion: string,
): readonly KubeObject[] | ApiError {
  try {
    const found = objectsIn(question, answer, objects);
    if (found.length !== objects.length) {
      return failed(objects, `returned ${found.length} objects, expected ${objects.length}`);
    }
    return objects.map((object, index) => checked(object, found[index], index, apiVersion));
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function objectsIn(question: Question, answer: Answer, objects: readonly KubeObject[]): readonly unknown[] {
  const refuse = (why: string) => failed(objects, `failed: ${why}`);
  if (!answer.ok) throw refuse(answer.message);
  if (answer.status < 200 || answer.status > 299) {
    const said = JSON.stringify(answer.body.trim() || "unknown");
    throw refuse(
      answer.status >= 500
        ? `an error on the server (${said}) has prevented the request from succeeding`
        : `the server responded with the status code ${answer.status} but did not return more information`,
    );
  }
  const review = parsed(answer.body);
  const response = review["response"];
  if (!isObject(response)) throw refuse("no response provided");
  const asked = parsed(question.body);
  const uid = isObject(asked["request"]) ? asked["request"]["uid"] : "";
  const isOld = asked["apiVersion"] === "apiextensions.k8s.io/v1beta1";
  if (!isOld && response["uid"] !== uid) {
    throw refuse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response["uid"] ?? "")}`);
  }
  const result = isObject(response["result"]) ? response["result"] : {};
  if (result["status"] !== "Success") {
    const said = typeof result["message"] === "string" ? result["message"] : "";
    throw refuse(said || `response.result.status was '${textOf(result["status"])}', not 'Success'`);
  }
  return Array.isArray(response["convertedObjects"]) ? response["convertedObjects"] : [];
}

/** Of the metadata a webhook changes labels and annotations alone. */
function checked(object: KubeObject, converted: unknown, index: number, apiVersion: string): KubeObject {
  const refuse = (why: string) => failed([object], `returned invalid converted object at index ${index}: ${why}`);
  const fields = isObject(converted) ? converted : {};
  if (fields["apiVersion"] !== apiVersion) {
    throw refuse(`invalid groupVersion (expected ${apiVersion}, received ${textOf(fields["apiVersion"])})`);
  }
  if (fields["kind"] !== object.kind) {
    throw refuse(`invalid kind (expected ${object.kind}, received ${textOf(fields["kind"])})`);
  }
  const metadata = isObject(fields["metadata"]) ? fields["metadata"] : {};
  for (const [field, name] of sameFields) {
    const [wanted, got] = [object.metadata[field] ?? "", textOf(metadata[field])];
    if (wanted !== got) throw refuse(`must have the same ${name}: ${wanted} != ${got}`);
  }
  const { labels: _labels, annotations: _annotations, ...rest } = object.metadata;
  const own = Object.fromEntries(
    (["labels", "annotations"] as const).flatMap((field) => (metadata[field] ? [[field, metadata[field]]] : [])),
  );
  // What is no object of the kind is found when it is decoded.
  return { ...fields, apiVersion, kind: object.kind, metadata: { ...rest, ...own } };
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

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
