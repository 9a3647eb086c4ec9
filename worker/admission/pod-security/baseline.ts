// The checks of the baseline level, which prevents known privilege escalations. Each returns the violation of a pod, if any.
import type { Container, Probe } from "../../../shared/k8s/api/core-v1.ts";
import { containersOf, inUserNamespace, namesWhere, type PodLike, setByContainers } from "./subject.ts";
import { containersText, singularOrPlural, quotedList, settersText, sortedSet, type Violation } from "./wording.ts";

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";
const seccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccompAnnotation = "container.seccomp.security.alpha.kubernetes.io/";
const safeCapabilities = new Set([
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"],
  ...["SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
]);

export function appArmor(pod: PodLike): Violation | undefined {
  const isAllowed = (type: string) => type === "RuntimeDefault" || type === "Localhost";
  const ofPod = pod.spec.securityContext?.appArmorProfile?.type;
  const badPod = ofPod !== undefined && !isAllowed(ofPod);
  const bad = setByContainers(pod, (context) => context.appArmorProfile?.type).filter(({ value }) => !isAllowed(value));
  const annotations = Object.entries(pod.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !isSafeAppArmor(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const values = [...sortedSet([...(badPod ? [ofPod] : []), ...bad.map(({ value }) => value)]), ...annotations];
  if (values.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  const more = annotations.length > 0 ? [singularOrPlural(annotations, "annotation")] : [];
  return {
    reason: singularOrPlural(values, "forbidden AppArmor profile"),
    detail: `${settersText(badPod, names, ...more)} must not set AppArmor profile type to ${quotedList(values)}`,
  };
}

function isSafeAppArmor(profile: string): boolean {
  return profile === "" || profile === "runtime/default" || profile.startsWith("localhost/");
}

export function capabilities(pod: PodLike): Violation | undefined {
  const bad = setByContainers(pod, (context) => context.capabilities?.add)
    .map(({ name, value }) => ({ name, value: value.filter((capability) => !safeCapabilities.has(capability)) }))
    .filter(({ value }) => value.length > 0);
  if (bad.length === 0) return undefined;
  const added = quotedList(sortedSet(bad.flatMap(({ value }) => value)));
  const names = containersText(bad.map(({ name }) => name));
  return {
    reason: "non-default capabilities",
    detail: `${names} must not include ${added} in securityContext.capabilities.add`,
  };
}

export function hostNamespaces({ spec }: PodLike): Violation | undefined {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((field) => `${field}=true`).join(", ") };
}

export function hostPathVolumes({ spec }: PodLike): Violation | undefined {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${singularOrPlural(names, "volume")} ${quotedList(names)}` };
}

export function hostPorts({ spec }: PodLike): Violation | undefined {
  const used = containersOf(spec)
    .map(({ name, ports = [] }) => ({
      name,
      ports: ports.flatMap(({ hostPort }) => (hostPort ? [`${hostPort}`] : [])),
    }))
    .filter(({ ports }) => ports.length > 0);
  if (used.length === 0) return undefined;
  const ports = sortedSet(used.flatMap((container) => container.ports));
  const names = used.map(({ name }) => name);
  const uses = singularOrPlural(names, "uses", "use");
  return {
    reason: "hostPort",
    detail: `${containersText(names)} ${uses} ${singularOrPlural(ports, "hostPort")} ${ports.join(", ")}`,
  };
}

export function hostProbes({ spec }: PodLike): Violation | undefined {
  const bad = containersOf(spec)
    .map((container) => ({ name: container.name, hosts: hostsOf(container) }))
    .filter(({ hosts }) => hosts.length > 0);
  if (bad.length === 0) return undefined;
  const names = sortedSet(bad.map(({ name }) => name));
  const hosts = sortedSet(bad.flatMap((container) => container.hosts));
  const kind = singularOrPlural(hosts, "probe or lifecycle host");
  return {
    reason: "probe or lifecycle host",
    detail: `${containersText(names)} ${singularOrPlural(names, "uses", "use")} ${kind} ${quotedList(hosts)}`,
  };
}

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers: (Pick<Probe, "httpGet" | "tcpSocket"> | undefined)[] = [
    ...[livenessProbe, readinessProbe, startupProbe],
    ...[lifecycle?.postStart, lifecycle?.preStop],
  ];
  return handlers
    .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
    .flatMap((host) => host || []);
}

export function checkPrivileged(pod: PodLike): Violation | undefined {
  const names = namesWhere(pod, (context) => context?.privileged === true);
  if (names.length === 0) return undefined;
  return { reason: "privileged", detail: `${containersText(names)} must not set securityContext.privileged=true` };
}

export function procMount(pod: PodLike): Violation | undefined {
  const bad = setByContainers(pod, (context) => context.procMount).filter(({ value }) => value !== "Default");
  if (bad.length === 0) return undefined;
  const types = quotedList(sortedSet(bad.map(({ value }) => value)));
  const names = containersText(bad.map(({ name }) => name));
  return { reason: "procMount", detail: `${names} must not set securityContext.procMount to ${types}` };
}

export function procMountOfHostUsers(pod: PodLike): Violation | undefined {
  return inUserNamespace(pod) ? undefined : procMount(pod);
}

/** Checks the SELinux options. `types` are the allowed types; "" is none. */
export function seLinuxOptions(types: readonly string[]): (pod: PodLike) => Violation | undefined {
  const isBad = ({ type = "", user = "", role = "" }) => !types.includes(type) || user !== "" || role !== "";
  return (pod) => {
    const ofPod = pod.spec.securityContext?.seLinuxOptions;
    const badPod = ofPod !== undefined && isBad(ofPod);
    const bad = setByContainers(pod, (context) => context.seLinuxOptions).filter(({ value }) => isBad(value));
    const options = [...(badPod ? [ofPod] : []), ...bad.map(({ value }) => value)];
    if (options.length === 0) return undefined;
    const wrong = sortedSet(options.map(({ type = "" }) => type).filter((type) => !types.includes(type)));
    const complaints = [
      ...(wrong.length > 0 ? [`${singularOrPlural(wrong, "type")} ${quotedList(wrong)}`] : []),
      ...(options.some(({ user }) => user) ? ["user may not be set"] : []),
      ...(options.some(({ role }) => role) ? ["role may not be set"] : []),
    ];
    const who = settersText(
      badPod,
      bad.map(({ name }) => name),
    );
    return {
      reason: "seLinuxOptions",
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${complaints.join("; ")}`,
    };
  };
}

/** Checks the annotations that were used before seccomp had fields. */
export function seccompAnnotations({ metadata, spec }: PodLike): Violation | undefined {
  const keys = [seccompAnnotation, ...containersOf(spec).map(({ name }) => containerSeccompAnnotation + name)];
  const bad = sortedSet(
    keys.flatMap((key) => {
      const value = metadata.annotations?.[key];
      return value === undefined || isSafeSeccomp(value) ? [] : [`${key}=${JSON.stringify(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  return { reason: "seccompProfile", detail: `forbidden ${singularOrPlural(bad, "annotation")} ${bad.join(", ")}` };
}

function isSafeSeccomp(profile: string): boolean {
  return profile === "runtime/default" || profile === "docker/default" || profile.startsWith("localhost/");
}

export function seccompProfile(pod: PodLike): Violation | undefined {
  const isAllowed = (type: string) => type === "RuntimeDefault" || type === "Localhost";
  const ofPod = pod.spec.securityContext?.seccompProfile?.type;
  const badPod = ofPod !== undefined && !isAllowed(ofPod);
  const bad = setByContainers(pod, (context) => context.seccompProfile?.type).filter(({ value }) => !isAllowed(value));
  const values = sortedSet([...(badPod ? [ofPod] : []), ...bad.map(({ value }) => value)]);
  if (values.length === 0) return undefined;
  const who = settersText(
    badPod,
    bad.map(({ name }) => name),
  );
  return {
    reason: "seccompProfile",
    detail: `${who} must not set securityContext.seccompProfile.type to ${quotedList(values)}`,
  };
}

export function sysctls(safe: readonly string[]): (pod: PodLike) => Violation | undefined {
  return ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !safe.includes(name));
    return names.length > 0 ? { reason: "forbidden sysctls", detail: names.join(", ") } : undefined;
  };
}

export function windowsHostProcess(pod: PodLike): Violation | undefined {
  const badPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const names = namesWhere(pod, (context) => context?.windowsOptions?.hostProcess === true);
  if (!badPod && names.length === 0) return undefined;
  const detail = `${settersText(badPod, names)} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: "hostProcess", detail };
}
