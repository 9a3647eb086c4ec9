// Opens the socket that tells the edge when to close a client's connection. Only the edge requests it, for authenticated clients.
import { must } from "../../../shared/base/assert.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Filter } from "./filter.ts";

export const withLifeline: Filter = (next) => (context) => {
  const { server, request, sender } = context;
  if (!request.headers.has(internalHeaders.lifeline)) return next(context);
  if (!server.sockets) throw ApiError.noSuchPath();
  const { credential } = must(sender, "the sender");
  return request.headers.get(internalHeaders.lifeline) === "changes"
    ? server.sockets.followChanges(credential)
    : server.sockets.hold(credential);
};
