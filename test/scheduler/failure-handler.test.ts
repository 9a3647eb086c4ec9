import { expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { schedulerController } from "../../worker/scheduler/controller.ts";
import { serviceAccountController } from "../../worker/controllers/service-account/controller.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import type { Client } from "../../worker/registry/client.ts";
import { defineController } from "../../worker/runtime/controller.ts";
import { overridden } from "../overridden.ts";
import { newCluster } from "../cluster.ts";

test("a pod whose condition could not be written is retried without another event", () => {
  let refusals = 0;
  const scheduler = defineController({
    ...schedulerController,
    reconcile(request, context) {
      const { client } = context;
      const updateStatus: Client["updateStatus"] = (kind, draft) => {
        if (refusals++ > 0) return client.updateStatus(kind, draft);
        throw ApiError.internal("etcdserver: request timed out");
      };
      return schedulerController.reconcile(request, { ...context, client: overridden(client, { updateStatus }) });
    },
  });
  const cluster = newCluster({ nodes: 0, controllers: [scheduler, serviceAccountController] });
  cluster.step(0);
  const spec = { containers: [{ name: "main", image: "nginx" }] };
  cluster.apply(pods, { metadata: { namespace: "default", name: "waits" }, spec });
  cluster.runUntilQuiet();
  expect(refusals).toBeGreaterThan(1);
  const { conditions } = cluster.get(pods, "default", "waits").status;
  expect(conditions).toMatchObject([{ type: "PodScheduled", status: "False", reason: "Unschedulable" }]);
});
