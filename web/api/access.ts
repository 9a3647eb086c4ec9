// A sandbox's Kubernetes API with a token that somebody was given: where a connection is lost, the API itself is asked whether to go on.
import { newGate } from "../live/ended.ts";
import { ListRefused } from "../live/informer.ts";
import { ask, type ClusterAccess } from "./cluster.ts";

/** `token`: asked before every request, so that it may be renewed. */
export function accessWith(
  id: string,
  token: ClusterAccess["token"],
  { mayWrite }: Pick<ClusterAccess, "mayWrite">,
): ClusterAccess {
  const access: ClusterAccess = {
    id,
    token,
    mayWrite,
    gate: newGate(async () => {
      const answer = await ask(access, "/version");
      if (!answer.ok) throw new ListRefused(answer.status, answer.statusText);
    }),
  };
  return access;
}
