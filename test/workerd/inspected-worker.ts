// The deployed Worker, which also reports the number of sockets of a cluster's object.
import { handle } from "../../worker/edge/handler.ts";
import { ClusterObject as RealClusterObject } from "../../worker/cluster/object.ts";
import type { Env } from "../../worker/env.ts";

export { TenantObject } from "../../worker/tenant/object.ts";

let built = 0;

export class ClusterObject extends RealClusterObject {
  readonly #building = ++built;

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/sockets") return super.fetch(request);
    return Response.json({ sockets: this.ctx.getWebSockets().length, building: this.#building });
  }
}

// The platform reads the default export.
export default {
  fetch: (request: Request, env: Env & { CLUSTERS: DurableObjectNamespace<ClusterObject> }) => {
    const [, first, id = ""] = new URL(request.url).pathname.split("/");
    return first === "sockets" ? env.CLUSTERS.getByName(id).fetch("https://host/sockets") : handle(request, env);
  },
};
