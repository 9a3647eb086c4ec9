// The controllers that only depend on kinds, one per line.
import type { Controller } from "../runtime/controller.ts";
import { availabilityController } from "./api-service-availability.ts";
import { certificateApproving } from "./certificates/approving.ts";
import { certificateCleaner } from "./certificates/cleaner.ts";
import { claimProtection } from "./volume/claim-protection.ts";
import { crdApiApprovalController } from "./custom-resource-definitions/api-approval.ts";
import { crdEstablishingController } from "./custom-resource-definitions/establishing.ts";
import { crdFinalizer } from "./custom-resource-definitions/finalizer.ts";
import { crdNamingController } from "./custom-resource-definitions/naming.ts";
import { crdRegistration } from "./custom-resource-definitions/registration.ts";
import { crdNonStructuralSchemaController } from "./custom-resource-definitions/non-structural-schema.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { daemonSetController, daemonSetPodAdoption, daemonSetRevisionAdoption } from "./daemon-set/controller.ts";
import { deploymentAdoption, deploymentController } from "./deployment/controller.ts";
import { disruptionController, severalBudgetsController, staleDisruptionController } from "./disruption/controller.ts";
import { endpointSliceController } from "./endpoint-slice/controller.ts";
import { endpointsController } from "./endpoints.ts";
import { eventTtlController } from "./event-ttl.ts";
import { flowSchemaController } from "./flow-schema.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/controller.ts";
import { jobController, jobOrphanController, jobPodAdoption } from "./job/controller.ts";
import { podGcController } from "./pod-gc.ts";
import { deviceTaintEviction } from "./device-taint-eviction.ts";
import { resourceClaimController, resourceClaimTemplating } from "./resource-claim.ts";
import { attachDetachController } from "./volume/attach-detach.ts";
import { attributesClassProtection } from "./volume/attributes-class-protection.ts";
import { csiAttacher } from "./volume/csi-attacher.ts";
import { csiCapacity } from "./volume/csi-capacity.ts";
import { csiResizer } from "./volume/csi-resizer.ts";
import { volumeExpandController } from "./volume/volume-expand.ts";
import { replicaSetAdoption, replicaSetController } from "./replica-set/controller.ts";
import { replicationAdoption, replicationController } from "./replica-set/replication-controller.ts";
import { schedulerController } from "../scheduler/controller.ts";
import { serviceAccountController } from "./service-account/controller.ts";
import { serviceAddressController } from "./service-addresses.ts";
import { serviceCidrController } from "./service-cidr.ts";
import {
  statefulSetController,
  statefulSetPodAdoption,
  statefulSetRevisionAdoption,
} from "./stateful-set/controller.ts";
import { persistentVolumeController } from "./volume/persistent-volume/controller.ts";
import { ephemeralVolumeController } from "./volume/ephemeral-volume.ts";
import { csiProvisioner, localPathProvisioner } from "./volume/volume-provisioner.ts";
import { clusterRoleAggregation } from "./cluster-role-aggregation.ts";
import { endpointSliceMirroring } from "./endpoint-slice-mirroring.ts";
import { gatewayController } from "./gateway/controller.ts";
import { legacyTokenCleaner } from "./service-account/legacy-token-cleaner.ts";
import { loadBalancerController } from "./load-balancer.ts";
import { nodeIpamController } from "./node-ipam.ts";
import { nodeTtlController } from "./node-ttl.ts";
import { nodeLifecycleController } from "./node-lifecycle/controller.ts";
import { taintEvictionController } from "./taint-eviction.ts";
import { tokenCleaner } from "./bootstrap/token-cleaner.ts";
import { validatingAdmissionPolicyStatus } from "./validating-admission-policy-status/controller.ts";
import { volumeProtection } from "./volume/volume-protection.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished.ts";

export const controllers: readonly Controller[] = [
  crdApiApprovalController,
  crdNamingController,
  crdEstablishingController,
  crdNonStructuralSchemaController,
  crdFinalizer,
  crdRegistration,
  availabilityController,
  deploymentController,
  deploymentAdoption,
  replicaSetController,
  replicaSetAdoption,
  daemonSetController,
  daemonSetPodAdoption,
  daemonSetRevisionAdoption,
  horizontalPodAutoscalerController,
  statefulSetController,
  statefulSetPodAdoption,
  statefulSetRevisionAdoption,
  replicationController,
  replicationAdoption,
  disruptionController,
  staleDisruptionController,
  severalBudgetsController,
  cronJobController,
  jobController,
  jobPodAdoption,
  jobOrphanController,
  ttlAfterFinishedController,
  schedulerController,
  endpointsController,
  endpointSliceController,
  serviceAccountController,
  serviceAddressController,
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
  gatewayController,
  nodeLifecycleController,
  nodeIpamController,
  nodeTtlController,
  taintEvictionController,
  attachDetachController,
  csiAttacher,
  volumeExpandController,
  csiResizer,
  csiCapacity,
  attributesClassProtection,
  resourceClaimController,
  resourceClaimTemplating,
  deviceTaintEviction,
  certificateApproving,
  certificateCleaner,
  flowSchemaController,
  legacyTokenCleaner,
  tokenCleaner,
  validatingAdmissionPolicyStatus,
];
