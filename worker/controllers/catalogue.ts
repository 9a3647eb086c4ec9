// The controllers that need nothing but kinds, one line each.
import type { Controller } from "../runtime/controller.ts";
import { claimProtection } from "./claim-protection.ts";
import { cronJobController } from "./cron-job.ts";
import { daemonSetController, daemonSetPodAdoption, daemonSetRevisionAdoption } from "./daemon-set.ts";
import { deploymentAdoption, deploymentController } from "./deployment.ts";
import { disruptionController, staleDisruptionController } from "./disruption.ts";
import { endpointSliceController } from "./endpoint-slice.ts";
import { endpointsController } from "./endpoints.ts";
import { eventTtlController } from "./event-ttl.ts";
import { jobController, jobOrphanController, jobPodAdoption } from "./job.ts";
import { podGcController } from "./pod-gc.ts";
import { replicaSetAdoption, replicaSetController } from "./replica-set.ts";
import { replicationAdoption, replicationController } from "./replication-controller.ts";
import { schedulerController } from "./scheduler.ts";
import { serviceAccountController } from "./service-account.ts";
import { serviceCidrController } from "./service-cidr.ts";
import { statefulSetController, statefulSetPodAdoption, statefulSetRevisionAdoption } from "./stateful-set.ts";
import { persistentVolumeController } from "./persistent-volume.ts";
import { ephemeralVolumeController } from "./ephemeral-volume.ts";
import { csiProvisioner, localPathProvisioner } from "./volume-provisioner.ts";
import { clusterRoleAggregation } from "./cluster-role-aggregation.ts";
import { endpointSliceMirroring } from "./endpoint-slice-mirroring.ts";
import { loadBalancerController } from "./load-balancer.ts";
import { nodeLifecycleController } from "./node-lifecycle.ts";
import { taintEvictionController } from "./taint-eviction.ts";
import { volumeProtection } from "./volume-protection.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished.ts";

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
  replicationController,
  replicationAdoption,
  disruptionController,
  staleDisruptionController,
  cronJobController,
  jobController,
  jobPodAdoption,
  jobOrphanController,
  ttlAfterFinishedController,
  schedulerController,
  endpointsController,
  endpointSliceController,
  serviceAccountController,
  serviceCidrController,
  podGcController,
  eventTtlController,
  claimProtection,
  volumeProtection,
  persistentVolumeController,
  localPathProvisioner,
  csiProvisioner,
  ephemeralVolumeController,
  endpointSliceMirroring,
  clusterRoleAggregation,
  loadBalancerController,
  nodeLifecycleController,
  taintEvictionController,
];
