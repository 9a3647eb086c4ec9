// The resource quota controller: sets the used amounts in the status of quotas.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Quantity } from "../../shared/k8s/quantity.ts";
import type { Kind } from "../kinds/kind.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { addTo, amountsOf, listOf } from "../kinds/core/resource-quota/amounts.ts";
import { evaluatorOf } from "../kinds/core/resource-quota/evaluators.ts";
import { overdueMs } from "../kinds/core/resource-quota/pod-evaluator.ts";
import { usageOfKind } from "../kinds/core/resource-quota/usage.ts";
import { resourceQuotas } from "../kinds/core/resource-quota/resource-quota.ts";
import {
  type Controller,
  type ReconcileContext,
  type Watch,
  defineController,
  requestOf,
  self,
  watch,
} from "../runtime/controller.ts";

/** Returns the controller for the stored kinds. */
export function resourceQuotaController(kinds: readonly Kind[]): Controller {
  const counted = kinds.filter(isCounted);
  return defineController({
    name: "resourcequota-controller",
    component: "resourcequota-controller",
    watches: [self(resourceQuotas), ...counted.map(usageWatch)],
    watchesOf: (kind) => (isCounted(kind) ? [usageWatch(kind)] : []),
    reconcile({ namespace, name }, context) {
      const quota = context.client.get(resourceQuotas, namespace, name);
      if (!quota) return undefined;
      const hard = quota.spec.hard ?? {};
      const names = Object.keys(hard);
      const used = new Map<string, Quantity>();
      for (const kind of context.client.kinds().filter(isCounted)) {
        const evaluator = evaluatorOf(kind);
        if (!names.some((resource) => evaluator.counts(resource))) continue;
        const objects = context.client.list(kind, { namespace });
        addTo(used, usageOfKind(quota, evaluator, objects, names, context.nowMs));
      }
      const status = { hard: listOf(amountsOf(hard)), used: listOf(used) };
      context.client.updateStatus(resourceQuotas, { ...quota, status });
      return whenPodsAreOverdue(namespace, context);
    },
  });
}

function isCounted(kind: Kind): boolean {
  return kind.namespaced && !kind.conversion?.hub && !kind.computed;
}

/** Requests the quotas of a namespace whose usage a change may affect. */
function usageWatch(kind: Kind): Watch {
  const evaluator = evaluatorOf(kind);
  return watch<KubeObject>(kind, function* (next, previous, client) {
    // Times do not matter here: a pod that becomes overdue is in the controller's queue.
    if (next && previous && !evaluator.isAffected(next, previous, Number.NEGATIVE_INFINITY)) return;
    const namespace = (next ?? previous)?.metadata.namespace ?? "";
    for (const quota of client.list(resourceQuotas, { namespace })) {
      const names = Object.keys(quota.spec.hard ?? {});
      if (names.some((name) => evaluator.counts(name))) yield requestOf(quota);
    }
  });
}

/** Returns when the next terminating pod stops counting. */
function whenPodsAreOverdue(namespace: string, { client, nowMs }: ReconcileContext) {
  const times = client.list<Pod>(pods, { namespace }).map(({ metadata }) => overdueMs(metadata));
  const nextMs = Math.min(...times.filter((ms) => ms >= nowMs && ms < Number.POSITIVE_INFINITY));
  return Number.isFinite(nextMs) ? { afterMs: nextMs + 1 - nowMs } : undefined;
}
