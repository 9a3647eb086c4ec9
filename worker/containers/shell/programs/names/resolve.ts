// Resolves names of the cluster's DNS as a container's resolver does.
import type { Task } from "../../../../../shared/shell/task.ts";
import { defaultNetwork, dnsServiceAddress } from "../../../../../shared/k8s/settings/cluster-network.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { heed, type Process } from "../../process.ts";
import { connect, lookUpAddress, resolveService } from "../../system-call.ts";

export interface ResolvedName {
  /** The complete name. */
  readonly name: string;
  readonly addresses: readonly string[];
  /** The canonical name, if the name is an alias. */
  readonly alias?: string;
  readonly isOutside?: true;
  /** The time since which something answers there; undefined if nothing does. */
  readonly answersMs: number | undefined;
}

/** The work of resolving a name, in addition to reading the files of the resolver. */
const resolveWork = 5;
const zone = "cluster.local";
const outsideAddress = "203.0.113.10";
const outsideEnds = /\.(com|org|net|io|dev|app|cloud|edu|gov|info|example|test|[a-z]{2})$/;
/** Names with fewer dots are first searched in the namespace. */
const fewDots = 5;

/** Resolves a name. Returns undefined if it does not exist; it may be created later. */
export function* resolve(process: Process, nameText: string): Task<ResolvedName | undefined> {
  const name = nameText.toLowerCase().replace(/\.$/, "");
  for (const resolverFile of ["/etc/hosts", "/etc/resolv.conf"]) {
    charge(process, resolveWork + (process.files.get(resolverFile)?.text ?? "").length / 16);
  }
  if (isAddress(name)) return { name, addresses: [name], answersMs: 0 };
  const hostsAddress = inHosts(process, name);
  if (hostsAddress) return { name, addresses: [hostsAddress], answersMs: 0 };
  if (!(yield* hasServer(process))) return undefined;
  const search = searched(process);
  const isWhole = nameText.endsWith(".") || name.split(".").length > fewDots;
  for (const candidate of isWhole ? [name] : [...search.map((end) => `${name}.${end}`), name]) {
    const resolved = yield* inCluster(process, candidate);
    if (resolved) return yield* followed(process, resolved);
  }
  if (!name.includes(".") || name.endsWith(`.${zone}`) || !outsideEnds.test(name)) return undefined;
  return { name, addresses: [outsideAddress], isOutside: true, answersMs: 0 };
}

export function isAddress(text: string): boolean {
  return isIpv4(text) || text.includes(":");
}

/** Returns the name of an address of the cluster; undefined if it has none. */
export function* reverseOf(process: Process, address: string): Task<string | undefined> {
  charge(process, resolveWork);
  const name = yield* lookUpAddress(process, address);
  return name === undefined ? undefined : `${name}.svc.${zone}`;
}

/** The server if no file names one. */
const usualServer = dnsServiceAddress(defaultNetwork);

export function serverOf({ files }: Process): string {
  return /^nameserver (\S+)/m.exec(files.get("/etc/resolv.conf")?.text ?? "")?.[1] ?? usualServer;
}

/** Reports whether the DNS server answers. A network policy may block it. */
export function* hasServer(process: Process): Task<boolean> {
  const pays = (units: number) => void charge(process, units);
  const contact = { address: serverOf(process), port: 53, protocol: "UDP" as const, atMs: process.clockMs, pays };
  const reached = yield* connect(process, contact);
  if (reached?.kind !== "dropped") return true;
  heed(process, reached);
  return false;
}

/** Reports whether a DNS server answers at an address. */
export function* answersQueries(process: Process, address: string): Task<boolean> {
  if (address === serverOf(process) || address === usualServer) return yield* hasServer(process);
  const pays = (units: number) => void charge(process, units);
  const reached = yield* connect(process, { address, port: 53, protocol: "UDP", atMs: process.clockMs, pays });
  if (reached) heed(process, reached);
  return reached?.kind === "open" || reached?.kind === "answered";
}

export interface Record {
  readonly owner: string;
  readonly port: number;
  readonly target: string;
}

