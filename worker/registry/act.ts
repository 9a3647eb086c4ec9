// Posting to a subresource of an object (pods/binding, pods/eviction): what that does at each step of a write. What it comes to is the kind's.
import { pathSegmentName } from "../../shared/k8s/names.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { decode } from "../../shared/schema/decode.ts";
import type { ActionResult, Kind } from "../kinds/kind.ts";
import { typeNamed } from "./posted-type.ts";
import type { AdmissionRequest } from "./admission.ts";
import { apiServer } from "./commit.ts";
import { remove } from "./delete.ts";
import { matchNamespace } from "./metadata.ts";
import { recordManagersOf } from "./managed-fields.ts";
import { type Actor, draftOf, mustRead, type Registry, type WriteOptions } from "./registry.ts";
import { store, update } from "./update.ts";
import { write } from "./write.ts";

export interface ActOptions extends WriteOptions {
  /** The resource that it was posted to, where that is not the subresource. */
  readonly under?: Pick<AdmissionRequest, "kind" | "subresource">;
}

export function act(
  registry: Registry,
  kind: Kind,
  target: { readonly namespace: string; readonly name: string; readonly subresource: string },
  body: unknown,
  actor: Actor,
  options: ActOptions = {},
): void {
  const { namespace, name, subresource } = target;
  const action = kind.actions?.[subresource];
  if (!action) throw ApiError.noSuchPath();
  const type = typeNamed(action.type);
  const object = decode(action.type, body).object as KubeObject;
  write<undefined>(registry, actor, options, {
    checkRequest() {
      object.apiVersion = type.apiVersion;
      object.kind = type.kind;
      matchNamespace(kind, object, namespace);
      return undefined;
    },
    updateManagedFields() {
      if (!options.under) recordManagersOf(registry, type, object, subresource, actor);
    },
    attributes: () => ({
      operation: "CREATE",
      kind,
      type,
      subresource,
      namespace,
      name,
      object,
      previous: undefined,
      ...options.under,
    }),
    validate: (context) => action.check?.(name, object, context),
    commit(context) {
      checkName(name);
      const previous = mustRead(registry, kind, namespace, name);
      const result = action.run(draftOf(previous), object, context);
      const writing = result.isTried ? { ...options, dryRun: true } : options;
      if (result.status && !writing.dryRun) updateStatus(registry, result.status, actor);
      if (result.store) store(registry, kind, result.store, previous, actor, writing);
      if (result.delete)
        remove(registry, kind, namespace, name, result.delete, actor, { ...writing, isAdmitted: true });
      return undefined;
    },
  });
}

/** What the path does not name, the body does: then it may be anything. */
function checkName(name: string): void {
  if (!name) throw ApiError.badRequest("Name parameter required.");
  const [why] = pathSegmentName(name);
  if (why) throw ApiError.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}

/** Upstream's loopback client: the user need not be allowed to do this. */
function updateStatus(registry: Registry, { kind, object }: Result, { origin }: Actor): void {
  const { namespace = "", name = "" } = object.metadata;
  const draft = kind.schema.decode(object).object as KubeObject;
  update(registry, kind, { namespace, name, subresource: "status" }, draft, { ...apiServer, origin });
}

type Result = NonNullable<ActionResult<KubeObject>["status"]>;
