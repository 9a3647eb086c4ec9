// Upstream's `SetDefaults_*` of pods and pod specs, which templates share.
import type {
  Container,
  EphemeralContainer,
  HTTPGetAction,
  LifecycleHandler,
  Pod,
  PodSpec,
  PodStatus,
  Probe,
} from "../../../../shared/k8s/api/core-v1.ts";
import { defaultVolume } from "./volume-defaults.ts";
import { imageTag } from "./image-reference.ts";
import { defaultRequests, defaultPodResources, setDefaultsResourceList } from "./resource-defaults.ts";

/** Sets the defaults that only pods get. */
export function defaultPod(pod: Pod): void {
  const { spec } = pod;
  if (spec.terminationGracePeriodSeconds !== undefined && spec.terminationGracePeriodSeconds < 0) {
    spec.terminationGracePeriodSeconds = 1;
  }
  for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) defaultRequests(container.resources);
  defaultPodResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) defaultHostPorts(spec);
  defaultPodSpec(spec);
  syncAddresses(pod.status);
}

/** Sets the defaults of any pod spec. */
export function defaultPodSpec(spec: PodSpec): void {
  spec.restartPolicy ??= "Always";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= "ClusterFirst";
  spec.securityContext ??= {};
  spec.schedulerName ??= "default-scheduler";
  syncServiceAccount(spec);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of spec.initContainers ?? []) defaultContainer(container);
  for (const container of spec.containers) defaultContainer(container);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container);
  setDefaultsResourceList(spec.overhead);
  setDefaultsResourceList(spec.resources?.limits);
  setDefaultsResourceList(spec.resources?.requests);
}

/** Sets both `serviceAccount`, the deprecated name, and `serviceAccountName`. */
export function syncServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

/** Sets `podIP` to the first of `podIPs`. If they differ, `podIP` is used. */
function syncAddresses(status: PodStatus): void {
  if (status.podIP && status.podIP !== status.podIPs?.[0]?.ip) status.podIPs = [{ ip: status.podIP }];
  const first = status.podIPs?.[0]?.ip;
  if (first) status.podIP = first;
}

function defaultContainer(container: Container | EphemeralContainer): void {
  for (const port of container.ports ?? []) port.protocol ??= "TCP";
  for (const variable of container.env ?? []) {
    if (variable.valueFrom?.fieldRef) variable.valueFrom.fieldRef.apiVersion ??= "v1";
  }
  setDefaultsResourceList(container.resources.limits);
  setDefaultsResourceList(container.resources.requests);
  defaultProbe(container.livenessProbe);
  defaultProbe(container.readinessProbe);
  defaultProbe(container.startupProbe);
  defaultHandler(container.lifecycle?.postStart);
  defaultHandler(container.lifecycle?.preStop);
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  container.imagePullPolicy ??= imageTag(container.image ?? "") === "latest" ? "Always" : "IfNotPresent";
}

function defaultProbe(probe: Probe | undefined): void {
  if (!probe) return;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
}

function defaultHandler(handler: LifecycleHandler | undefined): void {
  defaultHttpGet(handler?.httpGet);
}

function defaultHttpGet(action: HTTPGetAction | undefined): void {
  if (!action) return;
  action.path ??= "/";
  action.scheme ??= "HTTP";
}

function defaultHostPorts(spec: PodSpec): void {
  for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
    for (const port of container.ports ?? []) if (port.containerPort) port.hostPort ??= port.containerPort;
  }
}
