// A session's sandbox as views, terminal and kubectl reach it.
import type { ClusterAccess } from "../../api/cluster.ts";
import { ControlFailure } from "../../api/control.ts";
import { ListRefused } from "../../live/informer.ts";
import type { Session } from "./session.ts";

export function accessTo(session: Session): ClusterAccess {
  const { id } = session.current().sandbox;
  return { id, token: (isStale) => session.token(isStale).catch(refuse) };
}

/** No token, no list: for the same reason. */
function refuse(error: unknown): never {
  throw error instanceof ControlFailure ? new ListRefused(error.status, error.message) : error;
}