/** Resolves `_http._tcp.web.default.svc.cluster.local`: a named port of a Service, with its address. */
export function* servicesOf(process: Process, nameText: string): Task<readonly Record[]> {
  const name = nameText.toLowerCase().replace(/\.$/, "");
  for (const candidate of [name, ...searched(process).map((end) => `${name}.${end}`)]) {
    const match = /^(?:_([^.]+)\._(tcp|udp|sctp)\.)?([^.]+)\.([^.]+)\.svc\.cluster\.local$/.exec(candidate);
    const [, port, protocol = "", service = "", namespace = ""] = match ?? [];
    const serviceView = match && (yield* resolveService(process, namespace, service));
    if (!serviceView) continue;
    const bare = `${service}.${namespace}.svc.${zone}`;
    const hosts = serviceView.isHeadless
      ? serviceView.addresses.map((address) => {
          const named = Object.entries(serviceView.hosts).find(([, host]) => host.address === address)?.[0];
          return `${named ?? address.replaceAll(".", "-")}.${bare}`;
        })
      : [bare];
    return serviceView.ports
      .filter((each) => port === undefined || (each.name === port && each.protocol.toLowerCase() === protocol))
      .flatMap((each) => hosts.map((target) => ({ owner: candidate, port: each.port, target })));
  }
  return [];
}

export function isIpv4(text: string): boolean {
  return /^(\d{1,3}\.){3}\d{1,3}$/.test(text);
}

/** Looks a name up in `/etc/hosts`, which is read before any server is queried. */
function inHosts({ files }: Process, name: string): string | undefined {
  for (const line of (files.get("/etc/hosts")?.text ?? "127.0.0.1 localhost").split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (address && isIpv4(address) && names.includes(name)) return address;
  }
  return undefined;
}

/** Follows an alias to its canonical name. */
function* followed(process: Process, resolved: ResolvedName): Task<ResolvedName> {
  if (resolved.alias === undefined || !resolved.alias.endsWith(zone)) return resolved;
  const next = yield* inCluster(process, resolved.alias);
  return { ...resolved, addresses: next?.addresses ?? [], answersMs: next?.answersMs };
}

function searched({ files, namespace }: Process): readonly string[] {
  const text = files.get("/etc/resolv.conf")?.text;
  if (text === undefined) return [`${namespace}.svc.${zone}`, `svc.${zone}`, zone];
  return /^search (.*)$/m.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
}

/** Resolves `name.namespace.svc.cluster.local`, `pod.name.namespace.svc.cluster.local` and `1-2-3-4.namespace.pod.cluster.local`. */
function* inCluster(process: Process, name: string): Task<ResolvedName | undefined> {
  if (!name.endsWith(`.${zone}`)) return undefined;
  const labels = name.slice(0, -zone.length - 1).split(".");
  const kind = labels.pop();
  if (kind === "pod" && labels.length === 2) {
    const address = (labels[0] ?? "").replaceAll("-", ".");
    return isIpv4(address) ? { name, addresses: [address], answersMs: 0 } : undefined;
  }
  if (kind !== "svc" || labels.length < 2 || labels.length > 3) return undefined;
  const [namespace = "", service = "", host] = labels.reverse();
  const serviceView = yield* resolveService(process, namespace, service);
  if (!serviceView) return undefined;
  if (host !== undefined)
    return ofHost(process, name, serviceView.hosts[host] ?? byAddress(serviceView.addresses, host));
  const { addresses, answersMs, alias } = serviceView;
  if (alias !== undefined) return { name, addresses: [outsideAddress], alias, answersMs };
  if (addresses.length > 0) return { name, addresses, answersMs };
  process.waitsFor.add(`service/${namespace}/${service}`);
  return undefined;
}

function ofHost(
  process: Process,
  name: string,
  host: { readonly address: string; readonly sinceMs: number } | undefined,
): ResolvedName | undefined {
  if (!host) return undefined;
  if (host.sinceMs <= process.clockMs) return { name, addresses: [host.address], answersMs: host.sinceMs };
  process.validUntilMs = Math.min(process.validUntilMs, host.sinceMs);
  return undefined;
}

/** Resolves a host by its address. A pod without a hostname has a name that is its address. */
function byAddress(addresses: readonly string[], host: string): { address: string; sinceMs: number } | undefined {
  const address = addresses.find((candidate) => candidate.replaceAll(".", "-") === host);
  return address === undefined ? undefined : { address, sinceMs: 0 };
}
