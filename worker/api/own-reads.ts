// Reads of this project that upstream does not have: additional information at a path below an object.
import { ApiError } from "../../shared/k8s/status.ts";
import { answer } from "./negotiation/compression.ts";
import { uncached } from "./negotiation/answer-headers.ts";
import type { ResourceInfo, RequestInfo } from "./request-info.ts";
import type { ApiRequest } from "./api-request.ts";
import type { OwnRead, ApiServer } from "./api-server.ts";

/** Returns the additional read of a request, if it is one. It is not a subresource, so discovery does not list it. */
export function ownRead({ ownReads }: ApiServer, info: RequestInfo): OwnRead | undefined {
  if (!info.isResource || info.verb !== "get" || info.namespace === "" || info.subresource === "" || info.rest !== "") {
    return undefined;
  }
  return ownReads?.[`${info.apiVersion}/${info.plural}/${info.subresource}`];
}

/** Returns the info for authorization: `get` of the object is required. */
export function asGet<T extends RequestInfo>(info: T): T {
  return info.isResource ? { ...info, subresource: "" } : info;
}

export function answerOwnRead({ request }: ApiRequest, { namespace, name }: ResourceInfo, read: OwnRead): Response {
  const document = read(namespace, name);
  if (!document) throw ApiError.noSuchPath();
  return answer(request, `${JSON.stringify(document, null, 2)}\n`, 200, {
    "content-type": "application/json",
    ...uncached,
  });
}
