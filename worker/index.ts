// The Worker: requests go to the edge, clusters are objects.
import { handle, sweep } from "./edge/handler.ts";
import type { Env } from "./env.ts";
import { trustReaders } from "./store/freeze.ts";

trustReaders();

export { ClusterObject } from "./cluster/object.ts";

// The platform reads the default export.
export default {
  fetch: (request, env) => handle(request, env),
  scheduled: (_event, env) => sweep(env),
} satisfies ExportedHandler<Env>;
