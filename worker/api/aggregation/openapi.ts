// What the servers of APIServices publish of themselves in OpenAPI: asked for when someone looks, and kept for a minute. Documents of
// version 3 stay theirs, and are passed on; those of version 2 are merged into the cluster's own.
import type { APIService } from "../../../shared/k8s/api/apiregistration-v1.ts";
import type { Headers as Pairs } from "../../../shared/k8s/outbound-call.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import type { RemoteOpenApi } from "../openapi/openapi.ts";
import type { RemoteV2 } from "../openapi/merge.ts";
import type { ApiServer } from "../api-server.ts";
import { askServer, parsedJson } from "./ask.ts";
import { isAvailable, remotes } from "./remote.ts";

/** What a server has said, and when it was asked; undefined: nothing that is of use. */
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
      const found = await Promise.all(all.map((one) => knownOf(server, one, documents, "/openapi/v2", documentIn)));
      return all.flatMap(({ spec: { group = "", version = "" } }, at): RemoteV2[] => {
        const { etag = "", value } = found[at] ?? {};
        return value ? [{ group, version, etag, document: value }] : [];
      });
    },
  };
}

/** Who has that document of version 3. */
export async function describedBy(server: ApiServer, name: string): Promise<APIService | undefined> {
  const groups = new Set([...remotes(server.registry)].map(({ spec }) => spec.group));
  if (!groups.has(/^apis\/([^/]+)/.exec(name)?.[1])) return undefined;
  return (await allIndexes(server)).find(({ index }) => Object.hasOwn(index, name))?.one;
}

/** One of each server, in the order of their names. */
async function allIndexes(server: ApiServer): Promise<readonly { readonly one: APIService; readonly index: Index }[]> {
  const all = new Map([...remotes(server.registry)].map((one) => [serverOf(one), one]));
  const asked = [...all.values()].map(async (one) => {
    const { value = {} } = await knownOf(server, one, indexes, "/openapi/v3", indexIn);
    return { one, index: value };
  });
  return Promise.all(asked);
}

async function knownOf<T>(
  server: ApiServer,
  one: APIService,
  cache: WeakMap<ApiServer, Kept<T>>,
  path: string,
  read: (value: unknown) => T | undefined,
): Promise<Known<T>> {
  const kept: Kept<T> = cache.get(server) ?? new Map<string, Known<T>>();
  cache.set(server, kept);
  const key = serverOf(one);
  const old = kept.get(key);
  const version = `${one.metadata.uid ?? ""} ${one.metadata.resourceVersion ?? ""}`;
  const nowMs = server.nowMs();
  if (old?.version === version && nowMs - old.atMs < keptMs) return old;
  const more: Pairs = old?.etag && old.value ? [["if-none-match", old.etag]] : [];
  const answer = isAvailable(one) ? await askServer(server, one, path, aggregator, more) : undefined;
  // Who cannot be reached is described as it was.
  const isSame = !answer || answer.status === 304 || answer.status >= 500;
  const text = answer?.status === 200 ? answer.text() : "";
  const value = isSame ? old?.value : read(parsedJson(text));
  const etag = isSame ? old?.etag : (answer.etag ?? `${text.length} ${nowMs}`);
  // Who did not answer is asked again the next time.
  const next: Known<T> = { version, atMs: answer ? nowMs : 0, etag, value };
  kept.set(key, next);
  return next;
}

/** Many APIServices may have one server. */
function serverOf({ spec: { service } }: APIService): string {
  return `${service?.namespace ?? ""}/${service?.name ?? ""}:${service?.port ?? ""}`;
}

function indexIn(value: unknown): Index | undefined {
  const paths = isObject(value) ? value["paths"] : undefined;
  if (!isObject(paths)) return undefined;
  const known = Object.entries(paths).filter(
    ([, one]) => isObject(one) && typeof one["serverRelativeURL"] === "string",
  );
  // Each was looked at.
  return Object.fromEntries(known) as unknown as Index;
}

function documentIn(value: unknown): JsonObject | undefined {
  return isObject(value) && isObject(value["paths"]) ? value : undefined;
}

/** Upstream merges the highest group first; what is said later and otherwise is renamed. */
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
