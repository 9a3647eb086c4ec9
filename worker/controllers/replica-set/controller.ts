// The ReplicaSet controller: maintains the desired number of pods of the template.
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { replicaSets } from "../../kinds/apps/replica-set.ts";
import { controllerOwner, defineController, self } from "../../runtime/controller.ts";
import { defineSpecAdoption } from "../common/orphan-adoption.ts";
import { isPodActive } from "../common/pod-ready.ts";
import { keepReplicas } from "./replicas.ts";

export const replicaSetController = defineController({
  name: "replicaset-controller",
  component: "replicaset-controller",
  watches: [self(replicaSets), controllerOwner(pods, replicaSets)],
  reconcile({ namespace, name }, context) {
    const replicaSet = context.client.get(replicaSets, namespace, name);
    if (!replicaSet) return undefined;
    return keepReplicas({
      context,
      replicaSet,
      owner: { object: replicaSet, kind: replicaSets, selector: labelSelectorAsSelector(replicaSet.spec.selector) },
      // The registry ignores a write without changes.
      save: (status) => void context.client.updateStatus(replicaSets, { ...replicaSet, status }),
    });
  },
});

/** Adopts pods without a controller that a ReplicaSet selects. */
export const replicaSetAdoption = defineSpecAdoption({
  name: "replicaset-adoption",
  identity: "replicaset-controller",
  kind: pods,
  owner: replicaSets,
  when: isPodActive,
});
