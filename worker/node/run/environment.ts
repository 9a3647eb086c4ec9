// The environment of a container, as its kubelet makes it: variables, references and `$(NAME)` in them.
import { parseQuantity, quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container, EnvVar, EnvVarSource, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { hostnameOf } from "./hosts.ts";
import { serviceVariables } from "./service-links.ts";
import type { ClusterView } from "./world.ts";

/** What a node gives to a container that sets no limit. */
const nodeSizes: Readonly<Record<string, number>> = {
  cpu: 4,
  memory: 8_286_208 * 1024,
  "ephemeral-storage": 96_636_764_160,
};

/** `beganMs`: when the container was started; Services that came later are not told of. */
export function environmentOf(
  pod: Pod,
  container: Container,
  view: ClusterView,
  beganMs = Number.POSITIVE_INFINITY,
): Record<string, string> {
  const { namespace = "" } = pod.metadata;
  const links = serviceVariables(pod, view, beganMs);
  const given: Record<string, string> = {};
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const data = configMapRef
      ? view.data("configmap", namespace, configMapRef.name ?? "")
      : view.data("secret", namespace, secretRef?.name ?? "");
    for (const [key, value] of Object.entries(data ?? {})) given[prefix + key] = value;
  }
  for (const one of container.env ?? []) {
    const value = valueOf(pod, container, one, view);
    if (value !== undefined) given[one.name] = one.valueFrom ? value : expanded(value, { ...links, ...given });
  }
  return { ...ofRuntime(pod), ...links, ...given };
}

/** What the runtime gives beside what the kubelet asks for. References do not find it. */
function ofRuntime(pod: Pod): Record<string, string> {
  return {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOSTNAME: hostnameOf(pod),
    HOME: "/root",
  };
}

/** The variables that a command may refer to. */
export function declared(pod: Pod, environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const own = ofRuntime(pod);
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => own[name] !== value));
}

/** `$(NAME)` becomes the variable's value, `$$(NAME)` stays `$(NAME)`; what is not known stays as it is. */
export function expanded(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$(\$|\(([^()]*)\))/g, (whole, dollar: string, name?: string) => {
    if (dollar === "$") return "$";
    return (name === undefined ? undefined : variables[name]) ?? whole;
  });
}

function valueOf(
  pod: Pod,
  container: Container,
  { value = "", valueFrom }: EnvVar,
  view: ClusterView,
): string | undefined {
  if (!valueFrom) return value;
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = valueFrom;
  const namespace = pod.metadata.namespace ?? "";
  if (configMapKeyRef) return view.data("configmap", namespace, configMapKeyRef.name ?? "")?.[configMapKeyRef.key];
  if (secretKeyRef) return view.data("secret", namespace, secretKeyRef.name ?? "")?.[secretKeyRef.key];
  if (fieldRef) return fieldOf(pod, fieldRef.fieldPath);
  return resourceFieldRef ? resourceOf(pod, container, resourceFieldRef) : "";
}

/** A field of the pod, as the downward API names it. */
export function fieldOf(pod: Pod, path: string): string {
  const { metadata, spec, status } = pod;
  const keyed = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path);
  if (keyed) return metadata[keyed[1] === "labels" ? "labels" : "annotations"]?.[keyed[2] ?? ""] ?? "";
  const list = (map: Readonly<Record<string, string>> | undefined) =>
    Object.entries(map ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .join("\n");
  const fields: Record<string, string | undefined> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "metadata.labels": list(metadata.labels),
    "metadata.annotations": list(metadata.annotations),
    "spec.nodeName": spec.nodeName,
    "spec.serviceAccountName": spec.serviceAccountName,
    "status.podIP": status.podIP,
    "status.podIPs": status.podIPs?.map((one) => one.ip ?? "").join(","),
    "status.hostIP": status.hostIP,
    "status.hostIPs": status.hostIPs?.map((one) => one.ip ?? "").join(","),
  };
  return fields[path] ?? "";
}

/** A request or limit in units of the divisor, rounded up. */
export function resourceOf(
  pod: Pod,
  container: Container,
  reference: NonNullable<EnvVarSource["resourceFieldRef"]>,
): string {
  const named = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(
    (one) => one.name === reference.containerName,
  );
  const { resources } = named ?? container;
  const [list = "", ...rest] = reference.resource.split(".");
  const name = rest.join(".");
  const text = (list === "limits" ? resources.limits : resources.requests)?.[name] ?? resources.limits?.[name];
  const exact = (quantity: string) => Number(parseQuantity(quantity)?.nanos ?? 0n) / 1e9;
  const amount = text === undefined ? (list === "limits" ? (nodeSizes[name] ?? 0) : 0) : exact(text);
  const divisor = reference.divisor && quantityValue(reference.divisor) > 0 ? exact(reference.divisor) : 1;
  return String(Math.ceil(amount / divisor));
}
