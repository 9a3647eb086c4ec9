// The discovery of the servers of APIServices: requested on demand and cached for a minute. If a server cannot be reached, its last
// response is served as stale.
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import { isObject } from "../../../shared/schema/json-values.ts";
import type { RemoteVersion } from "../discovery/groups.ts";
import type { ApiResource } from "../discovery/resources.ts";
import type { ApiServer } from "../api-server.ts";
import { askServer, parsedJson } from "./ask.ts";
import { apiVersionOf, isAvailable, remotes } from "./remote.ts";

interface Known {
  readonly resourceVersion: string;
  readonly atMs: number;
  readonly resources: readonly ApiResource[];
  readonly isStale: boolean;
}

const keptMs = 60_000;
const discoveryByServer = new WeakMap<ApiServer, Map<string, Known>>();

/** Returns the versions of APIServices. With `withResources`, the servers are called for their resources. */
export async function remoteVersions(server: ApiServer, withResources: boolean): Promise<readonly RemoteVersion[]> {
  const all = [...remotes(server.registry)];
  const discoveries = withResources
    ? await Promise.all(all.map((apiService) => cachedDiscovery(server, apiService)))
    : [];
  return all.map(({ spec }, index) => ({
    group: spec.group ?? "",
    version: spec.version ?? "",
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    resources: discoveries[index]?.resources ?? [],
    isStale: discoveries[index]?.isStale ?? false,
  }));
}

async function cachedDiscovery(server: ApiServer, apiService: APIService): Promise<Known> {
  const cache = discoveryByServer.get(server) ?? new Map<string, Known>();
  discoveryByServer.set(server, cache);
  const { uid = "", resourceVersion = "" } = apiService.metadata;
  const old = cache.get(uid);
  const nowMs = server.nowMs();
  if (old && !old.isStale && old.resourceVersion === resourceVersion && nowMs - old.atMs < keptMs) return old;
  const resources = isAvailable(apiService) ? await fetchResources(server, apiService) : undefined;
  const next: Known = {
    resourceVersion,
    atMs: nowMs,
    resources: resources ?? old?.resources ?? [],
    isStale: resources === undefined,
  };
  cache.set(uid, next);
  return next;
}

async function fetchResources(server: ApiServer, apiService: APIService): Promise<readonly ApiResource[] | undefined> {
  const answer = await askServer(server, apiService, `/apis/${apiVersionOf(apiService)}`, [
    ["X-Remote-User", "system:kube-aggregator"],
    ["X-Remote-Group", "system:masters"],
  ]);
  return answer?.status === 200 ? resourcesIn(answer.text()) : undefined;
}

/** Returns the valid items of an APIResourceList. */
function resourcesIn(text: string): readonly ApiResource[] | undefined {
  const list = parsedJson(text);
  const all = isObject(list) ? list["resources"] : undefined;
  return Array.isArray(all) ? all.filter(isResource) : undefined;
}

function isResource(value: unknown): value is ApiResource {
  return (
    isObject(value) &&
    typeof value["name"] === "string" &&
    typeof value["kind"] === "string" &&
    typeof value["namespaced"] === "boolean" &&
    Array.isArray(value["verbs"])
  );
}
