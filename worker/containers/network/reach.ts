// Where a connection from a pod goes, and what comes of it: through Services to pods, past the policies, to what listens there.
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
import { type PodRuns, portAnswer, runsOf } from "../answer.ts";
import { isDataChange, nextDataChangeMs, type Visits } from "../run/visits.ts";
import type { Affects, ClusterView, Network } from "../run/world.ts";
import { ingressAddress } from "../../kinds/networking/served-class.ts";
import { ingressController } from "../products/programs.ts";
import { Files } from "../shell/files.ts";
import { apiAnswer } from "./api-server.ts";
import { type Backend, isElsewhere, type Origin, proxiedBackendsOf, reachable } from "./backends.ts";
import { healthCheckAnswer } from "./health-check-port.ts";
import { kubeletAnswer, kubeletPort } from "./kubelet-server.ts";
import { lets } from "./policies.ts";
import { type Contact, portKey, type Protocol, type Reached } from "../shell/contact.ts";

type Client = ReconcileContext["client"];

/** Pods whose runs ask each other are followed so far, visits among them that servers make for others. */
const deepest = 4;
/** Stands in a path for a server that asks for its visitor. */
const visitor = "visitor";
/** Objects of the cluster that are read for a unit of work. */
const objectsPerUnit = 2;
const nodeRange = "172.18.0.0/16";
const loopback = /^(127\.|::1$|0\.0\.0\.0$)/;
const zoneLabel = "topology.kubernetes.io/zone";
const plainRequest = { method: "GET", path: "/", headers: [], body: "" };
const refused: Reached = { kind: "refused" };
const dropped: Reached = { kind: "dropped" };

/** What is computed once for a moment of the cluster. */
interface Memory {
  readonly runs: Map<string, PodRuns>;
  readonly backends: Map<string, readonly Backend[]>;
  byAddress?: ReadonlyMap<string, Pod>;
  byService?: ReadonlyMap<string, Service>;
  byNode?: Map<string, readonly Pod[]>;
  policies?: Parameters<typeof lets>[0];
}

export interface ReachOptions {
  /** A container of the pod that knows itself what it listens on. */
  readonly except?: string | undefined;
  /** Who asks because of whom. */
  readonly path: readonly string[];
  readonly visits: Visits;
  /** Told of what a connection does to the container that answers it. */
  readonly affects?: Affects | undefined;
}

/** Moments of the cluster that are kept ready for connections: those of background jobs go back in time. */
const readyMoments = 8;

interface NetworkTimes {
  /** Connections before it find the cluster as it is then. */
  readonly startMs?: number | undefined;
  /** See `ViewOptions`. */
  readonly proxyMs?: number | undefined;
}

/** The cluster at a moment, and as kube-proxy's rules have it. */
interface Readers {
  readonly present: Client;
  readonly rules: Client;
}

/** Opens connections, each in the cluster as it is at the connection's time. */
export function networkOverTime(
  client: Client,
  viewOf: (client: Client, path: readonly string[]) => ClusterView,
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
    const connections = ready ?? new Connections(readers, (path) => viewOf(readers.present, path), pod, options);
    if (!ready && moments.size >= readyMoments) moments.clear();
    moments.set(key, connections);
    const reached = connections.open(contact);
    if (untilMs === Number.POSITIVE_INFINITY) return reached;
    return { ...reached, newsMs: Math.min(reached.newsMs ?? untilMs, untilMs) };
  };
  return Object.assign(open, { refresh: () => moments.clear() });
}

/** The connections that one pod opens. */
class Connections {
  readonly #client: Client;
  readonly #rules: Client;
  readonly #view: (path: readonly string[]) => ClusterView;
  readonly #pod: Pod;
  readonly #options: ReachOptions;
  readonly #memory: Memory;

  constructor(
    { present, rules }: Readers,
    view: (path: readonly string[]) => ClusterView,
    pod: Pod,
    options: ReachOptions,
  ) {
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

  /** On its own network: its node's, where that is what it has. */
  #own(contact: Contact): Reached {
    const pod = this.#pod;
    const { address, port } = contact;
    const own = this.#answered(pod, port, contact);
    if (!pod.spec.hostNetwork || own.kind !== "refused") return own;
    return this.#onNode(pod.spec.nodeName ?? "", address, port, contact) ?? own;
  }

