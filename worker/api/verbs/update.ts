// PUT of an object, or of a subresource that is written like it.
import type { Kind } from "../../kinds/kind.ts";
import { read } from "../../registry/registry.ts";
import { update as updateObject } from "../../registry/update.ts";
import { turn, whenAnswered } from "../asking.ts";
import { decodeStrictly, readObject } from "../body/body.ts";
import { checkKind } from "../body/body-kind.ts";
import { inVersion, objectResponse, outputOf, storedKind } from "../present/present.ts";
import { writeQuery } from "./query.ts";
import type { ResourceInfo } from "../filters/request-info.ts";
import { actorOf, type Call, writingOf } from "../api-server.ts";
import { toStored } from "./create.ts";

export async function update(call: Call, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(call, kind);
  const query = writeQuery(call.url.searchParams, "UpdateOptions");
  const body = await readObject(call, kind);
  checkKind(kind, body.value);
  const target = storedKind(kind);
  const { stored, made } = await turn(call, (call) => {
    const { registry } = call.service;
    const draft = decodeStrictly(call, kind, body, query.fieldValidation);
    const existing = read(registry, target, info.namespace, info.name);
    const actor = actorOf(call, "update");
    const { object, managers } = toStored(registry, kind, draft, info, actor, existing && inVersion(kind, existing));
    const options = { ...writingOf(call, query, kind), managers };
    return {
      stored: updateObject(registry, target, info, object, actor, options),
      made: !existing,
    };
  });
  return whenAnswered(call, () => objectResponse(call, kind, stored, made ? 201 : 200));
}
