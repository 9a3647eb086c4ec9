// Deletes the instances of a definition that is being deleted, then removes its finalizer (upstream: crd_finalizer).
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

/** The maximum number of deletions in one turn. */
const deletionsPerTurn = 500;
/** The time after which upstream reports that instances still exist. */
const waitMs = 60_000;

const stillThere = "could not confirm zero CustomResources remaining: context deadline exceeded";

type State = readonly [status: "True" | "False", reason: string, message: string];

export const crdFinalizer = defineController({
  name: "crd-finalizer",
  user: "system:apiserver",
  component: "crd-finalizer",
  watches: [self(customResourceDefinitions, (next) => next !== undefined && isHeld(next))],
  // Any deleted instance may have been the last.
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
    // The condition is set before the deletions, which may take a while.
    const terminating = isTrue(current, "Terminating") ? current : updateCondition(client, current, underWay);
    if (!isTrue(terminating, "Established")) {
      release(client, terminating, state("False", "NeverEstablished", "resource was never established"));
      return undefined;
    }
    const kind = client.kinds().find((candidate) => candidate.resource === name);
    const left = kind ? deleteInstances(client, kind) : "none";
    if (left === "none") {
      release(client, terminating, state("False", "InstanceDeletionCompleted", "removed all instances"));
      return undefined;
    }
    if (left === "refused") {
      updateCondition(client, terminating, state("True", "InstanceDeletionFailed", "could not issue all deletes"));
      throw ApiError.internal("could not issue all deletes");
    }
    // Instances with finalizers trigger this controller when they are removed.
    const waitedMs = left === "held" ? waitedMsOf(terminating, nowMs) : 0;
    if (waitedMs >= waitMs) {
      updateCondition(client, terminating, state("True", "InstanceDeletionCheck", stillThere));
      return undefined;
    }
    updateCondition(client, terminating, underWay);
    return { afterMs: left === "more" ? 0 : waitMs - waitedMs };
  },
});

/** Returns the time since the deletion of instances started. */
function waitedMsOf(definition: CustomResourceDefinition, nowMs: number): number {
  const condition = conditionOf(definition, "Terminating");
  const since = condition?.status === "True" ? condition.lastTransitionTime : undefined;
  return !since ? 0 : nowMs - parseTime(since);
}

function isHeld({ metadata }: CustomResourceDefinition): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(cleanupFinalizer) === true;
}

/**
 * Deletes instances. Returns `more` if another turn is needed, if only so that other controllers see the deletions before the kind is
 * removed.
 */
function deleteInstances(client: Client, kind: Kind): "none" | "more" | "held" | "refused" {
  let done = 0;
  let terminatingCount = 0;
  for (const { metadata } of client.each(kind)) {
    if (metadata.deletionTimestamp) {
      terminatingCount++;
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
  return terminatingCount > 0 ? "held" : "none";
}

function updateCondition(
  client: Client,
  definition: CustomResourceDefinition,
  conditions: CustomResourceDefinition["status"]["conditions"],
) {
  return client.updateStatus(customResourceDefinitions, {
    ...definition,
    status: { ...definition.status, conditions },
  });
}

function release(
  client: Client,
  definition: CustomResourceDefinition,
  conditions: CustomResourceDefinition["status"]["conditions"],
) {
  const finalizers = (definition.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
  const status = { ...definition.status, conditions };
  client.updateStatus(customResourceDefinitions, {
    ...definition,
    metadata: { ...definition.metadata, finalizers },
    status,
  });
}
