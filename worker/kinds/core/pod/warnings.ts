// API warnings about pods and pod templates: upstream's `warningsForPodSpecAndMeta`.
import type {
  Container,
  EphemeralContainer,
  PodSpec,
  Volume,
  VolumeProjection,
  ContainerPort,
} from "../../../../shared/k8s/api/core-v1.ts";
import { trimmedEnd } from "../../../../shared/base/trim.ts";
import type { ObjectMeta } from "../../../../shared/k8s/api/meta-v1.ts";
import { type FieldPath, rootPath } from "../../../../shared/k8s/field.ts";
import { quantityMilliValue } from "../../../../shared/k8s/quantity.ts";
import { getWarningsForIp } from "../../common/ip-validation.ts";
import { appArmorTemplateWarning } from "./app-armor.ts";
import { containersWithPaths } from "../../common/checks.ts";
import { affinityWarnings, schedulingWarnings } from "./scheduling-warnings.ts";
import { limits } from "../../../../shared/base/limits.ts";
import { repeatsOf } from "../../../../shared/k8s/repeats.ts";

interface Seen {
  readonly at: FieldPath;
  readonly port: ContainerPort;
}

interface Placed {
  readonly path: string;
  readonly source: string;
}

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

const deprecatedVolumes: readonly (readonly [keyof Volume, string, string])[] = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

/** Returns the warnings. `path` is the path of the template, empty for a pod. */
export function warningsForPodSpecAndMeta(spec: PodSpec, meta: ObjectMeta, path: FieldPath = rootPath): string[] {
  const at = path.child("spec");
  const warnings = schedulingWarnings(spec, at);
  for (const [key, message] of Object.entries(deprecatedAnnotations)) {
    if (meta.annotations?.[key] !== undefined) {
      warnings.push(`${path.child("metadata", "annotations").key(key)}: ${message}`);
    }
  }
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    for (const [field, sourceName, message] of deprecatedVolumes) {
      if (volume[field] !== undefined)
        warnings.push(`${at.child("volumes").index(index).child(sourceName)}: ${message}`);
    }
  }
  warnings.push(...overlapWarnings(spec.volumes ?? []));
  warnings.push(...repetitions(spec, at), ...fractions(spec.overhead, at.child("overhead")));
  const annotations = path.child("metadata", "annotations");
  warnings.push(...seccompWarnings(spec, meta, annotations, "pod"));
  const containers = containersWithPaths(spec, at);
  for (const { container, at: where } of containers) {
    warnings.push(...seccompWarnings(container, meta, annotations, `container.${container.name}`));
    if (path !== rootPath) warnings.push(...appArmorTemplateWarning(spec, container, meta, annotations));
    warnings.push(...containerWarnings(container, where));
  }
  warnings.push(...portWarnings(containers));
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const field = at.child("terminationGracePeriodSeconds");
    warnings.push(`${field}: must be >= 0; negative values are invalid and will be treated as 1`);
  }
  warnings.push(...affinityWarnings(spec, at));
  const servers = at.child("dnsConfig", "nameservers");
  for (const [index, ip] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    warnings.push(...getWarningsForIp(ip, servers.index(index)));
  }
  for (const [index, { ip }] of (spec.hostAliases ?? []).entries()) {
    warnings.push(...getWarningsForIp(ip, at.child("hostAliases").index(index).child("ip")));
  }
  return warnings;
}

const seccompPrefix = "seccomp.security.alpha.kubernetes.io/";

/** Returns the warning about a deprecated annotation without the corresponding field. */
function seccompWarnings(
  { securityContext }: Pick<Container | PodSpec, "securityContext">,
  { annotations }: ObjectMeta,
  at: FieldPath,
  name: string,
): string[] {
  const key = name === "pod" ? `${seccompPrefix}pod` : name.replace("container.", `container.${seccompPrefix}`);
  if (securityContext?.seccompProfile || annotations?.[key] === undefined) return [];
  return [`${at.key(key)}: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

function repetitions({ hostAliases = [], imagePullSecrets = [] }: PodSpec, at: FieldPath): string[] {
  const warnings: string[] = [];
  const repeatedIps = repeatsOf(hostAliases, ({ ip }) => ip);
  for (const [index, { ip }] of hostAliases.entries()) {
    if (!repeatedIps[index]) continue;
    warnings.push(`${at.child("hostAliases").index(index).child("ip")}: duplicate ip ${JSON.stringify(ip)}`);
  }
  const secrets = at.child("imagePullSecrets");
  const repeatedNames = repeatsOf(imagePullSecrets, ({ name = "" }) => name);
  for (const [index, { name = "" }] of imagePullSecrets.entries()) {
    if (!repeatedNames[index]) continue;
    warnings.push(`${secrets.index(index).child("name")}: duplicate name ${JSON.stringify(name)}`);
  }
  for (const [index, { name }] of imagePullSecrets.entries()) {
    if (!name) warnings.push(`${secrets.index(index).child("name")}: invalid empty name ""`);
  }
  return warnings;
}

function containerWarnings({ resources, env = [] }: Container | EphemeralContainer, at: FieldPath): string[] {
  const warnings = [
    ...fractions(resources.limits, at.child("resources", "limits")),
    ...fractions(resources.requests, at.child("resources", "requests")),
  ];
  const repeats = repeatsOf(env, ({ name }) => name);
  for (const [index, { name, value = "", valueFrom }] of env.entries()) {
    if (!repeats[index]) continue;
    const reference = `$(${name})`;
    // A variable may extend its earlier definition.
    if (!valueFrom && value !== reference && value.includes(reference)) continue;
    const hidden = JSON.stringify(name);
    warnings.push(
      `${at.child("env").index(index)}: hides previous definition of ${hidden}, which may be dropped when using apply`,
    );
  }
  return warnings;
}

/** Returns warnings about fractional byte quantities. */
function fractions(list: Readonly<Record<string, string>> | undefined, at: FieldPath): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) => {
    const value = list?.[name];
    if (value === undefined || quantityMilliValue(value) % 1000 === 0) return [];
    return [`${at.key(name)}: fractional byte value ${JSON.stringify(value)} is invalid, must be an integer`];
  });
}

function overlapWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }) => [
    ...overlaps(`volume ${quote(name)} (ConfigMap ${quote(configMap?.name)})`, placesOf(configMap?.items)),
    ...overlaps(`volume ${quote(name)} (Secret ${quote(secret?.secretName)})`, placesOf(secret?.items)),
    ...overlaps(`volume ${quote(name)} (DownwardAPI)`, placesOf(downwardAPI?.items)),
    ...(projected?.sources ?? [])
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${quote(name)} (Projected) has no sources provided`),
    ...overlaps(`volume ${quote(name)} (Projected)`, (projected?.sources ?? []).flatMap(ofSource)),
  ]);
}

