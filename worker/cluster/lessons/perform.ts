// Performs the actions that solve a step of a lesson, as an administrator: applies, patches and deletes objects.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Action } from "../../../shared/lesson/lesson.ts";
import { mergePatch } from "../../../shared/schema/merge-patch.ts";
import { inVersion, storedKind } from "../../api/present/present.ts";
import { toStored } from "../../api/verbs/create.ts";
import type { Kind } from "../../kinds/kind.ts";
import { remove } from "../../registry/delete.ts";
import { mustRead, type Registry } from "../../registry/registry.ts";
import { update } from "../../registry/update.ts";
import { applyManifests } from "../manifests/manifests.ts";

const actor = {
  user: { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
  origin: "solution",
  manager: "sandbar",
};

/** Performs an action in steps, so that other work has turns between them. Throws `ApiError` if the cluster refuses a write. */
export function* performSteps(registry: Registry, action: Action): Generator<boolean, void, void> {
  if ("apply" in action) yield* applyManifests(registry, action.apply);
  else if ("patch" in action) patchOne(registry, action.patch);
  else if ("delete" in action) deleteOne(registry, action.delete);
}

function patchOne(registry: Registry, { patch, ...named }: Extract<Action, { patch: unknown }>["patch"]): void {
  const { kind, place } = placeOf(registry, named);
  const target = storedKind(kind);
  const previous = inVersion(kind, mustRead(registry, target, place.namespace, place.name));
  // Decoding by the kind's own schema gives the canonical form.
  const draft = kind.schema.decode(mergePatch(previous, patch)).object as KubeObject;
  const { object, managers } = toStored(registry, kind, draft, place, actor, previous);
  update(registry, target, place, object, actor, { managers });
}

function deleteOne(registry: Registry, named: Extract<Action, { delete: unknown }>["delete"]): void {
  const { kind, place } = placeOf(registry, named);
  remove(registry, storedKind(kind), place.namespace, place.name, { propagation: "Background" }, actor);
}

function placeOf(
  { catalogue }: Registry,
  { apiVersion, kind: name, namespace, name: objectName }: Extract<Action, { delete: unknown }>["delete"],
): { readonly kind: Kind; readonly place: { namespace: string; name: string; subresource: string } } {
  const kind = catalogue.byKind(apiVersion, name);
  if (!kind) throw ApiError.badRequest(`the cluster knows no kind ${name} of ${apiVersion}`);
  return {
    kind,
    place: { namespace: kind.namespaced ? namespace || "default" : "", name: objectName, subresource: "" },
  };
}
