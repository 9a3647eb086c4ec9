// Every kind that is served, in the order of discovery.
import { apiServices } from "./api-services.ts";
import { certificateSigningRequests } from "./certificate-signing-requests.ts";
import { clusterRoleBindings } from "./cluster-role-bindings.ts";
import { clusterRoles } from "./cluster-roles.ts";
import { componentStatuses } from "./component-statuses.ts";
import { configMaps } from "./config-maps.ts";
import { controllerRevisions } from "./controller-revisions.ts";
import { customResourceDefinitions } from "./custom-resource-definitions.ts";
import { cronJobs } from "./cron-jobs.ts";
import { csiDrivers } from "./csi-drivers.ts";
import { csiNodes } from "./csi-nodes.ts";
import { csiStorageCapacities } from "./csi-storage-capacities.ts";
import { daemonSets } from "./daemon-sets.ts";
import { deployments } from "./deployments.ts";
import { deviceClasses } from "./device-classes.ts";
import { endpointSlices } from "./endpoint-slices.ts";
import { endpoints } from "./endpoints.ts";
import { eventsV1 } from "./events-v1.ts";
import { events } from "./events.ts";
import { flowSchemas } from "./flow-schemas.ts";
import { horizontalPodAutoscalersV1 } from "./horizontal-pod-autoscalers-v1.ts";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscalers.ts";
import { ingressClasses } from "./ingress-classes.ts";
import { ingresses } from "./ingresses.ts";
import { ipAddresses } from "./ip-addresses.ts";
import { jobs } from "./jobs.ts";
import type { Kind } from "./kind.ts";
import { leases } from "./leases.ts";
import { limitRanges } from "./limit-ranges.ts";
import { mutatingAdmissionPolicies } from "./mutating-admission-policies.ts";
import { mutatingAdmissionPolicyBindings } from "./mutating-admission-policy-bindings.ts";
import { mutatingWebhookConfigurations } from "./mutating-webhook-configurations.ts";
import { namespaces } from "./namespaces.ts";
import { networkPolicies } from "./network-policies.ts";
import { nodeMetrics } from "./node-metrics.ts";
import { nodes } from "./nodes.ts";
import { persistentVolumeClaims } from "./persistent-volume-claims.ts";
import { persistentVolumes } from "./persistent-volumes.ts";
import { podDisruptionBudgets } from "./pod-disruption-budgets.ts";
import { podMetrics } from "./pod-metrics.ts";
import { podTemplates } from "./pod-templates.ts";
import { pods } from "./pods.ts";
import { priorityClasses } from "./priority-classes.ts";
import { priorityLevelConfigurations } from "./priority-level-configurations.ts";
import { replicaSets } from "./replica-sets.ts";
import { replicationControllers } from "./replication-controllers.ts";
import { resourceClaimTemplates } from "./resource-claim-templates.ts";
import { resourceClaims } from "./resource-claims.ts";
import { resourceQuotas } from "./resource-quotas.ts";
import { resourceSlices } from "./resource-slices.ts";
import { roleBindings } from "./role-bindings.ts";
import { roles } from "./roles.ts";
import { runtimeClasses } from "./runtime-classes.ts";
import { secrets } from "./secrets.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { serviceCidrs } from "./service-cidrs.ts";
import { services } from "./services.ts";
import { statefulSets } from "./stateful-sets.ts";
import { storageClasses } from "./storage-classes.ts";
import { validatingAdmissionPolicies } from "./validating-admission-policies.ts";
import { validatingAdmissionPolicyBindings } from "./validating-admission-policy-bindings.ts";
import { validatingWebhookConfigurations } from "./validating-webhook-configurations.ts";
import { volumeAttachments } from "./volume-attachments.ts";
import { volumeAttributesClasses } from "./volume-attributes-classes.ts";

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
