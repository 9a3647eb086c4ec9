// The edge with a fake cluster, as the tests here run it.
import { handle } from "../../worker/edge/handler.ts";
import type { Env } from "../../worker/env.ts";

export { ClusterObject } from "./fake-cluster-object.ts";
export { TenantObject } from "../../worker/tenant/object.ts";

// The platform reads the default export.
export default { fetch: (request: Request, env: Env) => handle(request, env) };
