// The view that containers have of their cluster, read from its objects on demand.
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import { textOfBytes } from "../../../shared/base/byte-text.ts";
import type { Unknown } from "../../../shared/contract/sandbox.ts";
import { parseTime, rfc3339 } from "../../../shared/k8s/time.ts";
import type { Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { endpoints } from "../../kinds/core/endpoints.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { services } from "../../kinds/core/service/service.ts";
import type { Kind } from "../../kinds/kind.ts";
import { clusterConfiguration, controlPlaneAnnotation } from "../../machine/control-plane.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { OwnImages } from "../images/own-images.ts";
import type { PersonalEdits } from "../cri.ts";
import { logLines, logOfStatus } from "../output.ts";
import { editsFor, type PendingVisits, Visits, visitorName } from "../run/visits.ts";
import type { ControlPlaneNode, NodePki } from "../node/node-pki.ts";
import type { Affects, ClusterView, ServiceLink, WrittenKind } from "../run/world.ts";
import type { ServiceView } from "../shell/process.ts";
import { readyMs } from "./backends.ts";
import { networkOverTime, type ViewOf } from "./reach.ts";

type Client = ReconcileContext["client"];

/** The token if no signer is configured. */
const unsigned = "unsigned";

export interface ViewOptions {
  readonly edits?: PersonalEdits | undefined;
  readonly token?: ClusterView["token"];
  /** The delay of kube-proxy's rules after a change of endpoints; default: 0. */
  readonly proxyMs?: number | undefined;
  readonly probed?: ClusterView["probed"];
  /** The pods whose connections led to this view. */
  readonly path?: readonly string[];
  readonly affects?: Affects;
  /** The effects of the run whose connections led to this view. */
  readonly visits?: Visits;
  /** The effects of the run because of which a run is followed in this view. */
  readonly cause?: Visits;
  /** Effects of other runs that are not recorded yet. */
  readonly pending?: PendingVisits | undefined;
  /** The sandbox's setting `unknown`. */
  readonly unknown?: Unknown | undefined;
  readonly ownImages?: OwnImages | undefined;
  readonly pki?: NodePki | undefined;
}

export function clusterView(client: Client, options: ViewOptions = {}): ClusterView {
  const {
    edits,
    token = () => unsigned,
    path = [],
    affects,
    proxyMs,
    pending,
    probed,
    unknown,
    ownImages,
    pki,
  } = options;
  const settings = { token, proxyMs, probed, unknown, ownImages, pki };
  return {
    ranges: client.network,
    release: client.release,
    unknown,
    ownImages,
    pki,
    account: (work) => client.meter.account(work),
    at: (atMs) => clusterView(client.at(atMs).client, options),
    startedMs: (pod, container, startMs) => startedMs(client, pod, container, startMs),
    nextWriteMs: (afterMs) => client.at(afterMs).untilMs,
    writesOf: (kind, namespace, name, afterMs) => client.writesOf(writtenKinds[kind], namespace, name, afterMs),
    network: (pod, except, startMs) => {
      const visitor = except === undefined || startMs === undefined ? undefined : visitorName(pod, except, startMs);
      const visits = options.visits ?? new Visits(visitor, pending, options.cause);
      const recordedMs = visits.visitor === undefined ? undefined : pending?.recordedMs(visits.visitor);
      const visibleEdits =
        edits && visits.visitor !== undefined
          ? editsFor(edits, visits.visitor, recordedMs ?? Number.POSITIVE_INFINITY)
          : edits;
      const viewOf: ViewOf = (reader, longer, of) => {
        const effects = of === "run" ? { cause: visits } : { visits };
        return clusterView(reader, { ...settings, edits: visibleEdits, path: longer, pending, ...effects });
      };
      return networkOverTime(client, viewOf, pod, { except, path, affects, startMs, proxyMs, visits });
    },
    client,
    affecting: (affects) => clusterView(client, { ...options, affects }),
    data: (kind, namespace, name, withBinary = false) => {
      if (kind === "configmap") {
        const configMap = client.get(configMaps, namespace, name);
        return configMap && { ...configMap.data, ...(withBinary ? texts(configMap.binaryData) : {}) };
      }
      const data = client.get(secrets, namespace, name)?.data;
      return data && texts(data);
    },
    podsOn: (node) => activePodsOn(client, node),
    controlPlane: () => controlPlaneOf(client),
    log: (...of) => logIn(clusterView(client, { ...settings, edits, path }), ...of),
    ...(probed ? { probed } : {}),
    links: (namespace) => client.list(services, { namespace }).flatMap(linkOf),
    token,
    service: (namespace, name, atMs) => {
      const { client: reader } = client.at(atMs);
      const service = reader.get(services, namespace, name);
      return service && serviceView(reader, service);
    },
    nameOf: (address, atMs) => nameOf(client.at(atMs).client, address),
    edits: (pod, container) => edits?.of(pod, container) ?? [],
    editsVersion: (pod) => edits?.version(pod) ?? 0,
    recordedLog: (pod, container, startMs) => edits?.recordedLog?.(pod, container, startMs),
    typed: (pod, container) => edits?.typed(pod, container),
  };
}

function activePodsOn(client: Client, node: string): Pod[] {
  return [...client.byIndexValue(pods, node)].filter(
    ({ status: { phase } }) => phase !== "Succeeded" && phase !== "Failed",
  );
}

/** Returns the lines of a log. A reader of logs is not followed by another reader of logs. */
function logIn(
  { log: _, ...blind }: ClusterView,
  ...[pod, container, previous, nowMs]: Parameters<NonNullable<ClusterView["log"]>>
) {
  const foundLog = logOfStatus(pod, container, blind, nowMs, previous);
  return foundLog ? logLines(foundLog, nowMs) : [];
}

function controlPlaneOf(client: Client): ControlPlaneNode | undefined {
  const name = client.get(configMaps, "kube-system", clusterConfiguration)?.metadata.annotations?.[
    controlPlaneAnnotation
  ];
  const node = name === undefined ? undefined : client.get(nodes, "", name);
  if (!node || name === undefined) return undefined;
  const address = node.status.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "";
  return { name, address };
}

const writtenKinds: Readonly<Record<WrittenKind, Kind>> = {
  configmap: configMaps,
  secret: secrets,
  service: services,
  endpoints,
};

/** Cached starts of containers. They never change. */
const knownStarts = new WeakMap<Client, Map<string, number>>();
const knownStartsMost = 2_000;

/** Returns a container's start in milliseconds. Stored times are truncated to seconds, but the change log has the time of the write. */
function startedMs(client: Client, pod: Pod, container: string, startMs: number): number {
  const starts = knownStarts.get(client) ?? new Map<string, number>();
  knownStarts.set(client, starts);
  const key = `${pod.metadata.uid ?? ""}/${container}/${startMs}`;
  const cachedMs = starts.get(key);
  if (cachedMs !== undefined) return cachedMs;
  const loggedMs = loggedStartMs(client, pod, container, startMs);
  if (loggedMs === undefined) return startMs + 999;
  if (starts.size >= knownStartsMost) starts.clear();
  starts.set(key, loggedMs);
  return loggedMs;
}

function loggedStartMs(client: Client, { metadata }: Pod, container: string, startMs: number): number | undefined {
  const { namespace = "", name = "", uid } = metadata;
  const startedAt = rfc3339(startMs);
  for (const atMs of client.writesOf(pods, namespace, name, startMs - 1)) {
    if (atMs > startMs + 999) break;
    const { client: reader } = client.at(atMs);
    const pod = reader.get(pods, namespace, name);
    const statuses = [
      pod?.status.containerStatuses,
      pod?.status.initContainerStatuses,
      pod?.status.ephemeralContainerStatuses,
    ];
    const status = statuses.flatMap((list) => list ?? []).find((containerStatus) => containerStatus.name === container);
    const { running, terminated } = status?.state ?? {};
    if (pod?.metadata.uid === uid && (running ?? terminated)?.startedAt === startedAt) return atMs;
  }
  return undefined;
}

function texts(data: Readonly<Record<string, string>> | null | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, textOfBytes(bytesOfBase64(value))]));
}

