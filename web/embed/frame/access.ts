// A session's sandbox as views, terminal and kubectl reach it.
import { accessWith } from "../../api/access.ts";
import type { ClusterAccess } from "../../api/cluster.ts";
import { ControlFailure } from "../../api/control-failure.ts";
import { ListRefused } from "../../live/informer.ts";
import type { Session } from "./session.ts";

export function accessTo(session: Session): ClusterAccess {
  const { sandbox, readOnly } = session.current();
  return accessWith(sandbox.id, (isStale) => session.token(isStale).catch(refuse), { mayWrite: !readOnly });
}

/** No token, no list: for the same reason. */
function refuse(error: unknown): never {
  throw error instanceof ControlFailure ? new ListRefused(error.status, error.message) : error;
}
