// Refuses requests while the API server of the cluster's control plane does not run, as a port without a server does. Commands on nodes do
// not pass through the API server, so they can mend it.
import { ApiError } from "../../../shared/k8s/status.ts";
import { type Filter, infoOf } from "./filter.ts";

export const withControlPlane: Filter = (next) => (context) => {
  const address = context.server.downAt?.();
  if (address === undefined || isOnNode(infoOf(context))) return next(context);
  const message = `The connection to the server ${address} was refused - did you specify the right host or port?`;
  throw new ApiError(503, "ServiceUnavailable", message, {
    causes: [{ reason: "ConnectionRefused", message: address }],
  });
};

function isOnNode(info: ReturnType<typeof infoOf>): boolean {
  return info.isResource && info.plural === "nodes" && info.subresource === "proxy" && info.rest === "exec";
}
