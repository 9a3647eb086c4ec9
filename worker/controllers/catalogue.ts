// The controllers that need nothing but kinds, one line each.
import type { Controller } from "../runtime/controller.ts";
import { deploymentAdoption, deploymentController } from "./deployment.ts";
import { endpointSliceController } from "./endpoint-slice.ts";
import { endpointsController } from "./endpoints.ts";
import { eventTtlController } from "./event-ttl.ts";
import { podGcController } from "./pod-gc.ts";
import { replicaSetAdoption, replicaSetController } from "./replica-set.ts";
import { schedulerController } from "./scheduler.ts";
import { serviceAccountController } from "./service-account.ts";

export const controllers: readonly Controller[] = [
  deploymentController,
  deploymentAdoption,
  replicaSetController,
  replicaSetAdoption,
  schedulerController,
  endpointsController,
  endpointSliceController,
  serviceAccountController,
  podGcController,
  eventTtlController,
];
