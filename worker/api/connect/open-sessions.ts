// The sessions that count against the sandbox's limit: the edge names each, and its steps say that it is still there.
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { ApiRequest } from "../api-request.ts";

/** Throws 429 where there are too many. */
export function sessionBegins(req: ApiRequest): void {
  withId(req, (id) => req.server.load.sessions.take(id));
}

export function sessionGoesOn(req: ApiRequest): void {
  withId(req, (id) => req.server.load.sessions.renew(id));
}

export function sessionEnds(req: ApiRequest): void {
  withId(req, (id) => req.server.load.sessions.release(id));
}

/** Only the edge can send one. */
function withId({ request }: ApiRequest, act: (id: string) => void): void {
  const id = request.headers.get(internalHeaders.sessionId);
  if (id) act(id);
}
