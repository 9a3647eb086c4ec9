// POST to a subresource that does something: pods/binding, pods/eviction, and bindings in the old form.
import { must } from "../../../shared/base/assert.ts";
import { graphSchema } from "../../../shared/schema/object-schema.ts";
import type { Kind } from "../../kinds/kind.ts";
import { act } from "../../registry/act.ts";
import { turn } from "../asking.ts";
import { plainResponse, storedKind } from "../present.ts";
import { decodeStrictly, readObject } from "../body.ts";
import { writeQuery } from "../query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type Call } from "../service.ts";

export async function action(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  const { type } = must(kind.actions?.[info.subresource], "action");
  const { dryRun, fieldValidation } = writeQuery(call.url.searchParams, "CreateOptions");
  const wanted = { type, schema: graphSchema(type), ...namesOf(type) };
  const body = decodeStrictly(call, wanted, await readObject(call, wanted), fieldValidation);
  await turn(call, ({ service, warnings }) =>
    act(service.registry, storedKind(kind), info, body, actorOf(call, info.subresource), {
      dryRun,
      warn: (message) => warnings.push(message),
    }),
  );
  return plainResponse(call, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}

/** `io.k8s.api.policy.v1.Eviction` is Eviction of policy/v1. */
function namesOf(type: string): { apiVersion: string; kind: string } {
  const [kind = "", version = "", group = ""] = type.split(".").reverse();
  return { kind, apiVersion: group === "core" ? version : `${group}/${version}` };
}
