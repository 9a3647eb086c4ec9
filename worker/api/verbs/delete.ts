// DELETE of an object or of a collection.
import { type DeleteQuery, deleteQueryOf } from "../../../shared/k8s/delete-options.ts";
import type { DeleteOptions } from "../../../shared/k8s/api/meta-v1.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { decode } from "../../../shared/schema/decode.ts";
import type { Kind } from "../../kinds/kind.ts";
import { remove } from "../../registry/delete.ts";
import { turn, turnOrEach, whenAnswered } from "../asking.ts";
import { decodeBody } from "../body.ts";
import { listResponse, objectResponse, outputOf, plainResponse, storedKind } from "../present.ts";
import { isTrue, listOptions, selectionOf } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type Call, writingOf } from "../service.ts";
import { readPage, startOf } from "./list.ts";

const optionsType = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

interface Wanted {
  /** As they were given: what webhooks are shown. */
  readonly given: JsonObject;
  readonly query: DeleteQuery;
  /** Asked for in the old way, a deletion that is not done at once is answered with 202. */
  readonly isAccepted: boolean;
  readonly dryRun: boolean;
}

export async function deleteOne(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(call, kind);
  const wanted = await readOptions(call);
  const { query, isAccepted } = wanted;
  const target = storedKind(kind);
  const { object, removed } = await turn(call, (call) =>
    remove(
      call.service.registry,
      target,
      info.namespace,
      info.name,
      query,
      actorOf(call, "delete"),
      writingOf(call, wanted, kind),
    ),
  );
  if (!removed) return whenAnswered(call, () => objectResponse(call, kind, object, isAccepted ? 202 : 200));
  if (target.deletion?.returnsObject) return objectResponse(call, kind, object);
  const { name = "", uid = "" } = object.metadata;
  const details = { name, ...(kind.group ? { group: kind.group } : {}), kind: kind.plural, uid };
  return plainResponse(call, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
}

/** Deletes what the selectors match, and answers with the list of it as it was. */
export async function deleteCollection(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(call, kind);
  const options = listOptions(call.url.searchParams);
  const selection = selectionOf(kind, options.labelSelector, options.fieldSelector);
  const wanted = await readOptions(call);
  const { query } = wanted;
  const target = storedKind(kind);
  const { store } = call.service.registry;
  const start = { resource: target.resource, namespace: info.namespace || undefined, ...startOf(store, options) };
  const { objects: deleted, metadata } = readPage(store, kind, start, selection, options);
  const gone = new Set<string>();
  const removeAll = (call: Call, some: readonly KubeObject[]): void => {
    const { registry } = call.service;
    const removal = { ...writingOf(call, wanted, kind), ofCollection: true };
    for (const { metadata } of some) {
      const { namespace = "", name = "", uid = "" } = metadata;
      if (gone.has(uid)) continue;
      remove(registry, target, namespace, name, query, actorOf(call, "deletecollection"), removal);
      gone.add(uid);
    }
  };
  // At once where nobody outside is asked; else one by one, since each has its own questions.
  await turnOrEach(call, deleted, removeAll);
  return listResponse(call, kind, deleted, metadata);
}

/** DeleteOptions of the body, or of the query where there is no body. */
async function readOptions(call: Call): Promise<Wanted> {
  const body = await decodeBody(call, optionsType);
  // The canonical form of the type just named.
  const options = (
    body === undefined ? fromQuery(call.url.searchParams) : decode(optionsType, body).object
  ) as DeleteOptions;
  const query = deleteQueryOf(options);
  const { dryRun = [] } = options;
  return {
    isAccepted: options.orphanDependents === false,
    given: { ...givenOptions(options), ...(dryRun.length > 0 ? { dryRun } : {}) },
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
