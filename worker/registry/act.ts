// Posting to a subresource of an object: pods/binding, pods/eviction. What it does is the kind's; how it is stored is here.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { decode } from "../../shared/schema/decode.ts";
import type { ActionResult, Kind } from "../kinds/kind.ts";
import { apiServer } from "./commit.ts";
import { remove } from "./delete.ts";
import { type Actor, admit, contextOf, draftOf, mustRead, type Registry, type WriteOptions } from "./registry.ts";
import { store, update } from "./update.ts";

export function act(
  registry: Registry,
  kind: Kind,
  target: { readonly namespace: string; readonly name: string; readonly subresource: string },
  body: unknown,
  actor: Actor,
  options: WriteOptions = {},
): void {
  const { namespace, name, subresource } = target;
  const action = kind.actions?.[subresource];
  if (!action) throw ApiError.noSuchPath();
  const context = contextOf(registry, actor, options);
  const decoded = decode(action.type, body).object as KubeObject;
  const previous = mustRead(registry, kind, namespace, name);
  const request = {
    operation: "CREATE" as const,
    kind,
    subresource,
    namespace,
    name,
    object: decoded,
    previous,
    user: actor.user,
  };
  const warn = (message: string) => options.warn?.(message);
  const admission = { ...request, dryRun: options.dryRun ?? false, context, warn };
  admit(registry, "mutate", admission);
  admit(registry, "validate", admission);
  const result = action.run(draftOf(previous), decoded, context);
  if (result.status && !options.dryRun) updateStatus(registry, result.status, actor);
  if (result.store) store(registry, kind, result.store, previous, actor, options);
  if (result.delete) remove(registry, kind, namespace, name, given(result.delete), actor, options);
}

/** Upstream's loopback client: the user need not be allowed to do this. */
function updateStatus(registry: Registry, { kind, object }: Result, { origin }: Actor): void {
  const { namespace = "", name = "" } = object.metadata;
  const draft = kind.schema.decode(object).object as KubeObject;
  update(registry, kind, { namespace, name, subresource: "status" }, draft, { ...apiServer, origin });
}

type Result = NonNullable<ActionResult<KubeObject>["status"]>;

/** Only what is set. */
function given<T extends object>(query: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  // Keys whose value is undefined are gone.
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}
