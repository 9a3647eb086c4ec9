// Counts sessions against the sandbox's limit. The edge gives each an id, and each step renews it.
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { ApiRequest } from "../api-request.ts";

/** Registers a session. Throws 429 if there are too many. */
export function sessionBegins(req: ApiRequest): void {
  withId(req, (id) => req.server.load.sessions.take(id));
}

export function sessionGoesOn(req: ApiRequest): void {
  withId(req, (id) => req.server.load.sessions.renew(id));
}

export function sessionEnds(req: ApiRequest): void {
  withId(req, (id) => req.server.load.sessions.release(id));
}

/** Runs `act` with the session id, which only the edge can send. */
function withId({ request }: ApiRequest, act: (id: string) => void): void {
  const id = request.headers.get(internalHeaders.sessionId);
  if (id) act(id);
}
