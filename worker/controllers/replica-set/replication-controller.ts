// The ReplicationController controller: converts to a ReplicaSet and uses its logic, as upstream does.
import type { ReplicaSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { ReplicationController } from "../../../shared/k8s/api/core-v1.ts";
import { selectorFromSet } from "../../../shared/k8s/selectors/labels.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { replicationControllers } from "../../kinds/core/replication-controller.ts";
import { controllerOwner, defineController, self } from "../../runtime/controller.ts";
import { defineAdoption } from "../common/orphan-adoption.ts";
import { isPodActive } from "../common/pod-ready.ts";
import { keepReplicas } from "./replicas.ts";

export const replicationController = defineController({
  name: "replication-controller",
  component: "replication-controller",
  watches: [self(replicationControllers), controllerOwner(pods, replicationControllers)],
  reconcile({ namespace, name }, context) {
    const controller = context.client.get(replicationControllers, namespace, name);
    if (!controller) return undefined;
    return keepReplicas({
      context,
      replicaSet: asReplicaSet(controller),
      owner: { object: controller, kind: replicationControllers, selector: selectorFromSet(controller.spec.selector) },
      save({ terminatingReplicas: _terminating, ...status }) {
        context.client.updateStatus(replicationControllers, { ...controller, status });
      },
    });
  },
});

/** Adopts pods without a controller that a ReplicationController selects. */
export const replicationAdoption = defineAdoption({
  name: "replication-adoption",
  identity: "replication-controller",
  kind: pods,
  owner: replicationControllers,
  selector: ({ spec }) => selectorFromSet(spec.selector),
  when: isPodActive,
});

function asReplicaSet({ apiVersion, kind, metadata, spec, status }: ReplicationController): ReplicaSet {
  const { selector, template = { metadata: {}, spec: { containers: [] } }, ...rest } = spec;
  return { apiVersion, kind, metadata, spec: { ...rest, selector: { matchLabels: selector ?? {} }, template }, status };
}
