// Access to a sandbox's Kubernetes API with a given token. After a lost connection, the API decides whether to continue.
import { newConnectionGate } from "../live/ended.ts";
import { ListRefused } from "../live/informer.ts";
import { ask, type ClusterAccess } from "./cluster.ts";

/** `token` is called before every request, so that it can be renewed. */
export function accessWith(
  id: string,
  token: ClusterAccess["tokenSource"],
  { mayWrite }: Pick<ClusterAccess, "mayWrite">,
): ClusterAccess {
  const access: ClusterAccess = {
    id,
    tokenSource: token,
    mayWrite,
    gate: newConnectionGate(async () => {
      const answer = await ask(access, "/version");
      if (!answer.ok) throw new ListRefused(answer.status, answer.statusText);
    }),
  };
  return access;
}
