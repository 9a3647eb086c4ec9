// PUT of an object, or of a subresource that is written like it.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import { read } from "../../registry/registry.ts";
import { update as updateObject } from "../../registry/update.ts";
import { turn, whenAnswered } from "../asking.ts";
import { decodeStrictly, readObject } from "../body/body.ts";
import { checkKind } from "../body/body-kind.ts";
import { Preparation } from "../preparation.ts";
import { inVersion, objectResponse, outputOf, storedKind } from "../present/present.ts";
import { writeQuery } from "./query.ts";
import type { ResourceInfo } from "../request-info.ts";
import { actorOf, type ApiRequest, writingOf } from "../api-request.ts";
import { toStored } from "./create.ts";

export async function update(req: ApiRequest, kind: Kind, info: ResourceInfo): Promise<Response> {
  outputOf(req, kind);
  const query = writeQuery(req.url.searchParams, "UpdateOptions");
  const body = await readObject(req, kind);
  checkKind(kind, body.value);
  const target = storedKind(kind);
  const preparation = new Preparation<KubeObject>();
  const { stored, made: isCreated } = await turn(req, (req) => {
    const { registry } = req.server;
    const draft = preparation.draft(req, "", () => decodeStrictly(req, kind, body, query.fieldValidation));
    const existing = read(registry, target, info.namespace, info.name);
    const actor = actorOf(req, "update", info.subresource);
    const { object, managers } = toStored(registry, kind, draft, info, actor, existing && inVersion(kind, existing));
    const options = { ...writingOf(req, query, kind), managers };
    return {
      stored: updateObject(registry, target, info, object, actor, options),
      made: !existing,
    };
  });
  return whenAnswered(req, () => objectResponse(req, kind, stored, isCreated ? 201 : 200));
}
