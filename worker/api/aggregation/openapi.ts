// The OpenAPI documents of the servers of APIServices: requested on demand and cached for a minute. Documents of version 3 are passed
// through. Documents of version 2 are merged into the cluster's own.
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { RemoteOpenApi } from "../openapi/openapi.ts";
import type { RemoteV2 } from "../openapi/merge.ts";
import type { ApiServer } from "../api-server.ts";
import { askServer, parsedJson } from "./ask.ts";
import { isAvailable, remotes } from "./remote.ts";

/** The last response of a server and its time. Undefined: the server had no usable document. */
interface Known<T> {
  readonly version: string;
  readonly atMs: number;
  readonly etag: string | undefined;
  readonly value: T | undefined;
}

type Index = Readonly<Record<string, { readonly serverRelativeURL: string }>>;
type Kept<T> = Map<string, Known<T>>;

const keptMs = 60_000;
const aggregator: Pairs = [["X-Remote-User", "system:aggregator"]];
const indexes = new WeakMap<ApiServer, Kept<Index>>();
const documents = new WeakMap<ApiServer, Kept<JsonObject>>();

export function remoteOpenApi(server: ApiServer): RemoteOpenApi {
  return {
    index: async () => Object.assign({}, ...(await allIndexes(server)).map(({ index }) => index)) as Index,
    v2: async () => {
      const all = byPriority([...remotes(server.registry)]);
      const documentsByServer = await Promise.all(
        all.map((apiService) => knownOf(server, apiService, documents, "/openapi/v2", documentIn)),
      );
      return all.flatMap(({ spec: { group = "", version = "" } }, at): RemoteV2[] => {
        const { etag = "", value } = documentsByServer[at] ?? {};
        return value ? [{ group, version, etag, document: value }] : [];
      });
    },
  };
}

/** Returns the APIService whose server has a document of version 3. */
export async function describedBy(server: ApiServer, name: string): Promise<APIService | undefined> {
  const groups = new Set([...remotes(server.registry)].map(({ spec }) => spec.group));
  if (!groups.has(/^apis\/([^/]+)/.exec(name)?.[1])) return undefined;
  return (await allIndexes(server)).find(({ index }) => Object.hasOwn(index, name))?.apiService;
}

/** Returns the index of each server, in the order of their names. */
async function allIndexes(
  server: ApiServer,
): Promise<readonly { readonly apiService: APIService; readonly index: Index }[]> {
  const all = new Map([...remotes(server.registry)].map((apiService) => [serverOf(apiService), apiService]));
  const requests = [...all.values()].map(async (apiService) => {
    const { value = {} } = await knownOf(server, apiService, indexes, "/openapi/v3", indexIn);
    return { apiService, index: value };
  });
  return Promise.all(requests);
}

async function knownOf<T>(
  server: ApiServer,
  apiService: APIService,
  cache: WeakMap<ApiServer, Kept<T>>,
  path: string,
  read: (value: unknown) => T | undefined,
): Promise<Known<T>> {
  const cached: Kept<T> = cache.get(server) ?? new Map<string, Known<T>>();
  cache.set(server, cached);
  const key = serverOf(apiService);
  const old = cached.get(key);
  const version = `${apiService.metadata.uid ?? ""} ${apiService.metadata.resourceVersion ?? ""}`;
  const nowMs = server.nowMs();
  if (old?.version === version && nowMs - old.atMs < keptMs) return old;
  const more: Pairs = old?.etag && old.value ? [["if-none-match", old.etag]] : [];
  const answer = isAvailable(apiService) ? await askServer(server, apiService, path, aggregator, more) : undefined;
  // If the server cannot be reached, the last value stays.
  const isSame = !answer || answer.status === 304 || answer.status >= 500;
  const text = answer?.status === 200 ? answer.text() : "";
  const value = isSame ? old?.value : read(parsedJson(text));
  const etag = isSame ? old?.etag : (answer.etag ?? `${text.length} ${nowMs}`);
  // A server that did not respond is requested again next time.
  const next: Known<T> = { version, atMs: answer ? nowMs : 0, etag, value };
  cached.set(key, next);
  return next;
}

/** Returns the key of a server, which several APIServices can share. */
function serverOf({ spec: { service } }: APIService): string {
  return `${service?.namespace ?? ""}/${service?.name ?? ""}:${service?.port ?? ""}`;
}

function indexIn(value: unknown): Index | undefined {
  const paths = isObject(value) ? value["paths"] : undefined;
  if (!isObject(paths)) return undefined;
  const validPaths = Object.entries(paths).filter(
    ([, entry]) => isObject(entry) && typeof entry["serverRelativeURL"] === "string",
  );
  // Each entry was checked above.
  return Object.fromEntries(validPaths) as unknown as Index;
}

function documentIn(value: unknown): JsonObject | undefined {
  return isObject(value) && isObject(value["paths"]) ? value : undefined;
}

/** Orders APIServices as upstream merges them: the highest group priority first. A later definition that differs is renamed. */
function byPriority(all: readonly APIService[]): APIService[] {
  const priorities = new Map<string, number>();
  for (const { spec } of all) {
    const group = spec.group ?? "";
    priorities.set(group, Math.max(priorities.get(group) ?? 0, spec.groupPriorityMinimum));
  }
  const priority = ({ spec }: APIService) => priorities.get(spec.group ?? "") ?? 0;
  const name = ({ metadata }: APIService) => metadata.name ?? "";
  return [...all].sort((a, b) => priority(b) - priority(a) || (name(a) < name(b) ? -1 : 1));
}
