// Requests that name an object of any kind: the kind stands before the name, as in `deployments.apps/web`.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import type { Request } from "../../runtime/controller.ts";

/** No name of an object holds a slash, so the first one parts the two. */
export function objectRequest(kind: Kind, object: KubeObject): Request {
  return { namespace: object.metadata.namespace ?? "", name: `${kind.resource}/${object.metadata.name ?? ""}` };
}

/** The object that a request names, if it is still there. */
export function requestedObject(request: Request, client: Client): { kind: Kind; object: KubeObject } | undefined {
  const slash = request.name.indexOf("/");
  const resource = request.name.slice(0, slash);
  const kind = client.kinds().find((one) => one.resource === resource);
  const object = kind && client.get(kind, request.namespace, request.name.slice(slash + 1));
  return kind && object ? { kind, object } : undefined;
}
