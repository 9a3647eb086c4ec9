// All built-in kinds in the order of discovery.
import { apiServices } from "./apiregistration/api-service.ts";
import { certificateSigningRequests } from "./certificates/certificate-signing-request.ts";
import { clusterRoleBindings } from "./rbac/cluster-role-binding.ts";
import { clusterRoles } from "./rbac/cluster-role.ts";
import { componentStatuses } from "./core/component-status.ts";
import { configMaps } from "./core/config-map.ts";
import { controllerRevisions } from "./apps/controller-revision.ts";
import { customResourceDefinitions } from "./apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { cronJobs } from "./batch/cron-job.ts";
import { csiDrivers } from "./storage/csi-driver.ts";
import { csiNodes } from "./storage/csi-node.ts";
import { csiStorageCapacities } from "./storage/csi-storage-capacity.ts";
import { daemonSets } from "./apps/daemon-set.ts";
import { deployments } from "./apps/deployment.ts";
import { deviceClasses } from "./resource/device-class.ts";
import { endpointSlices } from "./discovery/endpoint-slice.ts";
import { endpoints } from "./core/endpoints.ts";
import { eventsV1 } from "./events/event.ts";
import { events } from "./core/event/event.ts";
import { flowSchemas } from "./flowcontrol/flow-schema.ts";
import { horizontalPodAutoscalersV1 } from "./autoscaling/horizontal-pod-autoscaler/v1.ts";
import { horizontalPodAutoscalers } from "./autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { ingressClasses } from "./networking/ingress-class.ts";
import { ingresses } from "./networking/ingress.ts";
import { ipAddresses } from "./networking/ip-address.ts";
import { jobs } from "./batch/job/job.ts";
import type { Kind } from "./kind.ts";
import { leases } from "./coordination/lease.ts";
import { limitRanges } from "./core/limit-range.ts";
import { mutatingAdmissionPolicies } from "./admissionregistration/mutating-admission-policy.ts";
import { mutatingAdmissionPolicyBindings } from "./admissionregistration/mutating-admission-policy-binding.ts";
import { mutatingWebhookConfigurations } from "./admissionregistration/mutating-webhook-configuration.ts";
import { namespaces } from "./core/namespace.ts";
import { networkPolicies } from "./networking/network-policy.ts";
import { nodeMetrics } from "./metrics/node-metrics.ts";
import { nodes } from "./core/node/node.ts";
import { persistentVolumeClaims } from "./core/persistent-volume-claim/persistent-volume-claim.ts";
import { persistentVolumes } from "./core/persistent-volume/persistent-volume.ts";
import { podDisruptionBudgets } from "./policy/pod-disruption-budget.ts";
import { podMetrics } from "./metrics/pod-metrics.ts";
import { podTemplates } from "./core/pod-template.ts";
import { pods } from "./core/pod/pod.ts";
import { priorityClasses } from "./scheduling/priority-class.ts";
import { priorityLevelConfigurations } from "./flowcontrol/priority-level-configuration.ts";
import { replicaSets } from "./apps/replica-set.ts";
import { replicationControllers } from "./core/replication-controller.ts";
import { resourceClaimTemplates } from "./resource/resource-claim-template.ts";
import { resourceClaims } from "./resource/resource-claim.ts";
import { resourceQuotas } from "./core/resource-quota/resource-quota.ts";
import { resourceSlices } from "./resource/resource-slice.ts";
import { roleBindings } from "./rbac/role-binding.ts";
import { roles } from "./rbac/role.ts";
import { runtimeClasses } from "./node/runtime-class.ts";
import { secrets } from "./core/secret.ts";
import { serviceAccounts } from "./core/service-account.ts";
import { serviceCidrs } from "./networking/service-cidr.ts";
import { services } from "./core/service/service.ts";
import { statefulSets } from "./apps/stateful-set.ts";
import { storageClasses } from "./storage/storage-class.ts";
import { validatingAdmissionPolicies } from "./admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBindings } from "./admissionregistration/validating-admission-policy-binding.ts";
import { validatingWebhookConfigurations } from "./admissionregistration/validating-webhook-configuration.ts";
import { volumeAttachments } from "./storage/volume-attachment.ts";
import { volumeAttributesClasses } from "./storage/volume-attributes-class.ts";

export const kinds: readonly Kind[] = [
  configMaps,
  endpoints,
  events,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  componentStatuses,
  limitRanges,
  persistentVolumeClaims,
  persistentVolumes,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  deployments,
  replicaSets,
  controllerRevisions,
  daemonSets,
  statefulSets,
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  cronJobs,
  jobs,
  leases,
  endpointSlices,
  eventsV1,
  podDisruptionBudgets,
  priorityClasses,
  roles,
  roleBindings,
  clusterRoles,
  clusterRoleBindings,
  ingresses,
  ingressClasses,
  networkPolicies,
  serviceCidrs,
  ipAddresses,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  runtimeClasses,
  certificateSigningRequests,
  validatingWebhookConfigurations,
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  flowSchemas,
  priorityLevelConfigurations,
  apiServices,
  customResourceDefinitions,
  deviceClasses,
  resourceClaims,
  resourceClaimTemplates,
  resourceSlices,
  nodeMetrics,
  podMetrics,
];
