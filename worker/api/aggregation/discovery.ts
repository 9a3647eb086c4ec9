// What the servers of APIServices serve, for discovery: asked for when someone looks, and kept for a minute. What cannot be reached is
// told as it was, and as stale.
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
const known = new WeakMap<ApiServer, Map<string, Known>>();

/** `withResources`: the servers are asked; otherwise only the versions are known. */
export async function remoteVersions(server: ApiServer, withResources: boolean): Promise<readonly RemoteVersion[]> {
  const all = [...remotes(server.registry)];
  const found = withResources ? await Promise.all(all.map((one) => knownOf(server, one))) : [];
  return all.map(({ spec }, index) => ({
    group: spec.group ?? "",
    version: spec.version ?? "",
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    resources: found[index]?.resources ?? [],
    isStale: found[index]?.isStale ?? false,
  }));
}

async function knownOf(server: ApiServer, one: APIService): Promise<Known> {
  const kept = known.get(server) ?? new Map<string, Known>();
  known.set(server, kept);
  const { uid = "", resourceVersion = "" } = one.metadata;
  const old = kept.get(uid);
  const nowMs = server.nowMs();
  if (old && !old.isStale && old.resourceVersion === resourceVersion && nowMs - old.atMs < keptMs) return old;
  const resources = isAvailable(one) ? await asked(server, one) : undefined;
  const next: Known = {
    resourceVersion,
    atMs: nowMs,
    resources: resources ?? old?.resources ?? [],
    isStale: resources === undefined,
  };
  kept.set(uid, next);
  return next;
}

async function asked(server: ApiServer, one: APIService): Promise<readonly ApiResource[] | undefined> {
  const answer = await askServer(server, one, `/apis/${apiVersionOf(one)}`, [
    ["X-Remote-User", "system:kube-aggregator"],
    ["X-Remote-Group", "system:masters"],
  ]);
  return answer?.status === 200 ? resourcesIn(answer.text()) : undefined;
}

/** Of an APIResourceList, what is one. */
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
