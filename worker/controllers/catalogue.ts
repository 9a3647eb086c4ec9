// The controllers that need nothing but kinds, one line each.
import type { Controller } from "../runtime/controller.ts";
import { daemonSetController, daemonSetPodAdoption, daemonSetRevisionAdoption } from "./daemon-set.ts";
import { deploymentAdoption, deploymentController } from "./deployment.ts";
import { endpointSliceController } from "./endpoint-slice.ts";
import { endpointsController } from "./endpoints.ts";
import { eventTtlController } from "./event-ttl.ts";
import { podGcController } from "./pod-gc.ts";
import { replicaSetAdoption, replicaSetController } from "./replica-set.ts";
import { schedulerController } from "./scheduler.ts";
import { serviceAccountController } from "./service-account.ts";
import { serviceCidrController } from "./service-cidr.ts";
import { statefulSetController, statefulSetPodAdoption, statefulSetRevisionAdoption } from "./stateful-set.ts";

export const controllers: readonly Controller[] = [
  deploymentController,
  deploymentAdoption,
  replicaSetController,
  replicaSetAdoption,
  daemonSetController,
  daemonSetPodAdoption,
  daemonSetRevisionAdoption,
  statefulSetController,
  statefulSetPodAdoption,
  statefulSetRevisionAdoption,
  schedulerController,
  endpointsController,
  endpointSliceController,
  serviceAccountController,
  serviceCidrController,
  podGcController,
  eventTtlController,
];