  #through(service: Service, contact: Contact): Reached {
    const { atMs, protocol = "TCP" } = contact;
    const pod = this.#pod;
    const { namespace = "", name = "" } = service.metadata;
    const waitsFor = `service/${namespace}/${name}`;
    const there = backendsFor(this.#rules, this.#memory, service, contact);
    // A port that no Service has is nobody's: what is sent there is lost on the way.
    if (!there) return dropped;
    const ready = there.filter((one) => one.sinceMs <= atMs);
    if (ready.length === 0) {
      const newsMs = Math.min(Number.POSITIVE_INFINITY, ...there.map((one) => one.sinceMs));
      return { ...refused, waitsFor, newsMs };
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
   * Whose rules the connection meets: the node's own, or those of the node that it was sent to. What pods send to their own node's ports
   * or to a load balancer is treated as what they send to the Service's inner address; other nodes hold them to `externalTrafficPolicy`.
   */
  #originOf(service: Service, { address }: Contact): Origin {
    const { spec } = this.#pod;
    const isInner = [...(service.spec.clusterIPs ?? []), service.spec.clusterIP].includes(address);
    const there = isInner || !isIn(nodeRange, address) ? undefined : nodeAt(this.#client, address);
    const node = there?.metadata.name ?? spec.nodeName;
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

  /** Where no Service has the address: the controller is no pod. */
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

  /** What listens on a node itself: pods on its network, and those that have one of its ports. */
  #onNode(nodeName: string, address: string, port: number, contact: Contact): Reached | undefined {
    const { protocol = "TCP" } = contact;
    for (const target of podsOnNode(this.#client, this.#memory, nodeName, contact)) {
      if (target.spec.hostNetwork) {
        const found = this.#answered(target, port, contact, true);
        if (found.kind !== "refused") return found;
        continue;
      }
      const own = hostPortOf(target, address, port, protocol);
      if (own !== undefined) return this.#answered(target, own, contact);
    }
    if (protocol !== "TCP") return undefined;
    const checked = this.#memory.byService?.get(healthKey(port));
    if (!checked && port !== kubeletPort) return undefined;
    if (!contact.request) return { kind: "open" };
    if (checked) {
      return { kind: "answered", answer: healthCheckAnswer(this.#client, checked, nodeName, contact.atMs) };
    }
    const view = this.#view(this.#options.path);
    return {
      kind: "answered",
      answer: kubeletAnswer(this.#client, view, this.#pod, nodeName, contact.request, contact),
    };
  }

  #send(target: Pod | undefined, address: string, port: number, contact: Contact): Reached {
    const pod = this.#pod;
    this.#memory.policies ??= rulesOf(this.#client);
    const { atMs, protocol = "TCP" } = contact;
    const rules = this.#memory.policies;
    const present = rules.policies.filter((one) => madeMs(one.metadata) <= atMs);
    const from = { pod, address: pod.status.podIP ?? "" };
    if (!lets({ ...rules, policies: present }, { from, to: { pod: target, address }, port, protocol })) {
      return { ...dropped, waitsFor: "networkpolicies" };
    }
    return target ? this.#answered(target, port, contact) : { kind: "outside" };
  }

  /** `isNamed`: the address is the node's, where a port has to be some container's. */
  #answered(target: Pod, port: number, contact: Contact, isNamed = false): Reached {
    const { path, except, affects, visits } = this.#options;
    const own = this.#pod.metadata.uid ?? "";
    const uid = target.metadata.uid ?? "";
    if (path.includes(uid) || path.length >= deepest) return refused;
    if (this.#isOnRealNode(target)) return { kind: "unreachable" };
    const left = uid === own ? except : undefined;
    const runs = this.#memory.runs.get(uid) ?? runsOf(target, this.#view([...path, own]), left, limits.reachedWork);
    this.#memory.runs.set(uid, runs);
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
    // What a server asks of others for its visitor goes one step further, and may come back to itself.
    const onward = this.#view([...path, visitor]);
    const answer = portAnswer(target, runs, visit, (affects && onward.affecting?.(affects)) ?? onward);
    const isOpen = answer !== undefined && (answer.isMute === true || (!request && data === undefined));
    const nextChangeMs = answer && !isOpen ? runs.nextChangeMs(atMs) : Number.POSITIVE_INFINITY;
    // The client pays for the work at the other end.
    contact.pays?.(runs.work() - before);
    if (!answer) return { ...refused, newsMs: runs.newsMs(portKey(port, protocol), atMs) };
    const { changes } = answer;
    if (changes) {
      const edits = visits.add(uid, changes.edits);
      affects?.(target, changes.container, edits);
    }
    if (isOpen) return { kind: "open" };
    const changesData = changes?.edits.some(isDataChange) ?? false;
    const newsMs = Math.min(nextChangeMs, ...visit.earlier.map((effects) => nextDataChangeMs(effects.data, atMs)));
    const { tookMs, onward: keys = [] } = answer;
    return { kind: "answered", answer, tookMs, newsMs, changesData, onward: keys };
  }

  /** Reports whether a kubelet of the user's runs the pod: its network is not joined to that of the simulated nodes. */
  #isOnRealNode({ spec }: Pod): boolean {
    const node = spec.nodeName === undefined ? undefined : this.#client.get(nodes, "", spec.nodeName);
    return node !== undefined && !isSimulated(node) && !isImported(node);
  }
}

/** What stands for a `healthCheckNodePort` among addresses and ports. */
function healthKey(port: number): string {
  return `health:${port}`;
}

/** Who is asked sees the pod's own address, or its node's where it is on its network. */
function sourceOf({ status, spec }: Pod, target: Pod): string {
  const isSame = spec.nodeName === target.spec.nodeName;
  if (spec.hostNetwork && isSame && !target.spec.hostNetwork) return status.hostIP ?? "";
  return status.podIP ?? "";
}

/**
 * Any of them, but the same when it is asked again; with affinity the same for a client as long as that holds, counted in whole periods
 * rather than from the last connection, of which nothing is kept.
 */
function chance({ metadata, spec }: Service, { status }: Pod, { atMs }: Contact): number {
  const periodMs = (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? usualAffinitySeconds) * 1000;
  const moment = spec.sessionAffinity === "ClientIP" ? Math.floor(atMs / periodMs) : atMs;
  return stableHash(`${metadata.uid ?? ""}/${status.podIP ?? ""}/${moment}`);
}

const usualAffinitySeconds = 10_800;

/** The container's port that stands behind a port of the node. */
function hostPortOf({ spec }: Pod, address: string, port: number, protocol: Protocol): number | undefined {
  const all = [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ ports = [] }) => ports);
  const isOwn = ({ hostIP = "" }: ContainerPort) => hostIP === "" || hostIP === "0.0.0.0" || hostIP === address;
  return all.find((one) => one.hostPort === port && (one.protocol ?? "TCP") === protocol && isOwn(one))?.containerPort;
}

function nodeAt(client: Client, address: string): Node | undefined {
  for (const node of client.each(nodes)) {
    if (node.status.addresses?.some((one) => one.address === address)) return node;
  }
  return undefined;
}

/** Those that may have a port of their node. */
function podsOnNode(client: Client, memory: Memory, nodeName: string, { pays }: Contact): readonly Pod[] {
  memory.byNode ??= new Map();
  const known = memory.byNode.get(nodeName);
  if (known) return known;
  const found = [...client.byIndexValue(pods, nodeName)];
  pays?.(found.length / objectsPerUnit);
  const those = found.filter(({ spec, status }) => {
    if (status.phase !== "Running") return false;
    return spec.hostNetwork === true || spec.containers.some(({ ports = [] }) => ports.some((one) => one.hostPort));
  });
  memory.byNode.set(nodeName, those);
  return those;
}

function backendsFor(
  client: Client,
  memory: Memory,
  service: Service,
  { address, port, protocol = "TCP" }: Contact,
): readonly Backend[] | undefined {
  const own = service.spec.ports?.find(
    (one) =>
      (one.protocol ?? "TCP") === protocol &&
      (addressesOf(service).includes(address) ? one.port === port : one.nodePort === port),
  );
  if (!own) return undefined;
  const key = `${service.metadata.uid ?? ""}/${own.name ?? ""}/${protocol}`;
  const known = memory.backends.get(key) ?? proxiedBackendsOf(client, service, own);
  memory.backends.set(key, known);
  return known;
}

function addressesOf({ spec, status }: Service): string[] {
  const own = spec.clusterIPs ?? [spec.clusterIP ?? ""];
  const given = status.loadBalancer?.ingress?.map(({ ip = "" }) => ip) ?? [];
  return [...own, ...(spec.externalIPs ?? []), ...given].filter((one) => one !== "" && one !== "None");
}

/** By its address; or, at a port of the nodes, by that. */
function serviceAt(
  client: Client,
  memory: Memory,
  { address, port, protocol = "TCP", pays }: Contact,
): Service | undefined {
  if (!memory.byService) {
    pays?.((client.count(services) + client.count(networkPolicies)) / objectsPerUnit);
    const found = new Map<string, Service>();
    for (const service of client.each(services)) {
      if (isElsewhere(service)) continue;
      for (const one of addressesOf(service)) found.set(one, service);
      for (const { nodePort, protocol: own = "TCP" } of service.spec.ports ?? []) {
        if (nodePort) found.set(`${own}:${nodePort}`, service);
      }
      if (service.spec.healthCheckNodePort) found.set(healthKey(service.spec.healthCheckNodePort), service);
    }
    memory.byService = found;
  }
  const isNode = isIn(nodeRange, address);
  return memory.byService.get(address) ?? (isNode ? memory.byService.get(`${protocol}:${port}`) : undefined);
}

function podsByAddress(client: Client, { pays }: Contact): ReadonlyMap<string, Pod> {
  pays?.(client.count(pods) / objectsPerUnit);
  const found = new Map<string, Pod>();
  for (const pod of client.each(pods)) {
    const { phase, podIPs = [], podIP } = pod.status;
    if (phase === "Succeeded" || phase === "Failed" || pod.spec.hostNetwork) continue;
    for (const { ip = "" } of podIPs.length > 0 ? podIPs : [{ ip: podIP ?? "" }]) if (ip !== "") found.set(ip, pod);
  }
  return found;
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
