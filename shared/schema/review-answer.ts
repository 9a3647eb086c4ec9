// The answer of a webhook as client-go reads it: the review in its body, or an error.
import type { OutboundAnswer } from "../k8s/outbound-call.ts";
import { ApiError } from "../k8s/status.ts";
import { parseJson } from "./json.ts";
import { isObject, type JsonObject } from "./json-values.ts";
import { typeMetaProblem } from "./type-meta.ts";

type Answered = Extract<OutboundAnswer, { ok: true }>;

export interface ReviewKind {
  readonly group: string;
  readonly kind: string;
}

const knownVersions = ["v1", "v1beta1"];

/** Returns the review in the version of the request. Throws an `ApiError` with the message of upstream's client. */
export function reviewIn(answer: OutboundAnswer, review: ReviewKind, version: string): JsonObject {
  if (!answer.ok) throw ApiError.badRequest(answer.message);
  if (answer.status < 200 || answer.status > 206) throw ApiError.badRequest(statusOf(answer) ?? statusText(answer));
  if (answer.body === "") {
    const type = answer.contentType ?? "application/json";
    throw ApiError.badRequest(`0-length response with status code: ${answer.status} and content type: ${type}`);
  }
  return decoded(review, version, answer.body);
}

function decoded({ group, kind: name }: ReviewKind, version: string, body: string): JsonObject {
  const unread = (why: string) => ApiError.badRequest(`couldn't get version/kind; json parse error: ${why}`);
  const value = attempt(() => parseJson(body).value, unread);
  const problem = typeMetaProblem(value);
  if (problem !== undefined) throw ApiError.badRequest(problem);
  const review = isObject(value) ? value : {};
  const apiVersion = textOf(review["apiVersion"]) || `${group}/${version}`;
  const kind = textOf(review["kind"]) || name;
  const answeredVersion = knownVersions.find((candidate) => apiVersion === `${group}/${candidate}`);
  if (answeredVersion === undefined || kind !== name) {
    const what = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw ApiError.badRequest(`${what} in scheme "pkg/runtime/scheme.go:111"`);
  }
  if (answeredVersion !== version) {
    throw ApiError.badRequest(`converting (${answeredVersion}.${name}) to (${version}.${name}): unknown conversion`);
  }
  return review;
}

function attempt<T>(body: () => T, otherwise: (why: string) => ApiError): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof ApiError) throw otherwise(error.message);
    throw error;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the message of a Status in the body of a failure. */
function statusOf({ body }: Answered): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value) || (value["kind"] ?? "Status") !== "Status" || (value["apiVersion"] ?? "v1") !== "v1")
      return undefined;
    return value["status"] === "Success" ? undefined : textOf(value["message"]);
  } catch {
    return undefined;
  }
}

const longestText = 2048;

/** Words a failure without a Status like client-go. */
function statusText({ status, body, contentType = "text/plain" }: Answered): string {
  const text = contentType.startsWith("text/") ? body.slice(0, longestText).trim() : "unknown";
  const messages: Readonly<Record<number, string>> = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    403: text,
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    406: text === "unknown" ? "the server was unable to respond with a content type that the client supports" : text,
    409: "the server reported a conflict",
    415: text,
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
  };
  if (messages[status] !== undefined) return messages[status];
  if (status >= 500) {
    return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  }
  return `the server responded with the status code ${status} but did not return more information`;
}
