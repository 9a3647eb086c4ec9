// Reads of past states of a sandbox: `?at=` with a resource version or a time, or `/at/<moment>` before the path.
import { ApiError } from "../../shared/k8s/status.ts";
import { readOnlyAt } from "../store/past-store.ts";
import type { ApiServer } from "./api-server.ts";
import { type FilterContext, infoOf } from "./filters/filter.ts";
import { momentParameter } from "./moment.ts";
import type { ResourceInfo } from "./request-info.ts";

/** Subresources that read a container or the scheduler of the present. */
const unstored = new Set(["exec", "attach", "portforward", "proxy", "scheduling"]);
/** Groups whose resources are only created and never stored. */
const reviews = new Set(["authorization.k8s.io", "authentication.k8s.io"]);

/**
 * Returns the server for a request: of the past moment that it names, if any. Throws `ApiError` if the moment cannot be read, or if the
 * request is not a read.
 */
export function serverAt(context: FilterContext): ApiServer {
  const { server, url, headers } = context;
  const moment = url.searchParams.get(momentParameter);
  const info = infoOf(context);
  if (moment === null || !info.isResource) return server;
  if (!server.at) throw ApiError.badRequest("the past of this cluster cannot be read");
  const registry = server.at(moment);
  requireRead(info, url.searchParams, registry.store.revision);
  headers["date"] = new Date(registry.clock.nowMs()).toUTCString();
  return { ...server, registry, present: server.registry };
}

function requireRead({ verb, group, subresource }: ResourceInfo, query: URLSearchParams, revision: number): void {
  if (unstored.has(subresource)) {
    const message = `${subresource} cannot be asked as of revision ${revision}: only objects and logs are kept of the past`;
    throw new ApiError(405, "MethodNotAllowed", message);
  }
  if (verb === "watch") {
    const message = `the cluster is shown as it was at revision ${revision}, where nothing changes any more: list it, and do not watch`;
    throw new ApiError(405, "MethodNotAllowed", message);
  }
  if (verb === "get" || verb === "list" || reviews.has(group)) return;
  // `kubectl diff` sends dry runs.
  if (query.getAll("dryRun").includes("All")) return;
  throw readOnlyAt(revision);
}
