// The Worker: requests go to the edge, clusters are objects.
import { handle } from "./edge/handler.ts";
import { sweep } from "./edge/sweep.ts";
import type { Env } from "./env.ts";
import { trustReaders } from "./store/freeze.ts";

trustReaders();

export { ClusterObject } from "./cluster/object.ts";
export { TenantObject } from "./tenant/object.ts";

// The platform reads the default export.
export default {
  fetch: (request, env) => handle(request, env),
  scheduled: (_event, env) => sweep(env),
} satisfies ExportedHandler<Env>;
