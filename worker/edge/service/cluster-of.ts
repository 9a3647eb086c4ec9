// The stubs of clusters' objects.
import { BoundedCache } from "../../../shared/base/bounded-cache.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Env } from "../../env.ts";

/** Creates a stub for each request, because a stub belongs to one request. The id is computed once for each name. */
export function clusterOf({ CLUSTERS }: Pick<Env, "CLUSTERS">) {
  const ids = new BoundedCache<string, DurableObjectId>(limits.keptAdmissions);
  return (name: string) => {
    const cached = ids.get(name);
    if (cached) return CLUSTERS.get(cached);
    const id = CLUSTERS.idFromName(name);
    ids.set(name, id);
    return CLUSTERS.get(id);
  };
}
