// POST to a subresource with an action: pods/binding, pods/eviction, and the legacy resource bindings.
import { must } from "../../../shared/base/assert.ts";
import type { Kind } from "../../kinds/kind.ts";
import { act } from "../../registry/act.ts";
import { cannotBeHandled } from "../../../shared/schema/wording.ts";
import { groupVersionKind } from "../../registry/group-version-kind.ts";
import { turn } from "../asking.ts";
import { createdOutputOf, createdResponse, storedKind } from "../present/present.ts";
import { unknownKind } from "../body/body-kind.ts";
import { decodeStrictly, readObject } from "../body/body.ts";
import { writeQuery } from "../verbs/query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";

export async function action(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  // Throws 406 before the body is read. `createdResponse` negotiates again.
  createdOutputOf(req);
  const { type } = must(kind.actions?.[info.subresource], "action");
  const query = writeQuery(req.url.searchParams, "CreateOptions");
  const bodyType = groupVersionKind(type);
  const raw = await readObject(req, bodyType);
  const kindMismatch = unknownKind(bodyType, raw.value);
  if (kindMismatch) throw cannotBeHandled(kindMismatch.body, kindMismatch.cause);
  const body = decodeStrictly(req, bodyType, raw, query.fieldValidation);
  await turn(req, (req) =>
    act(req.server.registry, storedKind(kind), info, body, actorOf(req, info.subresource), writingOf(req, query)),
  );
  const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return createdResponse(req, success);
}
