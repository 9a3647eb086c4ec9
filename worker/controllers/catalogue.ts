// The controllers that need nothing but kinds, one line each.
import type { Controller } from "../runtime/controller.ts";
import { availabilityController } from "./api-service-availability.ts";
import { certificateApproving } from "./certificate-approving.ts";
import { certificateCleaner } from "./certificate-cleaner.ts";
import { claimProtection } from "./claim-protection.ts";
import { crdApiApprovalController } from "./crd-api-approval.ts";
import { crdEstablishingController } from "./crd-establishing.ts";
import { crdFinalizer } from "./crd-finalizer.ts";
import { crdNamingController } from "./crd-naming.ts";
import { crdRegistration } from "./crd-registration.ts";
import { crdNonStructuralSchemaController } from "./crd-non-structural-schema.ts";
import { cronJobController } from "./cron-job.ts";
import { daemonSetController, daemonSetPodAdoption, daemonSetRevisionAdoption } from "./daemon-set.ts";
import { deploymentAdoption, deploymentController } from "./deployment.ts";
import { disruptionController, severalBudgetsController, staleDisruptionController } from "./disruption.ts";
import { endpointSliceController } from "./endpoint-slice.ts";
import { endpointsController } from "./endpoints.ts";
import { eventTtlController } from "./event-ttl.ts";
import { flowSchemaController } from "./flow-schema.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler.ts";
import { jobController, jobOrphanController, jobPodAdoption } from "./job.ts";
import { podGcController } from "./pod-gc.ts";
import { deviceTaintEviction } from "./device-taint-eviction.ts";
import { resourceClaimController, resourceClaimTemplating } from "./resource-claim.ts";
import { attachDetachController } from "./attach-detach.ts";
import { attributesClassProtection } from "./attributes-class-protection.ts";
import { csiAttacher } from "./csi-attacher.ts";
import { csiCapacity } from "./csi-capacity.ts";
import { csiResizer } from "./csi-resizer.ts";
import { volumeExpandController } from "./volume-expand.ts";
import { replicaSetAdoption, replicaSetController } from "./replica-set.ts";
import { replicationAdoption, replicationController } from "./replication-controller.ts";
import { schedulerController } from "./scheduler.ts";
import { serviceAccountController } from "./service-account.ts";
import { serviceAddressController } from "./service-addresses.ts";
import { serviceCidrController } from "./service-cidr.ts";
import { statefulSetController, statefulSetPodAdoption, statefulSetRevisionAdoption } from "./stateful-set.ts";
import { persistentVolumeController } from "./persistent-volume.ts";
import { ephemeralVolumeController } from "./ephemeral-volume.ts";
import { csiProvisioner, localPathProvisioner } from "./volume-provisioner.ts";
import { clusterRoleAggregation } from "./cluster-role-aggregation.ts";
import { endpointSliceMirroring } from "./endpoint-slice-mirroring.ts";
import { ingressStatusController } from "./ingress-status.ts";
import { legacyTokenCleaner } from "./legacy-token-cleaner.ts";
import { loadBalancerController } from "./load-balancer.ts";
import { nodeIpamController } from "./node-ipam.ts";
import { nodeTtlController } from "./node-ttl.ts";
import { nodeLifecycleController } from "./node-lifecycle.ts";
import { taintEvictionController } from "./taint-eviction.ts";
import { tokenCleaner } from "./token-cleaner.ts";
import { validatingAdmissionPolicyStatus } from "./validating-admission-policy-status.ts";
import { volumeProtection } from "./volume-protection.ts";
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
  ingressStatusController,
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
