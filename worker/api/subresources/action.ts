// POST to a subresource that does something: pods/binding, pods/eviction, and bindings in the old form.
import { must } from "../../../shared/base/assert.ts";
import type { Kind } from "../../kinds/kind.ts";
import { act } from "../../registry/act.ts";
import { cannotBeHandled } from "../../../shared/schema/wording.ts";
import { typeNamed } from "../../registry/posted-type.ts";
import { turn } from "../asking.ts";
import { plainResponse, storedKind } from "../present.ts";
import { decodeStrictly, readObject } from "../body.ts";
import { unknownKind } from "../body-kind.ts";
import { writeQuery } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type Call, writingOf } from "../service.ts";

export async function action(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  const { type } = must(kind.actions?.[info.subresource], "action");
  const query = writeQuery(call.url.searchParams, "CreateOptions");
  const wanted = typeNamed(type);
  const raw = await readObject(call, wanted);
  const unknown = unknownKind(wanted, raw.value);
  if (unknown) throw cannotBeHandled(unknown.body, unknown.cause);
  const body = decodeStrictly(call, wanted, raw, query.fieldValidation);
  await turn(call, (call) =>
    act(call.service.registry, storedKind(kind), info, body, actorOf(call, info.subresource), writingOf(call, query)),
  );
  return plainResponse(call, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}
