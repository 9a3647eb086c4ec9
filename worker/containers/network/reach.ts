// Opens connections of pods: through Services to endpoints, past the network policies, to the server that listens there.
import { allPods } from "../../../shared/k8s/settings/cluster-network.ts";
import { limits } from "../../../shared/base/limits.ts";
import { stableHash } from "../../../shared/base/stable.ts";
import type { ContainerPort, Node, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { parseIpv4Range, parseIpv4 } from "../../../shared/k8s/ip.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { networkPolicies } from "../../kinds/networking/network-policy.ts";
import { isImported, isSimulated } from "../../kinds/core/node/simulated.ts";
import { nodes } from "../../kinds/core/node/node.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { services } from "../../kinds/core/service/service.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { PodRuns } from "../pod-runs.ts";
import { portAnswer, runsOf } from "../port-answer.ts";
import { isDataChange, nextDataChangeMs, type Visits } from "../run/visits.ts";
import type { Affects, ClusterView, Network } from "../run/world.ts";
import { ingressAddress } from "../../kinds/networking/served-class.ts";
import { ingressController } from "../products/programs.ts";
import { Files } from "../shell/files.ts";
import { apiAnswer } from "./api-server.ts";
import { type Backend, isElsewhere, type Origin, proxiedBackendsOf, reachable } from "./backends.ts";
import { healthCheckAnswer } from "./health-check-port.ts";
import { kubeletAccess, kubeletAnswer, kubeletPort, readOnlyAnswer } from "./kubelet-server.ts";
import { lets } from "./policies.ts";
import { type Contact, portKey, type Protocol, type Reached } from "../shell/contact.ts";

type Client = ReconcileContext["client"];

/** The maximum length of a chain of pods whose runs send requests to each other. */
const deepest = 4;
/** The entry in a path for a server that sends a request on its visitor's behalf. */
const visitor = "visitor";
/** The number of the cluster's objects that one unit of work reads. */
const objectsPerUnit = 2;
const nodeRange = "172.18.0.0/16";
const loopback = /^(127\.|::1$|0\.0\.0\.0$)/;
const zoneLabel = "topology.kubernetes.io/zone";
const plainRequest = { method: "GET", path: "/", headers: [], body: "" };
const refused: Reached = { kind: "refused" };
const dropped: Reached = { kind: "dropped" };

/** The results that are computed once for a moment of the cluster. */
interface Memory {
  readonly runs: Map<string, PodRuns>;
  readonly backends: Map<string, readonly Backend[]>;
  byAddress?: ReadonlyMap<string, Pod>;
  byService?: ReadonlyMap<string, Service>;
  byNode?: Map<string, readonly Pod[]>;
  policies?: Parameters<typeof lets>[0];
}

export interface ReachOptions {
  /** A container of the pod that knows its own ports and is therefore not followed. */
  readonly except?: string | undefined;
  /** The pods whose requests led to this one. */
  readonly path: readonly string[];
  readonly visits: Visits;
  /** Receives the effects of a connection on the container that answers it. */
  readonly affects?: Affects | undefined;
}

/** The number of moments of the cluster that are cached for connections. Background jobs go back in time. */
const readyMoments = 8;

interface NetworkTimes {
  /** Connections before this time see the cluster as it was at this time. */
  readonly startMs?: number | undefined;
  /** See `ViewOptions`. */
  readonly proxyMs?: number | undefined;
}

/** The cluster at a moment, and as kube-proxy's rules represent it. */
interface Readers {
  readonly present: Client;
  readonly rules: Client;
}

/**
 * Returns a view for those at the other end of a connection. `of`: a run that is followed there has effects of its own; what is done for the visitor
 * belongs to the visitor's.
 */
export type ViewOf = (client: Client, path: readonly string[], of?: "run" | "visitor") => ClusterView;
type ViewAt = (...of: Parameters<ViewOf> extends [Client, ...infer Rest] ? Rest : never) => ClusterView;

/** Opens connections, each in the cluster as it is at the connection's time. */
export function networkOverTime(
  client: Client,
  viewOf: ViewOf,
  pod: Pod,
  { startMs = 0, proxyMs = 0, ...options }: ReachOptions & NetworkTimes,
): Network {
  const moments = new Map<string, Connections>();
  const open = (contact: Contact): Reached => {
    const atMs = Math.max(contact.atMs, startMs);
    const present = client.at(atMs);
    const ruled = proxyMs === 0 ? present : client.at(atMs - proxyMs);
    const untilMs = Math.min(present.untilMs, ruled.untilMs + proxyMs);
    const key = `${present.untilMs}/${ruled.untilMs}`;
    const readers = { present: present.client, rules: ruled.client };
    const ready = moments.get(key);
    const connections = ready ?? new Connections(readers, (...of) => viewOf(readers.present, ...of), pod, options);
    if (!ready && moments.size >= readyMoments) moments.clear();
    moments.set(key, connections);
    const reached = connections.open(contact);
    if (untilMs === Number.POSITIVE_INFINITY) return reached;
    return { ...reached, validUntilMs: Math.min(reached.validUntilMs ?? untilMs, untilMs) };
  };
  return Object.assign(open, { refresh: () => moments.clear() });
}

/** The connections that one pod opens. */
class Connections {
  readonly #client: Client;
  readonly #rules: Client;
  readonly #view: ViewAt;
  readonly #pod: Pod;
  readonly #options: ReachOptions;
  readonly #memory: Memory;

  constructor({ present, rules }: Readers, view: ViewAt, pod: Pod, options: ReachOptions) {
    this.#memory = { runs: new Map(), backends: new Map() };
    this.#client = present;
    this.#rules = rules;
    this.#view = view;
    this.#pod = pod;
    this.#options = options;
  }

  open(contact: Contact): Reached {
    const { address, port } = contact;
    if (loopback.test(address)) return this.#own(contact);
    const service = serviceAt(this.#client, this.#memory, contact);
    return service ? this.#through(service, contact) : this.#direct(address, port, contact);
  }

  /** Connects to the pod's own network, which may be its node's. */
  #own(contact: Contact): Reached {
    const pod = this.#pod;
    const { address, port } = contact;
    const podAnswer = this.#connectTo(pod, port, contact);
    if (!pod.spec.hostNetwork || podAnswer.kind !== "refused") return podAnswer;
    return this.#onNode(pod.spec.nodeName ?? "", address, port, contact) ?? podAnswer;
  }

  #through(service: Service, contact: Contact): Reached {
    const { atMs, protocol = "TCP" } = contact;
    const pod = this.#pod;
    const { namespace = "", name = "" } = service.metadata;
    const waitsFor = `service/${namespace}/${name}`;
    const backends = backendsFor(this.#rules, this.#memory, service, contact);
    // A port that no Service has is dropped, because no rule handles it.
    if (!backends) return dropped;
    const ready = backends.filter((backend) => backend.sinceMs <= atMs);
    if (ready.length === 0) {
      const validUntilMs = Math.min(Number.POSITIVE_INFINITY, ...backends.map((backend) => backend.sinceMs));
      return { ...refused, waitsFor, validUntilMs };
    }
    const near = reachable(ready, this.#originOf(service, contact));
    const chosen = near[chance(service, pod, contact) % near.length];
    if (!chosen) return { ...dropped, waitsFor };
    const target = this.#targetOf(chosen, contact);
    if (target === "gone") return { kind: "unreachable", waitsFor };
    const sent = this.#send(target, chosen.address, chosen.port, { ...contact, protocol });
    const isApi = sent.kind === "outside" && namespace === "default" && name === "kubernetes";
    if (!isApi || !contact.request) return { ...sent, through: waitsFor };
    const view = this.#view(this.#options.path);
    return { kind: "answered", answer: apiAnswer(this.#client, view, pod, contact.request, contact.pays) };
  }

  /** Returns the pod behind an endpoint; "gone" if the rules still name an address that no pod has any more. */
  #targetOf({ pod, address }: Backend, contact: Contact): Pod | "gone" | undefined {
    if (this.#rules === this.#client || !pod) return pod ?? this.#byAddress(contact).get(address);
    const { namespace = "", name = "", uid } = pod.metadata;
    const present = this.#client.get(pods, namespace, name);
    return present?.metadata.uid === uid ? present : "gone";
  }

  /**
   * Returns the node whose rules apply to a connection: the pod's own node, or the node that it was sent to. Connections to the own node's ports
   * or to a load balancer are treated like those to the cluster IP. Other nodes apply `externalTrafficPolicy`.
   */
  #originOf(service: Service, { address }: Contact): Origin {
    const { spec } = this.#pod;
    const isInner = [...(service.spec.clusterIPs ?? []), service.spec.clusterIP].includes(address);
    const targetNode = isInner || !isIn(nodeRange, address) ? undefined : nodeAt(this.#client, address);
    const node = targetNode?.metadata.name ?? spec.nodeName;
    const isFromOutside = node !== spec.nodeName;
    const policy = isInner ? service.spec.internalTrafficPolicy : isFromOutside && service.spec.externalTrafficPolicy;
    const zone = node === undefined ? undefined : this.#client.get(nodes, "", node)?.metadata.labels?.[zoneLabel];
    return { node, zone, isLocal: policy === "Local" };
  }

  #direct(address: string, port: number, contact: Contact): Reached {
    const target = this.#byAddress(contact).get(address);
    if (target) return this.#send(target, address, port, contact);
    if (address === ingressAddress) return this.#throughIngress(contact);
    if (isIn(this.#client.network.serviceCidr, address)) return dropped;
    if (isIn(allPods(this.#client.network), address)) return { kind: "unreachable" };
    if (isIn(nodeRange, address)) {
      const node = nodeAt(this.#client, address);
      return (node && this.#onNode(node.metadata.name ?? "", address, port, contact)) ?? refused;
    }
    return this.#send(undefined, address, port, contact);
  }

  /** Connects to the ingress controller, which is not a pod, if no Service has the address. */
  #throughIngress({ address, port, atMs, request, pays = () => undefined }: Contact): Reached {
    if (!ingressController?.ports.includes(port)) return refused;
    if (!request) return { kind: "open" };
    const {
      tookMs,
      edits: _log,
      ...page
    } = ingressController.server.answer({
      ...request,
      port,
      nowMs: atMs,
      address,
      host: "",
      image: "",
      files: new Files(),
      from: this.#pod.status.podIP ?? "",
      reach: (contact) => this.open({ ...contact, pays }),
      cluster: { client: this.#client, pays, isSpent: () => false },
    });
    return { kind: "answered", answer: { status: 200, ...page }, tookMs };
  }

  #byAddress(contact: Contact): ReadonlyMap<string, Pod> {
    this.#memory.byAddress ??= podsByAddress(this.#client, contact);
    return this.#memory.byAddress;
  }

  /** Connects to a port of a node: to pods on its network, and to pods with a host port. */
  #onNode(nodeName: string, address: string, port: number, contact: Contact): Reached | undefined {
    const { protocol = "TCP" } = contact;
    for (const target of podsOnNode(this.#client, this.#memory, nodeName, contact)) {
      if (target.spec.hostNetwork) {
        const hostAnswer = this.#connectTo(target, port, contact, true);
        if (hostAnswer.kind !== "refused") return hostAnswer;
        continue;
      }
      const containerPort = hostPortOf(target, address, port, protocol);
      if (containerPort !== undefined) return this.#connectTo(target, containerPort, contact);
    }
    if (protocol !== "TCP") return undefined;
    const checked = this.#memory.byService?.get(healthKey(port));
    const view = this.#view(this.#options.path);
    const isReadOnly =
      !checked && port !== kubeletPort && port === kubeletAccess(this.#client, view, nodeName, contact).readOnlyPort;
    if (!checked && port !== kubeletPort && !isReadOnly) return undefined;
    if (!contact.request) return { kind: "open" };
    if (checked) {
      return { kind: "answered", answer: healthCheckAnswer(this.#client, checked, nodeName, contact.atMs) };
    }
    return {
      kind: "answered",
      answer: isReadOnly
        ? readOnlyAnswer(this.#client, nodeName, contact.request, contact)
        : kubeletAnswer(this.#client, view, this.#pod, nodeName, contact.request, contact),
    };
  }

  #send(target: Pod | undefined, address: string, port: number, contact: Contact): Reached {
    const pod = this.#pod;
    this.#memory.policies ??= rulesOf(this.#client);
    const { atMs, protocol = "TCP" } = contact;
    const rules = this.#memory.policies;
    const present = rules.policies.filter((policy) => madeMs(policy.metadata) <= atMs);
    const from = { pod, address: pod.status.podIP ?? "" };
    if (!lets({ ...rules, policies: present }, { from, to: { pod: target, address }, port, protocol })) {
      return { ...dropped, waitsFor: "networkpolicies" };
    }
    return target ? this.#connectTo(target, port, contact) : { kind: "outside" };
  }

  /** Connects to a port of a pod. `isNamed`: the address is the node's, where only ports that containers name are open. */
  #connectTo(target: Pod, port: number, contact: Contact, isNamed = false): Reached {
    const { path, except, affects, visits } = this.#options;
    const clientUid = this.#pod.metadata.uid ?? "";
    const uid = target.metadata.uid ?? "";
    if (path.includes(uid) || path.length >= deepest) return refused;
    if (this.#isOnRealNode(target)) return { kind: "unreachable" };
    const left = uid === clientUid ? except : undefined;
    const runs = this.#runsOf(target, left);
    const before = runs.work();
    const { request, data, atMs, protocol } = contact;
    const visit = {
      ...(request ?? plainRequest),
      ...(data === undefined ? {} : { data }),
      ...(protocol ? { protocol } : {}),
      port,
      isNamed,
      nowMs: atMs,
      from: loopback.test(contact.address) ? "127.0.0.1" : sourceOf(this.#pod, target),
      pays: contact.pays,
      earlier: visits.on(uid),
    };
    // A request that a server sends on its visitor's behalf goes one step further, and may come back to the server.
    const onward = this.#view([...path, visitor]);
    const answer = portAnswer(target, runs, visit, (affects && onward.affecting?.(affects)) ?? onward);
    const isOpen = answer !== undefined && (answer.isMute === true || (!request && data === undefined));
    const nextChangeMs = answer && !isOpen ? runs.nextChangeMs(atMs) : Number.POSITIVE_INFINITY;
    // The client pays for the work at the other end.
    contact.pays?.(runs.work() - before);
    if (!answer) return { ...refused, validUntilMs: runs.nextListenMs(portKey(port, protocol), atMs) };
    const { changes } = answer;
    if (changes) {
      const edits = visits.add(uid, changes.edits);
      affects?.(target, changes.container, edits);
    }
    if (isOpen) return { kind: "open" };
    const changesData = answer.onward?.changesData || (changes?.edits.some(isDataChange) ?? false);
    const validUntilMs = Math.min(
      nextChangeMs,
      answer.onward?.validUntilMs ?? Number.POSITIVE_INFINITY,
      ...visit.earlier.map((effects) => nextDataChangeMs(effects.data, atMs)),
    );
    const { tookMs, dependsOn = [] } = answer;
    return { kind: "answered", answer, tookMs, validUntilMs, changesData, dependsOn };
  }

  /** Returns the runs of the pod at the other end. `except`: a container of it that is not followed, because it makes the connection itself. */
  #runsOf(target: Pod, except: string | undefined): PodRuns {
    const { metadata } = target;
    const uid = metadata.uid ?? "";
    const cachedRuns = this.#memory.runs.get(uid);
    if (cachedRuns) return cachedRuns;
    const { path, visits } = this.#options;
    const view = this.#view([...path, this.#pod.metadata.uid ?? ""], "run");
    const version = `${metadata.resourceVersion ?? ""}/${view.editsVersion(target)}/${except ?? ""}`;
    const reached = visits.reached.get(uid);
    const isSame = reached?.version === version && reached.runs.haveNoConnections();
    const runs = isSame ? reached.runs : runsOf(target, view, except, limits.reachedWork);
    visits.reached.set(uid, { version, runs });
    this.#memory.runs.set(uid, runs);
    return runs;
  }

  /** Reports whether a kubelet of the user's runs the pod: its network is not joined to that of the simulated nodes. */
  #isOnRealNode({ spec }: Pod): boolean {
    const node = spec.nodeName === undefined ? undefined : this.#client.get(nodes, "", spec.nodeName);
    return node !== undefined && !isSimulated(node) && !isImported(node);
  }
}

/** Returns the key of a `healthCheckNodePort` among addresses and ports. */
function healthKey(port: number): string {
  return `health:${port}`;
}

/** Returns the source address that the server sees: the pod's, or its node's if it is on the host network. */
function sourceOf({ status, spec }: Pod, target: Pod): string {
  const isSame = spec.nodeName === target.spec.nodeName;
  if (spec.hostNetwork && isSame && !target.spec.hostNetwork) return status.hostIP ?? "";
  return status.podIP ?? "";
}

/**
 * Returns a random number that is the same if it is repeated. With session affinity it is the same for a client within each period. Periods are
 * counted from zero and not from the last connection, because no connections are stored.
 */
function chance({ metadata, spec }: Service, { status }: Pod, { atMs }: Contact): number {
  const periodMs = (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? usualAffinitySeconds) * 1000;
  const moment = spec.sessionAffinity === "ClientIP" ? Math.floor(atMs / periodMs) : atMs;
  return stableHash(`${metadata.uid ?? ""}/${status.podIP ?? ""}/${moment}`);
}

const usualAffinitySeconds = 10_800;

/** Returns the container port behind a host port. */
function hostPortOf({ spec }: Pod, address: string, port: number, protocol: Protocol): number | undefined {
  const all = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ ports = [] }) => ports);
  const isOwn = ({ hostIP = "" }: ContainerPort) => hostIP === "" || hostIP === "0.0.0.0" || hostIP === address;
  return all.find(
    (containerPort) =>
      containerPort.hostPort === port && (containerPort.protocol ?? "TCP") === protocol && isOwn(containerPort),
  )?.containerPort;
}

function nodeAt(client: Client, address: string): Node | undefined {
  for (const node of client.each(nodes)) {
    if (node.status.addresses?.some((nodeAddress) => nodeAddress.address === address)) return node;
  }
  return undefined;
}

/** Returns the pods that may have a port of their node. */
function podsOnNode(client: Client, memory: Memory, nodeName: string, { pays }: Contact): readonly Pod[] {
  memory.byNode ??= new Map();
  const cachedPods = memory.byNode.get(nodeName);
  if (cachedPods) return cachedPods;
  const nodePods = [...client.byIndexValue(pods, nodeName)];
  pays?.(nodePods.length / objectsPerUnit);
  const hostPortPods = nodePods.filter(({ spec, status }) => {
    if (status.phase !== "Running") return false;
    return (
      spec.hostNetwork === true ||
      spec.containers.some(({ ports = [] }) => ports.some((containerPort) => containerPort.hostPort))
    );
  });
  memory.byNode.set(nodeName, hostPortPods);
  return hostPortPods;
}

function backendsFor(
  client: Client,
  memory: Memory,
  service: Service,
  { address, port, protocol = "TCP" }: Contact,
): readonly Backend[] | undefined {
  const servicePort = service.spec.ports?.find(
    (candidate) =>
      (candidate.protocol ?? "TCP") === protocol &&
      (addressesOf(service).includes(address) ? candidate.port === port : candidate.nodePort === port),
  );
  if (!servicePort) return undefined;
  const key = `${service.metadata.uid ?? ""}/${servicePort.name ?? ""}/${protocol}`;
  const backends = memory.backends.get(key) ?? proxiedBackendsOf(client, service, servicePort);
  memory.backends.set(key, backends);
  return backends;
}

function addressesOf({ spec, status }: Service): string[] {
  const clusterIps = spec.clusterIPs ?? [spec.clusterIP ?? ""];
  const ingressIps = status.loadBalancer?.ingress?.map(({ ip = "" }) => ip) ?? [];
  return [...clusterIps, ...(spec.externalIPs ?? []), ...ingressIps].filter(
    (address) => address !== "" && address !== "None",
  );
}

/** Returns the Service with an address, or with a node port. */
function serviceAt(
  client: Client,
  memory: Memory,
  { address, port, protocol = "TCP", pays }: Contact,
): Service | undefined {
  if (!memory.byService) {
    pays?.((client.count(services) + client.count(networkPolicies)) / objectsPerUnit);
    const byKey = new Map<string, Service>();
    for (const service of client.each(services)) {
      if (isElsewhere(service)) continue;
      for (const address of addressesOf(service)) byKey.set(address, service);
      for (const { nodePort, protocol: portProtocol = "TCP" } of service.spec.ports ?? []) {
        if (nodePort) byKey.set(`${portProtocol}:${nodePort}`, service);
      }
      if (service.spec.healthCheckNodePort) byKey.set(healthKey(service.spec.healthCheckNodePort), service);
    }
    memory.byService = byKey;
  }
  const isNode = isIn(nodeRange, address);
  return memory.byService.get(address) ?? (isNode ? memory.byService.get(`${protocol}:${port}`) : undefined);
}

function podsByAddress(client: Client, { pays }: Contact): ReadonlyMap<string, Pod> {
  pays?.(client.count(pods) / objectsPerUnit);
  const byAddress = new Map<string, Pod>();
  for (const pod of client.each(pods)) {
    const { phase, podIPs = [], podIP } = pod.status;
    if (phase === "Succeeded" || phase === "Failed" || pod.spec.hostNetwork) continue;
    for (const { ip = "" } of podIPs.length > 0 ? podIPs : [{ ip: podIP ?? "" }]) if (ip !== "") byAddress.set(ip, pod);
  }
  return byAddress;
}

function rulesOf(client: Client): NonNullable<Memory["policies"]> {
  return {
    policies: client.list(networkPolicies),
    labelsOf: (name) => client.get(namespaces, "", name)?.metadata.labels,
  };
}

function madeMs({ creationTimestamp }: { readonly creationTimestamp?: string | null }): number {
  return creationTimestamp ? parseTime(creationTimestamp) : 0;
}

function isIn(cidr: string, address: string): boolean {
  const value = parseIpv4(address);
  const range = parseIpv4Range(cidr);
  return value !== undefined && range !== undefined && value >= range.first && value < range.first + range.size;
}
