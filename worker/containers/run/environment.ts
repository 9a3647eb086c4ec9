// The environment of a container, as its kubelet makes it: variables, references and `$(NAME)` in them.
import { limits } from "../../../shared/base/limits.ts";
import { parseQuantity, quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container, EnvVar, EnvVarSource, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { environmentOfImage, imageNamed } from "../images/image-lookup.ts";
import type { ImageSource } from "../images/own-images.ts";
import { hostnameOf } from "./hosts.ts";
import { serviceVariables } from "./service-links.ts";
import type { ClusterView } from "./world.ts";

/** What a node gives to a container that sets no limit. */
const nodeSizes: Readonly<Record<string, number>> = {
  cpu: 4,
  memory: 8_286_208 * 1024,
  "ephemeral-storage": 96_636_764_160,
};

/** What the kernel takes of a program's words and variables, in characters; what is past it is not worked out. */
export interface ArgumentRoom {
  left: number;
}

/** Linux: `ARG_MAX` with the usual stack. */
export function newArgumentRoom(): ArgumentRoom {
  return { left: limits.argumentCharacters };
}

/** Takes room for one word or variable; false where there is none. */
export function fits(room: ArgumentRoom, length: number): boolean {
  room.left -= length > limits.argumentStringCharacters ? Number.POSITIVE_INFINITY : length;
  return room.left >= 0;
}

/** `beganMs`: when the container was started; Services that came later are not told of. What does not fit is left out. */
export function environmentOf(
  pod: Pod,
  container: Container,
  view: ClusterView,
  beganMs = Number.POSITIVE_INFINITY,
  room = newArgumentRoom(),
): Record<string, string> {
  const links = serviceVariables(pod, view, beganMs);
  // References find both; what is given comes after what is linked, and over it.
  const found = { ...links };
  const given: Record<string, string> = {};
  const set = (name: string, value: string) => {
    if (fits(room, name.length + value.length)) given[name] = found[name] = value;
  };
  const data = dataOnce(pod, view);
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    if (room.left < 0) break;
    const values = configMapRef ? data("configmap", configMapRef.name) : data("secret", secretRef?.name);
    for (const [key, value] of Object.entries(values ?? {})) set(prefix + key, value);
  }
  for (const one of container.env ?? []) {
    if (room.left < 0) break;
    const value = valueOf(pod, container, one, data);
    if (value !== undefined) set(one.name, one.valueFrom ? value : expanded(value, found, room));
  }
  return { ...ofRuntime(pod), ...ofImage(container, view), ...links, ...given };
}

type Data = (kind: "configmap" | "secret", name: string | undefined) => Readonly<Record<string, string>> | undefined;

/** Many variables may come of one object. */
function dataOnce({ metadata: { namespace = "" } }: Pod, view: ClusterView): Data {
  const known = new Map<string, Readonly<Record<string, string>> | undefined>();
  return (kind, name = "") => {
    const key = `${kind}/${name}`;
    if (!known.has(key)) known.set(key, view.data(kind, namespace, name));
    return known.get(key);
  };
}

/** What the runtime gives beside what the kubelet asks for. References do not find it. */
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

/** The variables that a command may refer to. */
export function declared(
  pod: Pod,
  container: Container,
  environment: Readonly<Record<string, string>>,
  source: ImageSource,
): Readonly<Record<string, string>> {
  const own: Readonly<Record<string, string>> = { ...ofRuntime(pod), ...ofImage(container, source) };
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => own[name] !== value));
}

/**
 * `$(NAME)` becomes the variable's value, `$$(NAME)` stays `$(NAME)`; what is not known stays as it is. What is longer than fits is not
 * made: the room has nothing left then.
 */
export function expanded(text: string, variables: Readonly<Record<string, string>>, room: ArgumentRoom): string {
  let { length } = text;
  return text.replace(/\$(\$|\(([^()]*)\))/g, (whole, dollar: string, name?: string) => {
    if (dollar === "$") return "$";
    const value = name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
    length += value?.length ?? 0;
    if (length > limits.argumentStringCharacters) room.left = Number.NEGATIVE_INFINITY;
    return room.left < 0 ? "" : (value ?? whole);
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
  const isNamed = (one: Container) => one.name === reference.containerName;
  const { resources } = pod.spec.containers.find(isNamed) ?? pod.spec.initContainers?.find(isNamed) ?? container;
  const [list = "", ...rest] = reference.resource.split(".");
  const name = rest.join(".");
  const text = (list === "limits" ? resources.limits : resources.requests)?.[name] ?? resources.limits?.[name];
  const exact = (quantity: string) => Number(parseQuantity(quantity)?.nanos ?? 0n) / 1e9;
  const amount = text === undefined ? (list === "limits" ? (nodeSizes[name] ?? 0) : 0) : exact(text);
  const divisor = reference.divisor && quantityValue(reference.divisor) > 0 ? exact(reference.divisor) : 1;
  return String(Math.ceil(amount / divisor));
}
