// The steps of a write for a POST to a subresource (pods/binding, pods/eviction). The kind decides what is stored.
import { pathSegmentName } from "../../shared/k8s/names.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { decode } from "../../shared/schema/decode.ts";
import type { ActionResult, Kind } from "../kinds/kind.ts";
import { groupVersionKind } from "./group-version-kind.ts";
import type { AdmissionRequest } from "./admission.ts";
import { asApiServer } from "./commit.ts";
import { remove } from "./delete.ts";
import { ensureObjectNamespaceMatchesRequestNamespace } from "./metadata.ts";
import { updateManagedFieldsOfBody } from "./managed-fields.ts";
import { type Actor, draftOf, mustRead, type Registry, type WriteOptions } from "./registry.ts";
import { commitUpdate, update } from "./update.ts";
import { write } from "./write.ts";

export interface ActOptions extends WriteOptions {
  /** The resource and subresource that admission sees, if they differ from the target: the resource `bindings`. */
  readonly requestResource?: Pick<AdmissionRequest, "kind" | "subresource">;
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
  const type = groupVersionKind(action.type);
  const object = decode(action.type, body).object as KubeObject;
  write<undefined>(registry, actor, options, {
    checkRequest() {
      object.apiVersion = type.apiVersion;
      object.kind = type.kind;
      ensureObjectNamespaceMatchesRequestNamespace(kind, object, namespace);
      return undefined;
    },
    updateManagedFields() {
      if (!options.requestResource) updateManagedFieldsOfBody(registry, type, object, subresource, actor);
    },
    attributes: () => ({
      operation: "CREATE",
      kind,
      objectKind: type,
      subresource,
      namespace,
      name,
      object,
      oldObject: undefined,
      ...options.requestResource,
    }),
    validate: (context) => action.check?.(name, object, context),
    commit(context) {
      // Upstream checks the name only here, so admission plugins and `check` see an invalid one.
      checkPathName(name);
      const previous = mustRead(registry, kind, namespace, name);
      const result = action.run(draftOf(previous), object, context);
      // The body of an eviction may request a dry run, too.
      const writing = result.dryRun ? { ...options, dryRun: true } : options;
      // The budget counts the pod as disrupted before the pod is deleted, so that a failure between the two disrupts no more pods.
      if (result.status && !writing.dryRun) updateStatus(registry, result.status, actor);
      if (result.store) commitUpdate(registry, kind, result.store, previous, actor, writing);
      if (result.delete)
        remove(registry, kind, namespace, name, result.delete, actor, { ...writing, skipAdmission: true });
      return undefined;
    },
  });
}

/** Validates the target name. A path has a valid one; the legacy resource `bindings` takes it from the body, where it may be any text. */
function checkPathName(name: string): void {
  if (!name) throw ApiError.badRequest("Name parameter required.");
  const [why] = pathSegmentName(name);
  if (why) throw ApiError.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
}

/** Writes as the API server (upstream: LoopbackClientConfig), so the user needs no permission for it. */
function updateStatus(registry: Registry, { kind, object }: Result, actor: Actor): void {
  const { namespace = "", name = "" } = object.metadata;
  const draft = kind.schema.decode(object).object as KubeObject;
  update(registry, kind, { namespace, name, subresource: "status" }, draft, asApiServer(actor));
}

type Result = NonNullable<ActionResult<KubeObject>["status"]>;
