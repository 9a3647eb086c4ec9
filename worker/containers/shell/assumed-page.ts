// The answers of a server about which nothing is known. To the API server it answers as a healthy one: a webhook allows every request and
// converts objects without a change, and an aggregated API serves no resources.
import { type Page, plainPage, type Visit } from "./server.ts";

/** The units of work for a character of a body that is read. */
const characterWork = 1 / 64;

interface Review {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly request?: {
    readonly uid?: unknown;
    readonly desiredAPIVersion?: unknown;
    readonly objects?: readonly unknown[];
  };
}

export function assumedPage(visit: Visit): Page {
  const object = apiResources(visit) ?? reviewed(visit);
  if (!object) return { ...plainPage(visit), mayBeTls: true };
  return { contentType: "application/json", body: JSON.stringify(object), mayBeTls: true };
}

function apiResources({ method, path }: Visit): object | undefined {
  const [, groupVersion] = (method === "GET" && /^\/apis\/([^/?]+\/v\d[^/?]*)(?:\?|$)/.exec(path)) || [];
  return groupVersion === undefined
    ? undefined
    : { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [] };
}

function reviewed({ method, body, pays }: Visit): object | undefined {
  if (method !== "POST" || !/"kind":\s*"(Admission|Conversion)Review"/.test(body)) return undefined;
  pays?.(body.length * characterWork);
  const review = parsed(body);
  const { uid = "", desiredAPIVersion: apiVersion, objects } = review?.request ?? {};
  if (!review?.request) return undefined;
  const response =
    review.kind === "ConversionReview" && Array.isArray(objects)
      ? { uid, result: { status: "Success" }, convertedObjects: objects.map((object) => ({ ...object, apiVersion })) }
      : { uid, allowed: true };
  return { apiVersion: review.apiVersion, kind: review.kind, response };
}

function parsed(body: string): Review | undefined {
  try {
    return JSON.parse(body) as Review;
  } catch {
    return undefined;
  }
}