/** Returns the variables of a Service. Upstream's kubelet has them in no order; here they are sorted by name. */
function linkOf({ metadata, spec }: Service): ServiceLink[] {
  const { clusterIP = "", ports = [] } = spec;
  if (clusterIP === "" || clusterIP === "None") return [];
  const { name = "", creationTimestamp } = metadata;
  const sinceMs = creationTimestamp ? parseTime(creationTimestamp) : 0;
  const linkPorts = ports.map(({ name: portName, port, protocol = "TCP" }) => ({
    ...(portName ? { name: portName } : {}),
    port,
    protocol,
  }));
  return [{ name, address: clusterIP, sinceMs, ports: linkPorts }];
}

/** Returns the name of an address: first of Services by their cluster IPs, then of endpoints. */
function nameOf(client: Client, address: string): string | undefined {
  for (const { metadata, spec } of client.each(services)) {
    if (spec.clusterIPs?.includes(address) || spec.clusterIP === address) {
      return `${metadata.name ?? ""}.${metadata.namespace ?? ""}`;
    }
  }
  for (const { metadata, subsets = [] } of client.each(endpoints)) {
    const endpointAddress = subsets.flatMap((subset) => subset.addresses ?? []).find(({ ip }) => ip === address);
    if (!endpointAddress) continue;
    return `${endpointAddress.hostname ?? address.replaceAll(".", "-")}.${metadata.name ?? ""}.${metadata.namespace ?? ""}`;
  }
  return undefined;
}

function serviceView(client: Client, { metadata, spec }: Service): ServiceView {
  const { namespace = "", name = "", creationTimestamp } = metadata;
  const sinceMs = creationTimestamp ? parseTime(creationTimestamp) : 0;
  const headless = spec.clusterIP === "None" || !spec.clusterIP;
  const targets = (client.get(endpoints, namespace, name)?.subsets ?? []).flatMap((subset) => subset.addresses ?? []);
  const outside = spec.type === "ExternalName" || !spec.selector;
  const since = targets.map(({ targetRef }) =>
    readyMs(targetRef && client.get(pods, targetRef.namespace ?? namespace, targetRef.name ?? "")),
  );
  return {
    sinceMs,
    answersMs: outside ? sinceMs : since.length > 0 ? Math.max(sinceMs, Math.min(...since)) : undefined,
    ports: (spec.ports ?? []).map(({ name: portName = "", port, protocol = "TCP" }) => ({
      name: portName,
      port,
      protocol,
    })),
    isHeadless: headless,
    addresses: headless ? targets.map((target) => target.ip) : (spec.clusterIPs ?? [spec.clusterIP ?? ""]),
    hosts: Object.fromEntries(
      targets.flatMap(({ hostname, ip }, index) =>
        hostname ? [[hostname, { address: ip, sinceMs: Math.max(sinceMs, since[index] ?? 0) }]] : [],
      ),
    ),
    ...(spec.type === "ExternalName" && spec.externalName ? { alias: spec.externalName } : {}),
  };
}
