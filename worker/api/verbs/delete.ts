// DELETE of an object or of a collection.
import { limits } from "../../../shared/base/limits.ts";
import { type DeleteQuery, deleteQueryOf } from "../../../shared/k8s/delete-options.ts";
import type { DeleteOptions } from "../../../shared/k8s/api/meta-v1.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { decode } from "../../../shared/schema/decode.ts";
import type { Kind } from "../../kinds/kind.ts";
import { remove, type RemoveOptions } from "../../registry/delete.ts";
import type { Item } from "../../store/queries.ts";
import { turn, turnOrEach, whenAnswered } from "../asking.ts";
import { decodeBody } from "../body/body.ts";
import { objectResponse, outputOf, plainResponse, storedKind } from "../present/present.ts";
import { isTrue, listOptions, selectionOf } from "./query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";
import { readOf } from "./list.ts";
import { listAnswer, Pages } from "./list-stream.ts";

const optionsType = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

interface Wanted {
  /** The options of the request, as webhooks receive them. */
  readonly requestOptions: JsonObject;
  readonly query: DeleteQuery;
  /** Whether the response is 202 if the deletion is not complete, as older options request. */
  readonly isAccepted: boolean;
  readonly dryRun: boolean;
}

export async function deleteOne(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(req, kind);
  const options = await readOptions(req);
  const { query, isAccepted } = options;
  const target = storedKind(kind);
  const { object, removed } = await turn(req, (req) =>
    remove(
      req.server.registry,
      target,
      info.namespace,
      info.name,
      query,
      actorOf(req, "delete"),
      writingOf(req, options, kind),
    ),
  );
  if (!removed) return whenAnswered(req, () => objectResponse(req, kind, object, isAccepted ? 202 : 200));
  if (target.deletion?.returnsObject) return objectResponse(req, kind, object);
  const { name = "", uid = "" } = object.metadata;
  const details = { name, ...(kind.group ? { group: kind.group } : {}), kind: kind.plural, uid };
  return plainResponse(req, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
}

/**
 * Deletes the selected objects in portions, one turn each, and returns the list of them. As upstream, it is not atomic: if a deletion is
 * rejected, earlier ones stay.
 */
export async function deleteCollection(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(req, kind);
  const options = listOptions(req.url.searchParams);
  const { registry } = req.server;
  const selection = selectionOf(kind, registry.store.meter, options.labelSelector, options.fieldSelector);
  const deleteOptions = await readOptions(req);
  const read = readOf(registry, kind, info, options, selection);
  const release = registry.store.hold(read.query.revision);
  try {
    const pages = new Pages(registry.store, kind, read);
    while (!pages.metadata) {
      const page = pages.next();
      for (let at = 0; at < page.length; at += limits.writesPerTurn) {
        await removeSome(req, kind, deleteOptions, page.slice(at, at + limits.writesPerTurn));
        await req.server.pause?.();
      }
      if (page.length === 0) await req.server.pause?.();
    }
    return await whenAnswered(req, () => listAnswer(req, kind, read));
  } finally {
    release();
  }
}

/** Deletes objects in one turn if no outbound call is needed, otherwise one by one, since each has its own calls. */
async function removeSome(req: ApiRequest, kind: Kind, options: Wanted, some: readonly Name[]): Promise<void> {
  const target = storedKind(kind);
  const gone = new Set<Name>();
  await turnOrEach(req, some, (req, few) => {
    const removal = { ...writingOf(req, options, kind), ofCollection: true };
    for (const name of few) {
      if (gone.has(name)) continue;
      removeIfThere(req, target, name, options.query, removal);
      gone.add(name);
    }
  });
}

type Name = Pick<Item, "namespace" | "name">;

/** Deletes an object if it still exists. */
function removeIfThere(
  req: ApiRequest,
  kind: Kind,
  { namespace, name }: Name,
  query: DeleteQuery,
  options: RemoveOptions,
): void {
  try {
    remove(req.server.registry, kind, namespace, name, query, actorOf(req, "deletecollection"), options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
}

/** Reads the DeleteOptions of the body, or of the query if there is no body. */
async function readOptions(req: ApiRequest): Promise<Wanted> {
  const body = await decodeBody(req, optionsType);
  // Decoding returns the canonical form of the type.
  const options = (
    body === undefined ? fromQuery(req.url.searchParams) : decode(optionsType, body).object
  ) as DeleteOptions;
  const query = deleteQueryOf(options);
  const { dryRun = [] } = options;
  return {
    isAccepted: options.orphanDependents === false,
    requestOptions: { ...givenOptions(options), ...(dryRun.length > 0 ? { dryRun } : {}) },
    dryRun: dryRun.includes("All"),
    query,
  };
}

function givenOptions({
  gracePeriodSeconds,
  preconditions,
  orphanDependents,
  propagationPolicy,
}: Partial<DeleteOptions>) {
  const all = { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function fromQuery(query: URLSearchParams): Partial<DeleteOptions> {
  const grace = query.get("gracePeriodSeconds");
  const orphan = query.get("orphanDependents");
  const policy = query.get("propagationPolicy");
  const dryRun = query.getAll("dryRun");
  if (grace && !/^-?\d+$/.test(grace)) {
    throw ApiError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return {
    ...(grace ? { gracePeriodSeconds: Number(grace) } : {}),
    ...(orphan ? { orphanDependents: isTrue(orphan) } : {}),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(dryRun.length > 0 ? { dryRun } : {}),
  };
}
