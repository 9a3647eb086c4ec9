// The namespace controller: deletes the contents of a namespace that is being deleted, then removes its finalizer.
import type { Namespace } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import type { Kind } from "../../kinds/kind.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import type { Client } from "../../registry/client.ts";
import { type Controller, type Watch, defineController, watch } from "../../runtime/controller.ts";
import { contentConditions } from "./conditions.ts";
import { deleteContent } from "./content.ts";

/** Upstream's finalizer in the spec of a namespace. */
const finalizer = "kubernetes";
/** The delay after a rejected deletion: upstream's estimate for finalizers. */
const refusedRetryMs = 15_000;

/** Returns the namespace controller for the stored kinds. */
export function namespaceController(kinds: readonly Kind[]): Controller {
  const contents = kinds.filter((kind) => kind.namespaced && !kind.conversion?.hub && !kind.computed);
  return defineController({
    name: "namespace-controller",
    component: "namespace-controller",
    watches: [
      watch<Namespace>(namespaces, function* (next) {
        if (next?.metadata.deletionTimestamp && next.spec.finalizers?.includes(finalizer))
          yield { namespace: "", name: next.metadata.name ?? "" };
      }),
      ...contents.map(contentWatch),
    ],
    watchesOf: (kind) => (kind.namespaced ? [contentWatch(kind)] : []),
    reconcile({ name }, { client, nowMs }) {
      const namespace = client.get(namespaces, "", name);
      if (!namespace?.metadata.deletionTimestamp || !namespace.spec.finalizers?.includes(finalizer)) return;
      const deletedMs = parseTime(namespace.metadata.deletionTimestamp);
      const left = deleteContent(client, name, nowMs - deletedMs);
      if (left.budget < 0) return { afterMs: 0 };
      const reported = report(client, namespace, contentConditions(namespace.status.conditions, left, nowMs));
      if (left.refused) return { afterMs: refusedRetryMs };
      if (left.remaining.size > 0) {
        // Every removal triggers this controller. The estimate only matters for objects that are not removed in time.
        return left.estimateSeconds > 0 ? { afterMs: (Math.floor(left.estimateSeconds / 2) + 1) * 1000 } : undefined;
      }
      finalize(client, reported);
      return undefined;
    },
  });
}

/** Watches for progress: objects that leave a namespace that is being deleted, or lose a finalizer. */
function contentWatch(kind: Kind): Watch {
  return watch<KubeObject>(kind, function* (next, previous, client) {
    const progress = !next || (next.metadata.finalizers?.length ?? 0) < (previous?.metadata.finalizers?.length ?? 0);
    const name = (next ?? previous)?.metadata.namespace;
    if (!progress || !name) return;
    if (client.get(namespaces, "", name)?.metadata.deletionTimestamp) yield { namespace: "", name };
  });
}

function report(client: Client, namespace: Namespace, conditions: Namespace["status"]["conditions"]): Namespace {
  const settled = conditions === namespace.status.conditions && namespace.status.phase === "Terminating";
  if (settled) return namespace;
  return client.updateStatus(namespaces, { ...namespace, status: { phase: "Terminating", conditions } });
}

function finalize(client: Client, namespace: Namespace): void {
  const finalizers = (namespace.spec.finalizers ?? []).filter((candidate) => candidate !== finalizer).sort();
  client.updateSubresource(namespaces, "finalize", { ...namespace, spec: { ...namespace.spec, finalizers } });
}
