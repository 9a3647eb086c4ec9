// What the names of the cluster's DNS stand for, as a container's resolver finds them.
import type { Task } from "../../../../../shared/shell/task.ts";
import { defaultNetwork, dnsServiceAddress } from "../../../../../shared/k8s/settings/cluster-network.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { heed, type Process } from "../../process.ts";
import { connect, lookUpAddress, resolveService } from "../../system-call.ts";

export interface Found {
  /** The whole name. */
  readonly name: string;
  readonly addresses: readonly string[];
  /** It only stands for this other name. */
  readonly alias?: string;
  readonly isOutside?: true;
  /** Since when something answers there, as far as it is known; undefined if nothing does. */
  readonly answersMs: number | undefined;
}

/** What asking for a name costs, beside reading who answers. */
const resolveWork = 5;
const zone = "cluster.local";
const outsideAddress = "203.0.113.10";
const outsideEnds = /\.(com|org|net|io|dev|app|cloud|edu|gov|info|example|test|[a-z]{2})$/;
/** A name with fewer dots is tried in the namespace first. */
const fewDots = 5;

/** Undefined: there is no such name; it may come to be. */
export function* resolve(process: Process, asked: string): Task<Found | undefined> {
  const name = asked.toLowerCase().replace(/\.$/, "");
  for (const one of ["/etc/hosts", "/etc/resolv.conf"]) {
    charge(process, resolveWork + (process.files.get(one)?.text ?? "").length / 16);
  }
  if (isAddress(name)) return { name, addresses: [name], answersMs: 0 };
  const own = inHosts(process, name);
  if (own) return { name, addresses: [own], answersMs: 0 };
  if (!(yield* hasServer(process))) return undefined;
  const search = searched(process);
  const isWhole = asked.endsWith(".") || name.split(".").length > fewDots;
  for (const one of isWhole ? [name] : [...search.map((end) => `${name}.${end}`), name]) {
    const found = yield* inCluster(process, one);
    if (found) return yield* followed(process, found);
  }
  if (!name.includes(".") || name.endsWith(`.${zone}`) || !outsideEnds.test(name)) return undefined;
  return { name, addresses: [outsideAddress], isOutside: true, answersMs: 0 };
}

export function isAddress(text: string): boolean {
  return isIpv4(text) || text.includes(":");
}

/** The name that an address of the cluster has; undefined if it has none. */
export function* reverseOf(process: Process, address: string): Task<string | undefined> {
  charge(process, resolveWork);
  const name = yield* lookUpAddress(process, address);
  return name === undefined ? undefined : `${name}.svc.${zone}`;
}

/** Where no file names one. */
const usualServer = dnsServiceAddress(defaultNetwork);

export function serverOf({ files }: Process): string {
  return /^nameserver (\S+)/m.exec(files.get("/etc/resolv.conf")?.text ?? "")?.[1] ?? usualServer;
}

/** Whether what the resolver asks comes back: a policy may hold it up. */
export function* hasServer(process: Process): Task<boolean> {
  const pays = (units: number) => void charge(process, units);
  const contact = { address: serverOf(process), port: 53, protocol: "UDP" as const, atMs: process.clockMs, pays };
  const reached = yield* connect(process, contact);
  if (reached?.kind !== "dropped") return true;
  heed(process, reached);
  return false;
}

export interface Record {
  readonly owner: string;
  readonly port: number;
  readonly target: string;
}

/** `_http._tcp.web.default.svc.cluster.local`: a named port of a Service, and where it is. */
export function* servicesOf(process: Process, asked: string): Task<readonly Record[]> {
  const name = asked.toLowerCase().replace(/\.$/, "");
  for (const one of [name, ...searched(process).map((end) => `${name}.${end}`)]) {
    const parts = /^(?:_([^.]+)\._(tcp|udp|sctp)\.)?([^.]+)\.([^.]+)\.svc\.cluster\.local$/.exec(one);
    const [, port, protocol = "", service = "", namespace = ""] = parts ?? [];
    const found = parts && (yield* resolveService(process, namespace, service));
    if (!found) continue;
    const bare = `${service}.${namespace}.svc.${zone}`;
    const hosts = found.isHeadless
      ? found.addresses.map((address) => {
          const named = Object.entries(found.hosts).find(([, host]) => host.address === address)?.[0];
          return `${named ?? address.replaceAll(".", "-")}.${bare}`;
        })
      : [bare];
    return found.ports
      .filter((each) => port === undefined || (each.name === port && each.protocol.toLowerCase() === protocol))
      .flatMap((each) => hosts.map((target) => ({ owner: one, port: each.port, target })));
  }
  return [];
}

export function isIpv4(text: string): boolean {
  return /^(\d{1,3}\.){3}\d{1,3}$/.test(text);
}

/** `/etc/hosts` comes before every server. */
function inHosts({ files }: Process, name: string): string | undefined {
  for (const line of (files.get("/etc/hosts")?.text ?? "127.0.0.1 localhost").split("\n")) {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (address && isIpv4(address) && names.includes(name)) return address;
  }
  return undefined;
}

/** What a name stands for that only stands for another one. */
function* followed(process: Process, found: Found): Task<Found> {
  if (found.alias === undefined || !found.alias.endsWith(zone)) return found;
  const next = yield* inCluster(process, found.alias);
  return { ...found, addresses: next?.addresses ?? [], answersMs: next?.answersMs };
}

function searched({ files, namespace }: Process): readonly string[] {
  const text = files.get("/etc/resolv.conf")?.text;
  if (text === undefined) return [`${namespace}.svc.${zone}`, `svc.${zone}`, zone];
  return /^search (.*)$/m.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
}

/** `name.namespace.svc.cluster.local`, `pod.name.namespace.svc.cluster.local`, `1-2-3-4.namespace.pod.cluster.local`. */
function* inCluster(process: Process, name: string): Task<Found | undefined> {
  if (!name.endsWith(`.${zone}`)) return undefined;
  const labels = name.slice(0, -zone.length - 1).split(".");
  const kind = labels.pop();
  if (kind === "pod" && labels.length === 2) {
    const address = (labels[0] ?? "").replaceAll("-", ".");
    return isIpv4(address) ? { name, addresses: [address], answersMs: 0 } : undefined;
  }
  if (kind !== "svc" || labels.length < 2 || labels.length > 3) return undefined;
  const [namespace = "", service = "", host] = labels.reverse();
  const found = yield* resolveService(process, namespace, service);
  if (!found) return undefined;
  if (host !== undefined) return ofHost(process, name, found.hosts[host] ?? byAddress(found.addresses, host));
  const { addresses, answersMs, alias } = found;
  if (alias !== undefined) return { name, addresses: [outsideAddress], alias, answersMs };
  if (addresses.length > 0) return { name, addresses, answersMs };
  process.waitsFor.add(`service/${namespace}/${service}`);
  return undefined;
}

function ofHost(
  process: Process,
  name: string,
  host: { readonly address: string; readonly sinceMs: number } | undefined,
): Found | undefined {
  if (!host) return undefined;
  if (host.sinceMs <= process.clockMs) return { name, addresses: [host.address], answersMs: host.sinceMs };
  process.nextNewsMs = Math.min(process.nextNewsMs, host.sinceMs);
  return undefined;
}

/** A pod without a name of its own has that of its address. */
function byAddress(addresses: readonly string[], host: string): { address: string; sinceMs: number } | undefined {
  const address = addresses.find((one) => one.replaceAll(".", "-") === host);
  return address === undefined ? undefined : { address, sinceMs: 0 };
}
