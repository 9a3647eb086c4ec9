// Builds the environment of a container as the kubelet does: variables, references and `$(NAME)` in them.
import { limits } from "../../../shared/base/limits.ts";
import { parseQuantity, quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container, EnvVar, EnvVarSource, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { environmentOfImage, imageNamed } from "../images/image-lookup.ts";
import type { ImageSource } from "../images/own-images.ts";
import { hostnameOf } from "./hosts.ts";
import { serviceVariables } from "./service-links.ts";
import type { ClusterView } from "./world.ts";

/** The allocatable resources of a node, which are the limits of a container that sets none. */
const nodeSizes: Readonly<Record<string, number>> = {
  cpu: 4,
  memory: 8_286_208 * 1024,
  "ephemeral-storage": 96_636_764_160,
};

/** The remaining characters of a program's words and variables up to the kernel's limit. Nothing is expanded past it. */
export interface ArgumentBudget {
  left: number;
}

/** Returns the room of Linux's `ARG_MAX` with the default stack size. */
export function newArgumentBudget(): ArgumentBudget {
  return { left: limits.argumentCharacters };
}

/** Takes room for a word or a variable. Returns false if it does not fit. */
export function fits(budget: ArgumentBudget, length: number): boolean {
  budget.left -= length > limits.argumentStringCharacters ? Number.POSITIVE_INFINITY : length;
  return budget.left >= 0;
}

/**
 * Returns the variables of a container. Services created after `beganMs`, the start of the container, have none. Variables that exceed `room` are
 * left out.
 */
export function environmentOf(
  pod: Pod,
  container: Container,
  view: ClusterView,
  beganMs = Number.POSITIVE_INFINITY,
  budget = newArgumentBudget(),
): Record<string, string> {
  const links = serviceVariables(pod, view, beganMs);
  // References resolve to both. The container's variables override those of Services.
  const resolvable = { ...links };
  const containerVariables: Record<string, string> = {};
  const set = (name: string, value: string) => {
    if (fits(budget, name.length + value.length)) containerVariables[name] = resolvable[name] = value;
  };
  const data = dataOnce(pod, view);
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    if (budget.left < 0) break;
    const values = configMapRef ? data("configmap", configMapRef.name) : data("secret", secretRef?.name);
    for (const [key, value] of Object.entries(values ?? {})) set(prefix + key, value);
  }
  for (const variable of container.env ?? []) {
    if (budget.left < 0) break;
    const value = valueOf(pod, container, variable, data);
    if (value !== undefined) set(variable.name, variable.valueFrom ? value : expanded(value, resolvable, budget));
  }
  return { ...ofRuntime(pod), ...ofImage(container, view), ...links, ...containerVariables };
}

type Data = (kind: "configmap" | "secret", name: string | undefined) => Readonly<Record<string, string>> | undefined;

/** Reads each ConfigMap and Secret once, because many variables may refer to the same object. */
function dataOnce({ metadata: { namespace = "" } }: Pod, view: ClusterView): Data {
  const texts = new Map<string, Readonly<Record<string, string>> | undefined>();
  return (kind, name = "") => {
    const key = `${kind}/${name}`;
    if (!texts.has(key)) texts.set(key, view.data(kind, namespace, name));
    return texts.get(key);
  };
}

/** Returns the variables that the container runtime adds to those of the kubelet. References do not resolve to them. */
function ofRuntime(pod: Pod): Record<string, string> {
  return {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOSTNAME: hostnameOf(pod),
    HOME: "/root",
  };
}

function ofImage({ image }: Container, source: ImageSource): Readonly<Record<string, string>> {
  const named = imageNamed(image, source);
  return named ? environmentOfImage(named) : {};
}

/** Returns the variables to which a command may refer. */
export function declaredVariables(
  pod: Pod,
  container: Container,
  environment: Readonly<Record<string, string>>,
  source: ImageSource,
): Readonly<Record<string, string>> {
  const defaults: Readonly<Record<string, string>> = { ...ofRuntime(pod), ...ofImage(container, source) };
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => defaults[name] !== value));
}

/**
 * Expands `$(NAME)` to the value of a variable and `$$(NAME)` to `$(NAME)`. Unknown names are not expanded. If the text exceeds the room, it is
 * not expanded and no room is left.
 */
export function expanded(text: string, variables: Readonly<Record<string, string>>, budget: ArgumentBudget): string {
  let { length } = text;
  return text.replace(/\$(\$|\(([^()]*)\))/g, (reference, dollar: string, name?: string) => {
    if (dollar === "$") return "$";
    const value = name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
    length += value?.length ?? 0;
    if (length > limits.argumentStringCharacters) budget.left = Number.NEGATIVE_INFINITY;
    return budget.left < 0 ? "" : (value ?? reference);
  });
}

function valueOf(pod: Pod, container: Container, { value = "", valueFrom }: EnvVar, data: Data): string | undefined {
  if (!valueFrom) return value;
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = valueFrom;
  if (configMapKeyRef) return data("configmap", configMapKeyRef.name)?.[configMapKeyRef.key];
  if (secretKeyRef) return data("secret", secretKeyRef.name)?.[secretKeyRef.key];
  if (fieldRef) return fieldOf(pod, fieldRef.fieldPath);
  return resourceFieldRef ? resourceOf(pod, container, resourceFieldRef) : "";
}

/** Returns a field of the pod by its name in the downward API. */
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
    "status.podIPs": status.podIPs?.map((podIP) => podIP.ip ?? "").join(","),
    "status.hostIP": status.hostIP,
    "status.hostIPs": status.hostIPs?.map((hostIP) => hostIP.ip ?? "").join(","),
  };
  return fields[path] ?? "";
}

/** Returns a request or limit in units of the divisor, rounded up. */
export function resourceOf(
  pod: Pod,
  container: Container,
  reference: NonNullable<EnvVarSource["resourceFieldRef"]>,
): string {
  const isNamed = (candidate: Container) => candidate.name === reference.containerName;
  const { resources } = pod.spec.containers.find(isNamed) ?? pod.spec.initContainers?.find(isNamed) ?? container;
  const [list = "", ...rest] = reference.resource.split(".");
  const name = rest.join(".");
  const text = (list === "limits" ? resources.limits : resources.requests)?.[name] ?? resources.limits?.[name];
  const exact = (quantity: string) => Number(parseQuantity(quantity)?.nanos ?? 0n) / 1e9;
  const amount = text === undefined ? (list === "limits" ? (nodeSizes[name] ?? 0) : 0) : exact(text);
  const divisor = reference.divisor && quantityValue(reference.divisor) > 0 ? exact(reference.divisor) : 1;
  return String(Math.ceil(amount / divisor));
}
