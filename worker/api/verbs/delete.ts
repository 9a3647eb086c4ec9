// DELETE of an object or of a collection.
import { invalid, notSupported, path } from "../../../shared/k8s/field.ts";
import type { DeleteOptions } from "../../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { decode } from "../../../shared/schema/decode.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { DeleteQuery } from "../../registry/client.ts";
import { remove } from "../../registry/delete.ts";
import { turn, whenAnswered } from "../asking.ts";
import { decodeBody } from "../body.ts";
import { inVersion, listResponse, objectResponse, outputOf, plainResponse, storedKind } from "../present.ts";
import { listOptions, matches, selectionOf } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type Call } from "../service.ts";
import { items } from "./list-stream.ts";

const optionsType = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

interface Wanted {
  readonly query: DeleteQuery;
  /** Asked for in the old way, a deletion that is not done at once is answered with 202. */
  readonly isAccepted: boolean;
  readonly dryRun: boolean;
}

export async function deleteOne(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(call, kind);
  const { query, dryRun, isAccepted } = await readOptions(call);
  const target = storedKind(kind);
  const { object, removed } = await turn(call, (call) =>
    remove(call.service.registry, target, info.namespace, info.name, query, actorOf(call, "delete"), {
      dryRun,
      warn: (message) => call.warnings.push(message),
    }),
  );
  if (!removed) return whenAnswered(call, () => objectResponse(call, kind, object, isAccepted ? 202 : 200));
  if (target.returnsDeleted) return objectResponse(call, kind, object);
  const { name = "", uid = "" } = object.metadata;
  const details = { name, ...(kind.group ? { group: kind.group } : {}), kind: kind.plural, uid };
  return plainResponse(call, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details });
}

/** Deletes what the selectors match, and answers with the list of it as it was. */
export async function deleteCollection(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(call, kind);
  const options = listOptions(call.url.searchParams);
  const selection = selectionOf(kind, options.labelSelector, options.fieldSelector);
  const { query, dryRun } = await readOptions(call);
  const target = storedKind(kind);
  const { revision } = call.service.registry.store;
  const page = { resource: target.resource, namespace: info.namespace || undefined, revision };
  const deleted: KubeObject[] = [];
  const gone = new Set<string>();
  await turn(call, (call) => {
    const { registry } = call.service;
    for (const { text } of items(registry.store, page)) {
      // Only commit writes these texts, from decoded objects of this kind.
      const object = JSON.parse(text) as KubeObject;
      const { namespace = "", name = "", uid = "" } = object.metadata;
      if (gone.has(uid) || !matches(kind, selection, inVersion(kind, object))) continue;
      if (options.limit > 0 && deleted.length === options.limit) break;
      remove(registry, target, namespace, name, query, actorOf(call, "deletecollection"), { dryRun });
      deleted.push(object);
      gone.add(uid);
    }
  });
  return listResponse(call, kind, deleted, { resourceVersion: String(revision) });
}

/** DeleteOptions of the body, or of the query where there is no body. */
async function readOptions(call: Call): Promise<Wanted> {
  const body = await decodeBody(call, optionsType);
  const query = call.url.searchParams;
  // The canonical form of the type just named.
  const options = (body === undefined ? fromQuery(query) : decode(optionsType, body).object) as DeleteOptions;
  check(options);
  const { gracePeriodSeconds, preconditions } = options;
  const propagation = propagationOf(options);
  return {
    isAccepted: options.orphanDependents === false,
    dryRun: [...(options.dryRun ?? []), ...query.getAll("dryRun")].includes("All"),
    query: {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(preconditions?.uid ? { uid: preconditions.uid } : {}),
      ...(preconditions?.resourceVersion ? { resourceVersion: preconditions.resourceVersion } : {}),
      ...(propagation ? { propagation } : {}),
    },
  };
}

function fromQuery(query: URLSearchParams): Partial<DeleteOptions> {
  const grace = query.get("gracePeriodSeconds");
  const orphan = query.get("orphanDependents");
  const policy = query.get("propagationPolicy");
  if (grace && !/^-?\d+$/.test(grace)) {
    throw ApiError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return {
    ...(grace ? { gracePeriodSeconds: Number(grace) } : {}),
    ...(orphan ? { orphanDependents: orphan === "true" || orphan === "1" } : {}),
    ...(policy ? { propagationPolicy: policy } : {}),
  };
}

/** Upstream's ValidateDeleteOptions. */
function check(options: DeleteOptions): void {
  const errors = [];
  const { orphanDependents, propagationPolicy: policy, dryRun = [] } = options;
  if (orphanDependents !== undefined && policy !== undefined) {
    errors.push(
      invalid(path("propagationPolicy"), policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !["Background", "Foreground", "Orphan"].includes(policy)) {
    errors.push(notSupported(path("propagationPolicy"), policy, ["Background", "Foreground", "Orphan", "nil"]));
  }
  if (dryRun.some((one) => one !== "All")) errors.push(notSupported(path("dryRun"), dryRun, ["All"]));
  if (errors.length > 0) throw ApiError.invalid({ group: "meta.k8s.io", name: "DeleteOptions" }, "", errors);
}

function propagationOf({ orphanDependents, propagationPolicy }: DeleteOptions): DeleteQuery["propagation"] {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  // check has refused everything else.
  return propagationPolicy as DeleteQuery["propagation"];
}
