// The fields of a pod that the scheduler caches. They are few, because every pod of the cluster is cached.
import type {
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  Volume,
  WeightedPodAffinityTerm,
} from "../../shared/k8s/api/core-v1.ts";
import type { LabelSelector } from "../../shared/k8s/api/meta-v1.ts";
import { type Labels, type Selector, labelSelectorAsSelector } from "../../shared/k8s/selectors/labels.ts";
import { type PodRequests, podRequests } from "./resources.ts";
import { type PodClaim, claimsOf } from "../controllers/common/volumes/pod-claims.ts";

export interface PodInfo extends PodRequests {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** "" if the pod has no node. */
  readonly nodeName: string;
  readonly labels: Labels;
  readonly priority: number;
  /** The start time; "" if the pod has not started. */
  readonly startTime: string;
  readonly isBeingDeleted: boolean;
  /** Whether the pod is being deleted by preemption. */
  readonly isPreempted: boolean;
  readonly hostPorts: readonly HostPort[];
  /** The affinity terms; undefined for most pods. */
  readonly terms: AffinityTerms | undefined;
  /** The volumes that restrict other pods; undefined for most pods. */
  readonly volumes: PodVolumes | undefined;
}

export function podInfoOf(pod: Pod): PodInfo {
  const { uid = "", namespace = "", name = "", labels = {}, deletionTimestamp } = pod.metadata;
  const isBeingDeleted = deletionTimestamp !== undefined;
  const nodeName = pod.spec.nodeName ?? "";
  return {
    uid,
    namespace,
    name,
    nodeName,
    labels,
    priority: priorityOf(pod),
    startTime: pod.status.startTime ?? "",
    isBeingDeleted,
    isPreempted: isBeingDeleted && podTerminatingByPreemption(pod),
    hostPorts: hostPortsOf(pod),
    terms: affinityTermsOf(pod),
    volumes: podVolumesOf(pod),
    ...podRequests(pod, { asRunning: nodeName !== "" }),
  };
}

export function priorityOf({ spec }: Pod): number {
  return spec.priority ?? 0;
}

function podTerminatingByPreemption({ status }: Pod): boolean {
  const target = status.conditions?.find(({ type }) => type === "DisruptionTarget");
  return target?.status === "True" && target.reason === "PreemptionByScheduler";
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const anyAddress = "0.0.0.0";

/** Returns the host ports of a pod's containers and sidecars. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always") ?? [];
  return [...sidecars, ...spec.containers].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort = 0, protocol, hostIP }) => ({
        ip: hostIP || anyAddress,
        protocol: protocol || "TCP",
        port: hostPort,
      })),
  );
}

export function conflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === anyAddress || b.ip === anyAddress;
}

export interface AffinityTerm {
  readonly topologyKey: string;
  readonly namespaces: readonly string[];
  readonly namespaceSelector: Selector;
  readonly selector: Selector;
  /** The weight. 1 for a required term: the default of `hardPodAffinityWeight`. */
  readonly weight: number;
}

export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly AffinityTerm[];
  readonly preferredAnti: readonly AffinityTerm[];
  /** The number of comparisons to match a pod against all terms. */
  readonly comparisons: number;
}

/** The fields that a term is matched against. */
interface Matchable {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Returns the affinity terms of a pod; undefined if it has none. */
export function affinityTermsOf(pod: Pod): AffinityTerms | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (!podAffinity && !podAntiAffinity) return undefined;
  const namespace = pod.metadata.namespace ?? "";
  const requiredTerms = (terms: readonly PodAffinityTerm[] = []) => terms.map((term) => termOf(term, namespace, 1));
  const preferredTerms = (terms: readonly WeightedPodAffinityTerm[] = []) =>
    terms.map(({ podAffinityTerm, weight }) => termOf(podAffinityTerm, namespace, weight));
  return {
    required: requiredTerms(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAnti: requiredTerms(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferred: preferredTerms(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAnti: preferredTerms(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    comparisons: affinityComparisons(podAffinity) + affinityComparisons(podAntiAffinity),
  };
}

function affinityComparisons(affinity: PodAffinity | PodAntiAffinity | undefined): number {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  let comparisons = 0;
  for (const { namespaces, labelSelector, namespaceSelector } of [
    ...required,
    ...preferred.map(({ podAffinityTerm }) => podAffinityTerm),
  ]) {
    comparisons += 1 + (namespaces?.length ?? 0);
    comparisons += selectorComparisons(labelSelector) + selectorComparisons(namespaceSelector);
  }
  return comparisons;
}

/** Returns the number of comparisons to match an object against a selector. */
export function selectorComparisons(selector: LabelSelector | undefined): number {
  let comparisons = Object.keys(selector?.matchLabels ?? {}).length;
  for (const { values } of selector?.matchExpressions ?? []) comparisons += 1 + (values?.length ?? 0);
  return comparisons;
}

export function termMatches(term: AffinityTerm, { namespace, labels }: Matchable, namespaceLabels: Labels): boolean {
  const inReach = term.namespaces.includes(namespace) || term.namespaceSelector.matches(namespaceLabels);
  return inReach && term.selector.matches(labels);
}

function termOf(term: PodAffinityTerm, namespace: string, weight: number): AffinityTerm {
  const ownOnly = (term.namespaces?.length ?? 0) === 0 && term.namespaceSelector === undefined;
  return {
    topologyKey: term.topologyKey,
    namespaces: ownOnly ? [namespace] : (term.namespaces ?? []),
    namespaceSelector: labelSelectorAsSelector(term.namespaceSelector),
    selector: labelSelectorAsSelector(term.labelSelector),
    weight,
  };
}

/** A disk that can be mounted a limited number of times. Two with the same key conflict unless both can be shared. */
interface Disk {
  readonly keys: readonly string[];
  readonly isShared: boolean;
}

interface PodVolumes {
  readonly claims: readonly PodClaim[];
  readonly disks: readonly Disk[];
}

/** Returns the restricted volumes of a pod; undefined if it has none. */
function podVolumesOf(pod: Pod): PodVolumes | undefined {
  const claims = claimsOf(pod);
  const disks = disksOf(pod);
  return claims.length + disks.length > 0 ? { claims, disks } : undefined;
}

export function disksOf({ spec }: Pod): readonly Disk[] {
  return (spec.volumes ?? []).flatMap((volume) => diskOf(volume) ?? []);
}

export function isVolumeConflict(a: Disk, b: Disk): boolean {
  return !(a.isShared && b.isShared) && a.keys.some((key) => b.keys.includes(key));
}

function diskOf({ gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd }: Volume): Disk | undefined {
  if (gce) return { keys: [`gce ${gce.pdName}`], isShared: gce.readOnly === true };
  if (aws) return { keys: [`aws ${aws.volumeID}`], isShared: false };
  if (iscsi) return { keys: [`iscsi ${iscsi.iqn}`], isShared: iscsi.readOnly === true };
  if (!rbd) return undefined;
  const image = `${rbd.pool ?? "rbd"} ${rbd.image}`;
  return { keys: rbd.monitors.map((monitor) => `rbd ${monitor} ${image}`), isShared: rbd.readOnly === true };
}
