// The feature gates that kube-apiserver 1.36 knows, and those of them that can be switched in a sandbox.

/** What can be switched: where it is off, the sandbox behaves as upstream does then. All are beta, and on by default. */
export const switchableGates = [
  "DeploymentReplicaSetTerminatingReplicas",
  "HPAConfigurableTolerance",
  "HostnameOverride",
  "PodTopologyLabelsAdmission",
  "WatchList",
] as const;

export type SwitchableGate = (typeof switchableGates)[number];

export type Features = Readonly<Record<SwitchableGate, boolean>>;

/** By name, as `--feature-gates` has them. */
export type GivenGates = Readonly<Record<string, boolean>>;

export const defaultFeatures: Features = featuresOf({});

/** Of gates in which `featureGateProblem` finds nothing wrong. */
export function featuresOf(given: GivenGates): Features {
  // One entry for each name.
  return Object.fromEntries(switchableGates.map((name) => [name, given[name] ?? true])) as Features;
}

/** Whether it differs from a cluster that was given none. */
export function hasUsualFeatures(given: GivenGates): boolean {
  return switchableGates.every((name) => given[name] ?? true);
}

/** Why a gate cannot be set so, in upstream's words where it would refuse it; undefined: it can. */
export function featureGateProblem(name: string, value: boolean): string | undefined {
  if (switchableGates.some((one) => one === name)) return undefined;
  if (lockedOn.has(name))
    return value ? undefined : `cannot set feature gate ${name} to false, feature is locked to true`;
  // As it is anyway.
  if ((value ? on : off).has(name)) return undefined;
  if (!on.has(name) && !off.has(name)) return `unrecognized feature gate: ${name}`;
  return `feature gate ${name} cannot be switched in a sandbox; those that can: ${switchableGates.join(", ")}`;
}

/** On for good. */
const lockedOn = names(`
  APIServerTracing AggregatedDiscoveryRemoveBetaType AllowOverwriteTerminationGracePeriodSeconds AnonymousAuthConfigurableEndpoints
  AnyVolumeDataSource AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting
  CSIServiceAccountTokenSecrets ConsistentListFromCache CustomResourceFieldSelectors DRAAdminAccess DeclarativeValidation
  DisableAllocatorDualWrite DisableNodeKubeProxyVersion DynamicResourceAllocation ExecProbeTimeout ExternalServiceAccountTokenSigner
  GitRepoVolumeDriver ImageMaximumGCAge ImageVolume InPlacePodVerticalScaling JobBackoffLimitPerIndex JobManagedBy
  JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI KubeletFineGrainedAuthz KubeletPSI
  KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing LogarithmicScaleDown MatchLabelKeysInPodAffinity
  MultiCIDRServiceAllocator MutableCSINodeAllocatableCount NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery
  NodeSwap OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking
  PodSchedulingReadiness PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
  RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName
  SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints SeparateCacheWatchRPC SeparateTaintEvictionController
  ServiceAccountTokenJTI ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
  SidecarContainers StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
  SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport VolumeAttributesClass WinDSR WinOverlay
`);

/** On by default. */
const on = names(`
  StorageVersionHash
  APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AllowServiceExternalIPs
  AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions CRDObservedGenerationTracking
  ClearingNominatedNodeNameAfterBinding ComponentFlagz ComponentStatusz ConstrainedImpersonation ContainerCheckpoint
  ContainerRestartRules CustomCPUCFSQuotaPeriod DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource
  DRAPartitionableDevices DRAPrioritizedList DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization
  DRASchedulerFilterTimeout DeclarativeValidationBeta DetectCacheInconsistency DisableCPUQuotaWithExclusiveCPUs EnvFiles
  ExtendWebSocketsToKubelet GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority InPlacePodLevelResourcesVerticalScaling
  InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages
  KubeletPodResourcesListUseActivePods KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot
  MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge MutablePodResourcesForSuspendedJobs
  MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy NodeDeclaredFeatures NominatedNodeNameForExpectation OpenAPIEnums
  OpportunisticBatching PLEGOnDemandRelist PodDeletionCost PodLevelResources PodReadyToStartContainersCondition PortForwardWebsockets
  PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile ReloadKubeletServerCertificateFile
  RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage RestartAllContainersOnContainerExits
  RotateKubeletServerCertificate SchedulerAsyncPreemption SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction
  ServiceCIDRStatusFieldWiping SizeBasedListCostEstimate StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob
  StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageNamespaceIndex
  StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfigurationJWKSMetrics
  TokenRequestServiceAccountUIDValidation TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests
  UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy WatchCacheInitializationPostStartHook
  WindowsGracefulNodeShutdown
`);

/** Off by default. `AllAlpha` and `AllBeta` stand for others. */
const off = names(`
  AllAlpha AllBeta
  APIServingWithRoutine AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests AllowUnsafeMalformedObjectDeletion
  CBORServingAndStorage CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth ChangeContainerStatusOnKubeletRestart
  CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ClusterTrustBundle ClusterTrustBundleProjection
  ConcurrentWatchObjectDecode ContainerStopSignals CoordinatedLeaderElection CrossNamespaceVolumeDataSource DRADeviceTaintRules
  DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims DeclarativeValidationTakeover
  EventedPLEG GangScheduling GenericWorkload HPAScaleToZero ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory KMSv1 KubeletInUserNamespace KubeletRegistrationGetOnExistsOnly
  LocalStorageCapacityIsolationFSQuotaMonitoring ManifestBasedAdmissionControlConfig MaxUnavailableStatefulSet MemoryQoS
  MutablePVNodeAffinity PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodCertificateRequest PodLevelResourceManagers
  PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi SELinuxMount
  SchedulerAsyncAPICalls ShardedListAndWatch StorageCapacityScoring StorageVersionAPI StorageVersionMigrator
  TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport
  VolumeLimitScaling WindowsCPUAndMemoryAffinity WindowsHostNetwork WorkloadAwarePreemption WorkloadWithJob
`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
