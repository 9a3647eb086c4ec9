// Where a connection from a pod goes, and what comes of it: through Services to pods, past the policies, to what listens there.
import { limits } from "../../../shared/base/limits.ts";
import { stableHash } from "../../../shared/base/stable.ts";
import type { Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import { parseIpv4Range, parseIpv4 } from "../../../shared/k8s/ip.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { networkPolicies } from "../../kinds/networking/network-policy.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { services } from "../../kinds/core/service/service.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import { type PodRuns, portAnswer, runsOf } from "../answer.ts";
import type { ClusterView } from "../run/world.ts";
import { apiAnswer } from "./api-server.ts";
import { type Backend, backendsOf } from "./backends.ts";
import { lets } from "./policies.ts";
import type { Contact, Reached } from "../shell/process.ts";

type Client = ReconcileContext["client"];

/** Pods whose runs ask each other are followed so far. */
const deepest = 3;
/** Objects of the cluster that are read for a unit of work. */
const objectsPerUnit = 2;
const serviceRange = "10.96.0.0/12";
const podRange = "10.128.0.0/9";
const nodeRange = "172.18.0.0/16";
const loopback = /^(127\.|::1$|0\.0\.0\.0$)/;
const plainRequest = { method: "GET", path: "/", headers: [], body: "" };
const refused: Reached = { kind: "refused" };
const dropped: Reached = { kind: "dropped" };

/** What is worked out once for a whole run: nothing changes while it is followed. */
interface Memory {
  readonly runs: Map<string, PodRuns>;
  readonly backends: Map<string, readonly Backend[]>;
  byAddress?: ReadonlyMap<string, Pod>;
  byService?: ReadonlyMap<string, Service>;
  policies?: Parameters<typeof lets>[0];
}

/** `except`: a container of the pod that knows itself what it listens on. `path`: who asks because of whom. */
export function reachFrom(
  client: Client,
  view: (path: readonly string[]) => ClusterView,
  pod: Pod,
  except: string | undefined,
  path: readonly string[] = [],
): (contact: Contact) => Reached {
  const memory: Memory = { runs: new Map(), backends: new Map() };
  const own = pod.metadata.uid ?? "";
  const answered = (target: Pod, port: number, contact: Contact): Reached => {
    const uid = target.metadata.uid ?? "";
    if (path.includes(uid) || path.length >= deepest) return refused;
    const left = uid === own ? except : undefined;
    const runs = memory.runs.get(uid) ?? runsOf(target, view([...path, own]), left, limits.reachedWork);
    memory.runs.set(uid, runs);
    const before = runs.work();
    const { request, atMs } = contact;
    const asked = request ?? plainRequest;
    const answer = portAnswer(target, runs, { ...asked, port, nowMs: atMs, from: pod.status.podIP ?? "" });
    // Whoever asks pays for what runs at the other end.
    contact.pays?.(runs.work() - before);
    if (!answer) return { ...refused, newsMs: runs.newsMs(port, atMs) };
    return answer.isMute || !request ? { kind: "open" } : { kind: "answered", answer };
  };
  return (contact) => {
    const { address, port, atMs, protocol = "TCP" } = contact;
    if (loopback.test(address)) return answered(pod, port, contact);
    const service = serviceAt(client, memory, contact);
    if (!service) return direct(address, port, contact);
    const { namespace = "", name = "" } = service.metadata;
    const waitsFor = `service/${namespace}/${name}`;
    const there = backendsFor(client, memory, service, contact);
    // A port that no Service has is nobody's: what is sent there is lost on the way.
    if (!there) return dropped;
    const ready = there.filter((one) => one.sinceMs <= atMs);
    if (ready.length === 0) {
      const newsMs = Math.min(Number.POSITIVE_INFINITY, ...there.map((one) => one.sinceMs));
      return { ...refused, waitsFor, newsMs };
    }
    const near = service.spec.internalTrafficPolicy === "Local" ? ready.filter((one) => isNear(one, pod)) : ready;
    const chosen = near[chance(service, pod, contact) % near.length];
    if (!chosen) return { ...dropped, waitsFor };
    const sent = send(chosen.pod, chosen.address, chosen.port, { ...contact, protocol });
    const isApi = sent.kind === "outside" && namespace === "default" && name === "kubernetes";
    return isApi && contact.request
      ? { kind: "answered", answer: apiAnswer(client, view(path), pod, contact.request, contact.pays) }
      : sent;
  };

  function direct(address: string, port: number, contact: Contact): Reached {
    memory.byAddress ??= podsByAddress(client, contact);
    const target = memory.byAddress.get(address);
    if (target) return send(target, address, port, contact);
    if (isIn(serviceRange, address)) return dropped;
    if (isIn(podRange, address)) return { kind: "unreachable" };
    if (isIn(nodeRange, address)) return refused;
    return send(undefined, address, port, contact);
  }

  function send(target: Pod | undefined, address: string, port: number, contact: Contact): Reached {
    memory.policies ??= rulesOf(client);
    const { atMs, protocol = "TCP" } = contact;
    const present = memory.policies.policies.filter((one) => madeMs(one.metadata) <= atMs);
    const from = { pod, address: pod.status.podIP ?? "" };
    if (!lets({ ...memory.policies, policies: present }, { from, to: { pod: target, address }, port, protocol })) {
      return { ...dropped, waitsFor: "networkpolicies" };
    }
    return target ? answered(target, port, contact) : { kind: "outside" };
  }
}

function isNear(backend: Backend, { spec }: Pod): boolean {
  return backend.pod?.spec.nodeName === spec.nodeName;
}

/** Any of them, but the same when it is asked again; with affinity always the same for a client. */
function chance({ metadata, spec }: Service, { status }: Pod, { atMs }: Contact): number {
  const moment = spec.sessionAffinity === "ClientIP" ? "" : `/${atMs}`;
  return stableHash(`${metadata.uid ?? ""}/${status.podIP ?? ""}${moment}`);
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
  const known = memory.backends.get(key) ?? backendsOf(client, service, own);
  memory.backends.set(key, known);
  return known;
}

function addressesOf({ spec, status }: Service): string[] {
  const own = spec.clusterIPs ?? [spec.clusterIP ?? ""];
  const given = status.loadBalancer?.ingress?.map(({ ip = "" }) => ip) ?? [];
  return [...own, ...(spec.externalIPs ?? []), ...given].filter((one) => one !== "" && one !== "None");
}

/** By its address; or, at a port of the nodes, by that. */
function serviceAt(client: Client, memory: Memory, { address, port, pays }: Contact): Service | undefined {
  if (!memory.byService) {
    pays?.((client.count(services) + client.count(networkPolicies)) / objectsPerUnit);
    const found = new Map<string, Service>();
    for (const service of client.each(services)) {
      for (const one of addressesOf(service)) found.set(one, service);
      for (const { nodePort } of service.spec.ports ?? []) if (nodePort) found.set(`:${nodePort}`, service);
    }
    memory.byService = found;
  }
  const isNode = isIn(nodeRange, address);
  return memory.byService.get(address) ?? (isNode ? memory.byService.get(`:${port}`) : undefined);
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
