// The sessions that count against the sandbox's limit: the edge names each, and its steps say that it is still there.
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import type { Call } from "../api-server.ts";

/** Throws 429 where there are too many. */
export function sessionBegins(call: Call): void {
  withId(call, (id) => call.service.load.sessions.take(id));
}

export function sessionGoesOn(call: Call): void {
  withId(call, (id) => call.service.load.sessions.renew(id));
}

export function sessionEnds(call: Call): void {
  withId(call, (id) => call.service.load.sessions.release(id));
}

/** Only the edge can send one. */
function withId({ request }: Call, act: (id: string) => void): void {
  const id = request.headers.get(internalHeaders.sessionId);
  if (id) act(id);
}
