// Deletes the instances of a definition that is going, then lets it go (upstream: crd_finalizer).
import type { CustomResourceDefinition } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { parseTime, rfc3339 } from "../../../shared/k8s/time.ts";
import { conditionOf, isTrue, setCondition } from "../../kinds/apiextensions/custom-resource-definition/conditions.ts";
import {
  cleanupFinalizer,
  customResourceDefinitions,
} from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Client } from "../../registry/client.ts";
import { defineController, self, watch } from "../../runtime/controller.ts";

/** Deletions in one turn. */
const deletionsPerTurn = 500;
/** How long upstream waits for instances to go before it says that it could not see them go. */
const waitMs = 60_000;

const stillThere = "could not confirm zero CustomResources remaining: context deadline exceeded";

type State = readonly [status: "True" | "False", reason: string, message: string];

export const crdFinalizer = defineController({
  name: "crd-finalizer",
  user: "system:apiserver",
  component: "crd-finalizer",
  watches: [self(customResourceDefinitions, (next) => next !== undefined && isHeld(next))],
  // Whatever instance goes may have been the last.
  watchesOf: (kind) => [
    watch(kind, function* (next) {
      if (!next && kind.refusesCreation) yield { namespace: "", name: kind.resource };
    }),
  ],
  reconcile({ name }, { client, nowMs }) {
    const current = client.get(customResourceDefinitions, "", name);
    if (!current || !isHeld(current)) return undefined;
    const state = (...[status, reason, message]: State) => {
      const condition = { type: "Terminating", status, reason, message };
      return setCondition(current.status.conditions, condition, rfc3339(nowMs));
    };
    const underWay = state("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress");
    // Said before anything goes: it may take a while.
    const found = isTrue(current, "Terminating") ? current : tell(client, current, underWay);
    if (!isTrue(found, "Established")) {
      release(client, found, state("False", "NeverEstablished", "resource was never established"));
      return undefined;
    }
    const kind = client.kinds().find((one) => one.resource === name);
    const left = kind ? deleteInstances(client, kind) : "none";
    if (left === "none") {
      release(client, found, state("False", "InstanceDeletionCompleted", "removed all instances"));
      return undefined;
    }
    if (left === "refused") {
      tell(client, found, state("True", "InstanceDeletionFailed", "could not issue all deletes"));
      throw ApiError.internal("could not issue all deletes");
    }
    // Instances that finalizers hold wake this controller when they go.
    const waitedMs = left === "held" ? waitedMsOf(found, nowMs) : 0;
    if (waitedMs >= waitMs) {
      tell(client, found, state("True", "InstanceDeletionCheck", stillThere));
      return undefined;
    }
    tell(client, found, underWay);
    return { afterMs: left === "more" ? 0 : waitMs - waitedMs };
  },
});

/** Since the deletion of instances began. */
function waitedMsOf(found: CustomResourceDefinition, nowMs: number): number {
  const condition = conditionOf(found, "Terminating");
  const since = condition?.status === "True" ? condition.lastTransitionTime : undefined;
  return !since ? 0 : nowMs - parseTime(since);
}

function isHeld({ metadata }: CustomResourceDefinition): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(cleanupFinalizer) === true;
}

/** `more`: there is more to do at once, if only to let others see what is gone before the kind is. */
function deleteInstances(client: Client, kind: Kind): "none" | "more" | "held" | "refused" {
  let done = 0;
  let held = 0;
  for (const { metadata } of client.each(kind)) {
    if (metadata.deletionTimestamp) {
      held++;
      continue;
    }
    if (done === deletionsPerTurn) return "more";
    done++;
    try {
      client.tryDelete(kind, metadata.namespace ?? "", metadata.name ?? "", { propagation: "Background" });
    } catch (error) {
      if (error instanceof ApiError) return "refused";
      throw error;
    }
  }
  if (done > 0) return "more";
  return held > 0 ? "held" : "none";
}

function tell(
  client: Client,
  found: CustomResourceDefinition,
  conditions: CustomResourceDefinition["status"]["conditions"],
) {
  return client.updateStatus(customResourceDefinitions, { ...found, status: { ...found.status, conditions } });
}

function release(
  client: Client,
  found: CustomResourceDefinition,
  conditions: CustomResourceDefinition["status"]["conditions"],
) {
  const finalizers = (found.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
  const status = { ...found.status, conditions };
  client.updateStatus(customResourceDefinitions, { ...found, metadata: { ...found.metadata, finalizers }, status });
}
