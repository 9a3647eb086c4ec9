// Reads that this project has beside upstream's: what it knows of an object, at a path of its own under the object.
import { ApiError } from "../../shared/k8s/status.ts";
import { answer } from "./negotiation/compression.ts";
import { uncached } from "./present/present.ts";
import type { ResourceInfo, RequestInfo } from "./request-info.ts";
import type { ApiRequest } from "./api-request.ts";
import type { OwnRead, ApiServer } from "./api-server.ts";

/** The read that a request asks for, if it is one. It is no subresource of the API: discovery does not name it. */
export function ownRead({ ownReads }: ApiServer, info: RequestInfo): OwnRead | undefined {
  if (!info.isResource || info.verb !== "get" || info.namespace === "" || info.subresource === "" || info.rest !== "") {
    return undefined;
  }
  return ownReads?.[`${info.apiVersion}/${info.plural}/${info.subresource}`];
}

/** Who may get the object may read what is known of it. */
export function asGet<T extends RequestInfo>(info: T): T {
  return info.isResource ? { ...info, subresource: "" } : info;
}

export function answerOwnRead({ request }: ApiRequest, { namespace, name }: ResourceInfo, read: OwnRead): Response {
  const found = read(namespace, name);
  if (!found) throw ApiError.noSuchPath();
  return answer(request, `${JSON.stringify(found, null, 2)}\n`, 200, {
    "content-type": "application/json",
    ...uncached,
  });
}
