// The list of the controllers, with the scheduler, that depend on no part of a cluster.
import type { Controller } from "../../runtime/controller.ts";
import { availabilityController } from "../../controllers/api-service-availability.ts";
import { certificateApproving } from "../../controllers/certificates/approving.ts";
import { certificateCleaner } from "../../controllers/certificates/cleaner.ts";
import { claimProtection } from "../../controllers/volume/claim-protection.ts";
import { crdApiApprovalController } from "../../controllers/custom-resource-definitions/api-approval.ts";
import { crdEstablishingController } from "../../controllers/custom-resource-definitions/establishing.ts";
import { crdFinalizer } from "../../controllers/custom-resource-definitions/finalizer.ts";
import { crdNamingController } from "../../controllers/custom-resource-definitions/naming.ts";
import { crdRegistration } from "../../controllers/custom-resource-definitions/registration.ts";
import { crdNonStructuralSchemaController } from "../../controllers/custom-resource-definitions/non-structural-schema.ts";
import { cronJobController } from "../../controllers/cron-job/controller.ts";
import {
  daemonSetController,
  daemonSetPodAdoption,
  daemonSetRevisionAdoption,
} from "../../controllers/daemon-set/controller.ts";
import { deploymentAdoption, deploymentController } from "../../controllers/deployment/controller.ts";
import {
  disruptionController,
  severalBudgetsController,
  staleDisruptionController,
} from "../../controllers/disruption/controller.ts";
import { endpointSliceController } from "../../controllers/endpoint-slice/controller.ts";
import { endpointsController } from "../../controllers/endpoints.ts";
import { eventTtlController } from "../../controllers/event-ttl.ts";
import { flowSchemaController } from "../../controllers/flow-schema.ts";
import { horizontalPodAutoscalerController } from "../../controllers/horizontal-pod-autoscaler/controller.ts";
import { jobController, jobOrphanController, jobPodAdoption } from "../../controllers/job/controller.ts";
import { podGcController } from "../../controllers/pod-gc.ts";
import { deviceTaintEviction } from "../../controllers/device-taint-eviction.ts";
import { resourceClaimController, resourceClaimTemplating } from "../../controllers/resource-claim.ts";
import { attachDetachController } from "../../controllers/volume/attach-detach.ts";
import { attributesClassProtection } from "../../controllers/volume/attributes-class-protection.ts";
import { csiAttacher } from "../../controllers/volume/csi-attacher.ts";
import { csiCapacity } from "../../controllers/volume/csi-capacity.ts";
import { csiResizer } from "../../controllers/volume/csi-resizer.ts";
import { volumeExpandController } from "../../controllers/volume/volume-expand.ts";
import { replicaSetAdoption, replicaSetController } from "../../controllers/replica-set/controller.ts";
import { replicationAdoption, replicationController } from "../../controllers/replica-set/replication-controller.ts";
import { schedulerController } from "../../scheduler/controller.ts";
import { serviceAccountController } from "../../controllers/service-account/controller.ts";
import { serviceAddressController } from "../../controllers/service-addresses.ts";
import { serviceCidrController } from "../../controllers/service-cidr.ts";
import {
  statefulSetController,
  statefulSetPodAdoption,
  statefulSetRevisionAdoption,
} from "../../controllers/stateful-set/controller.ts";
import { persistentVolumeController } from "../../controllers/volume/persistent-volume/controller.ts";
import { ephemeralVolumeController } from "../../controllers/volume/ephemeral-volume.ts";
import { csiProvisioner, localPathProvisioner } from "../../controllers/volume/volume-provisioner.ts";
import { clusterRoleAggregation } from "../../controllers/cluster-role-aggregation.ts";
import { endpointSliceMirroring } from "../../controllers/endpoint-slice-mirroring.ts";
import { gatewayController } from "../../controllers/gateway/controller.ts";
import { legacyTokenCleaner } from "../../controllers/service-account/legacy-token-cleaner.ts";
import { loadBalancerController } from "../../controllers/load-balancer.ts";
import { nodeIpamController } from "../../controllers/node-ipam.ts";
import { nodeTtlController } from "../../controllers/node-ttl.ts";
import { nodeLifecycleController } from "../../controllers/node-lifecycle/controller.ts";
import { taintEvictionController } from "../../controllers/taint-eviction.ts";
import { tokenCleaner } from "../../controllers/bootstrap/token-cleaner.ts";
import { validatingAdmissionPolicyStatus } from "../../controllers/validating-admission-policy-status/controller.ts";
import { volumeProtection } from "../../controllers/volume/volume-protection.ts";
import { ttlAfterFinishedController } from "../../controllers/ttl-after-finished.ts";

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
