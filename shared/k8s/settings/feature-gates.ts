// The feature gates of kube-apiserver 1.36, and those that can be switched in a sandbox. Older releases are described by what differs.

/** The gates that a sandbox may switch, if its release has them. All are beta and on by default in the newest release; if one is off, the sandbox behaves as upstream does then. */
export const switchableGates = [
  "DeploymentReplicaSetTerminatingReplicas",
  "HPAConfigurableTolerance",
  "HostnameOverride",
  "PodTopologyLabelsAdmission",
  "WatchList",
] as const;

export type SwitchableGate = (typeof switchableGates)[number];

/** Gates that are on in the newest release and off in an older one, which no sandbox may switch. */
const releaseGates = ["ConstrainedImpersonation", "NodeDeclaredFeatures"] as const;

export type Features = Readonly<Record<SwitchableGate | (typeof releaseGates)[number], boolean>>;

/** The state of a gate by default. `locked`: locked to true. */
export type GateState = "locked" | "on" | "off";

/** Gates by name, as in `--feature-gates`. */
export type GivenGates = Readonly<Record<string, boolean>>;

/** The gates of an older release that differ from the newest one. Null: the release does not have the gate. */
export type GateChanges = Readonly<Record<string, GateState | null>>;

export const defaultFeatures: Features = featuresOf({});

/** Returns all gates that the code reads. `featureGateProblem` must accept the given ones. */
export function featuresOf(gates: GivenGates, changes: GateChanges = {}): Features {
  const isOn = (name: string) => gates[name] ?? (changes[name] === undefined || isOnIn(changes[name]));
  // One entry for each name.
  return Object.fromEntries([...switchableGates, ...releaseGates].map((name) => [name, isOn(name)])) as Features;
}

function isOnIn(state: GateState | null): boolean {
  return state === "on" || state === "locked";
}

/** Reports whether all gates have their defaults. */
export function hasUsualFeatures(gates: GivenGates): boolean {
  return switchableGates.every((name) => gates[name] ?? true);
}

/** Returns why a gate cannot have this value, or undefined if it can. Upstream's refusals are in upstream's words. */
export function featureGateProblem(name: string, value: boolean, changes?: GateChanges): string | undefined {
  const changed = changes?.[name];
  if (changed !== undefined) return changedGateProblem(name, value, changed);
  if (switchableGates.some((switchable) => switchable === name)) return undefined;
  if (lockedOn.has(name))
    return value ? undefined : `cannot set feature gate ${name} to false, feature is locked to true`;
  // The gate has this value by default.
  if ((value ? on : off).has(name)) return undefined;
  if (!on.has(name) && !off.has(name)) return `unrecognized feature gate: ${name}`;
  return `feature gate ${name} cannot be switched in a sandbox; those that can: ${switchableGates.join(", ")}`;
}

function changedGateProblem(name: string, value: boolean, state: GateState | null): string | undefined {
  if (state === null) return `unrecognized feature gate: ${name}`;
  if (value === isOnIn(state)) return undefined;
  if (state === "locked") return `cannot set feature gate ${name} to false, feature is locked to true`;
  if (switchableGates.some((switchable) => switchable === name)) return undefined;
  return `feature gate ${name} cannot be switched in a sandbox; those that can: ${switchableGates.join(", ")}`;
}

/** Returns the states of all gates. */
export function gateStates(): Map<string, GateState> {
  const states = new Map<string, GateState>(switchableGates.map((name) => [name, "on"]));
  for (const name of on) states.set(name, "on");
  for (const name of off) states.set(name, "off");
  for (const name of lockedOn) states.set(name, "locked");
  return states;
}

/** Gates that are locked to true. */
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

/** Gates that are on by default. */
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

/** Gates that are off by default. `AllAlpha` and `AllBeta` stand for groups of gates. */
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