function quote(text = ""): string {
  return JSON.stringify(text);
}

function placesOf(items: readonly { readonly path: string }[] | undefined, source = ""): Placed[] {
  return (items ?? []).map(({ path }) => ({ path, source }));
}

function ofSource(projection: VolumeProjection): Placed[] {
  const {
    configMap,
    secret,
    downwardAPI,
    serviceAccountToken,
    clusterTrustBundle: bundle,
    podCertificate,
  } = projection;
  if (configMap?.items) return placesOf(configMap.items, `ConfigMap ${quote(configMap.name)}`);
  if (secret?.items) return placesOf(secret.items, `Secret ${quote(secret.name)}`);
  if (downwardAPI?.items) return placesOf(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: "ServiceAccountToken" }];
  if (bundle) return [{ path: bundle.path, source: `ClusterTrustBundle ${quote(bundle.name ?? bundle.signerName)}` }];
  const { certificateChainPath = "", keyPath = "", credentialBundlePath = "" } = podCertificate ?? {};
  return [
    { path: certificateChainPath, source: "PodCertificate chain" },
    { path: keyPath, source: "PodCertificate key" },
    { path: credentialBundlePath, source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

/** Returns warnings about equal or nested paths. Of many paths, only the first are checked. */
function overlaps(where: string, paths: readonly Placed[]): string[] {
  const warnings: string[] = [];
  const before: Placed[] = [];
  /** The earlier paths, and their parent folders. */
  const [earlierPaths, above] = [new Set<string>(), new Set<string>()];
  for (const { path: placedPath, source } of paths) {
    const path = trimmedEnd(placedPath, "/");
    if (path === "") continue;
    const folders = foldersOf(path);
    if (earlierPaths.has(path) || above.has(path) || folders.some((folder) => earlierPaths.has(folder))) {
      for (const earlier of before) {
        if (!isWithin(path, earlier.path)) continue;
        warnings.push(`${where}: overlapping paths: ${placedText({ path, source })} with ${placedText(earlier)}`);
        if (warnings.length === limits.toldErrors) return warnings;
      }
    }
    before.push({ path, source });
    earlierPaths.add(path);
    for (const folder of folders) above.add(folder);
  }
  return warnings;
}

function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) folders.push(path.slice(0, at));
  return folders;
}

function isWithin(a: string, b: string): boolean {
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

function placedText({ path, source }: Placed): string {
  return source === "" ? quote(path) : `${quote(path)} (${source})`;
}

function portWarnings(containers: readonly { container: Container | EphemeralContainer; at: FieldPath }[]): string[] {
  const warnings: string[] = [];
  const portsByKey = new Map<string, Seen[]>();
  for (const { container, at: where } of containers) {
    for (const [index, port] of (container.ports ?? []).entries()) {
      const at = where.child("ports").index(index);
      if (port.hostIP && !port.hostPort) warnings.push(`${at}: hostIP set without hostPort: ${goStruct(port)}`);
      const key = `${port.containerPort}/${port.protocol}`;
      const earlierPorts = portsByKey.get(key) ?? [];
      for (const earlierPort of earlierPorts) {
        const how = clash(port, earlierPort.port);
        if (how) warnings.push(`${at}: ${how} port definition with ${earlierPort.at}`);
      }
      portsByKey.set(key, [...earlierPorts, { at, port }]);
    }
  }
  return warnings;
}

/** Prints the struct as Go does. */
function goStruct({ name = "", hostPort = 0, containerPort, protocol, hostIP = "" }: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol ?? ""} HostIP:${hostIP}}`;
}

function clash(port: ContainerPort, earlierPort: ContainerPort): string {
  const [host, otherHost] = [port.hostPort ?? 0, earlierPort.hostPort ?? 0];
  const [ip, otherIp] = [port.hostIP ?? "", earlierPort.hostIP ?? ""];
  if (ip === otherIp && host === otherHost) return "duplicate";
  if (host === 0 || otherHost === 0) return "overlapping";
  // An unset address means all addresses.
  return host === otherHost && (ip === "" || otherIp === "") ? "overlapping" : "";
}
