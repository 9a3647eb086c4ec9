// `ip` and `iptables-save` on a node: the links to its pods, the routes to other nodes, and kube-proxy's rules for Services.
import { createHash } from "node:crypto";
import { stableHex } from "../../../../../shared/base/stable.ts";
import type { Endpoints, Node, Pod, Service } from "../../../../../shared/k8s/api/core-v1.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import type { Task } from "../../../../../shared/shell/task.ts";
import { endpoints } from "../../../../kinds/core/endpoints.ts";
import { nodes } from "../../../../kinds/core/node/node.ts";
import { services } from "../../../../kinds/core/service/service.ts";
import { notSimulated } from "../../not-simulated.ts";
import type { Process } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { inspect, listNodePods } from "../../system-call.ts";
import { isOnNode, nodeName } from "./on-node.ts";

/** The number of a node's pods, other nodes and Services that are printed at most. */
const mostRows = 500;

interface Link {
  readonly name: string;
  readonly hardware: string;
  readonly address: string | undefined;
  readonly pod?: string;
}

function hardwareOf(seed: string): string {
  return ["02", ...(stableHex(seed, 10).match(/../g) ?? [])].join(":");
}

function* linksOf(process: Process): Task<readonly Link[]> {
  const pods = (yield* listNodePods(process)).filter(({ spec, status }) => spec.hostNetwork !== true && status.podIP);
  charge(process, pods.length);
  const { address } = process.self;
  return [
    { name: "eth0@if8", hardware: hardwareOf(`eth0/${address}`), address: `${address}/16` },
    ...pods.slice(0, mostRows).map(({ metadata, status }: Pod): Link => {
      const id = stableHex(`veth/${metadata.uid ?? ""}`, 8);
      return { name: `veth${id}@if2`, hardware: hardwareOf(`veth/${id}`), address: undefined, pod: status.podIP ?? "" };
    }),
  ];
}

/** Prints the network of a node; undefined for what it prints as in any container. */
export function* nodeIp(call: ProgramCall): Task<number | undefined> {
  const { args, process, out } = call;
  const [subject = "", ...words] = args.filter((arg) => !arg.startsWith("-"));
  if (words.some((word) => /^(add|append|change|replace|del|delete|set|flush|get)$/.test(word))) return undefined;
  const links = yield* linksOf(process);
  if (subject !== "" && "route".startsWith(subject)) {
    out(yield* routes(process, links));
    return 0;
  }
  const withAddresses = subject !== "" && ("address".startsWith(subject) || subject === "addr");
  if (!withAddresses && (subject === "" || !"link".startsWith(subject))) return undefined;
  const device = words.find(
    (word, at) =>
      words[at - 1] === "dev" ||
      (words[at - 1] === "show" && word !== "dev") ||
      (at === 0 && word !== "show" && word !== "dev"),
  );
  const selected = [{ name: "lo", hardware: "00:00:00:00:00:00", address: "127.0.0.1/8" }, ...links].filter(
    ({ name }) => device === undefined || name.replace(/@.*/, "") === device,
  );
  if (selected.length === 0) {
    call.err(`Device "${device ?? ""}" does not exist.\n`);
    return 1;
  }
  const isBrief = args.some((arg) => /^-br(ief)?$/.test(arg));
  selected.forEach((link, at) => out(isBrief ? briefLine(link, withAddresses) : linkText(link, at + 1, withAddresses)));
  return 0;
}

function briefLine({ name, hardware, address }: Link, withAddresses: boolean): string {
  const state = name === "lo" ? "UNKNOWN" : "UP";
  const flags = name === "lo" ? "<LOOPBACK,UP,LOWER_UP>" : "<BROADCAST,MULTICAST,UP,LOWER_UP>";
  return `${name.padEnd(16)} ${state.padEnd(14)} ${withAddresses ? (address ?? "") : `${hardware} ${flags}`} \n`;
}

function linkText({ name, hardware, address }: Link, number: number, withAddresses: boolean): string {
  const isLoop = name === "lo";
  const flags = isLoop ? "LOOPBACK,UP,LOWER_UP" : "BROADCAST,MULTICAST,UP,LOWER_UP";
  const head = `${number}: ${name}: <${flags}> mtu ${isLoop ? 65536 : 1500} qdisc noqueue state ${isLoop ? "UNKNOWN" : "UP"} ${isLoop ? "mode DEFAULT " : ""}group default qlen 1000\n    link/${isLoop ? "loopback" : "ether"} ${hardware} brd ${isLoop ? "00:00:00:00:00:00" : "ff:ff:ff:ff:ff:ff"}\n`;
  if (!withAddresses || address === undefined) return head;
  const scope = isLoop
    ? "scope host lo"
    : `brd ${address.split(".").slice(0, 2).join(".")}.255.255 scope global ${name.replace(/@.*/, "")}`;
  return `${head}    inet ${address} ${scope}\n       valid_lft forever preferred_lft forever\n`;
}

function* routes(process: Process, links: readonly Link[]): Task<string> {
  const { address } = process.self;
  const ownName = nodeName(process);
  const otherNodes =
    (yield* inspect(process, ({ client }) => client.list(nodes).filter(({ metadata }) => metadata.name !== ownName))) ??
    [];
  const remote = otherNodes.slice(0, mostRows).flatMap(({ spec, status }: Node) => {
    const via = status.addresses?.find(({ type }) => type === "InternalIP")?.address;
    return spec.podCIDR && via ? [`${spec.podCIDR} via ${via} dev eth0 \n`] : [];
  });
  const local = links.flatMap(({ name, pod }) => (pod ? [`${pod} dev ${name.replace(/@.*/, "")} scope host \n`] : []));
  const network = address.split(".").slice(0, 2).join(".");
  return `default via ${network}.0.1 dev eth0 \n${[...local, ...remote].sort().join("")}${network}.0.0/16 dev eth0 proto kernel scope link src ${address} \n`;
}

/** Returns the end of a chain's name as kube-proxy computes it: the first 16 letters of a hash in base32. */
function chainHash(text: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const digest = createHash("sha256").update(text).digest();
  let bits = "";
  for (const byte of digest.subarray(0, 10)) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{5}/g) ?? []).map((group) => letters[Number.parseInt(group, 2)] ?? "").join("");
}

export function* iptablesSave(call: ProgramCall): Task<number> {
  const { process, out, args } = call;
  if (!isOnNode(process)) return yield* notSimulated(call);
  const read = yield* inspect(process, ({ client }) => ({
    services: client.list(services).slice(0, mostRows),
    endpointsOf: (service: Service) =>
      client.get(endpoints, service.metadata.namespace ?? "", service.metadata.name ?? ""),
  }));
  const chains = new Set<string>();
  const rules: string[] = [];
  for (const service of read?.services ?? []) {
    charge(process, 5);
    for (const rule of rulesOf(service, read?.endpointsOf(service), chains)) rules.push(rule);
  }
  const table = args.includes("-t") ? args[args.indexOf("-t") + 1] : undefined;
  const time = new Date(process.clockMs)
    .toUTCString()
    .replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+).*/, "$1 $3 $2 $5 $4");
  const begin = `# Generated by iptables-save v1.8.11 (nf_tables) on ${time}\n`;
  const end = `COMMIT\n# Completed on ${time}\n`;
  const builtIn = (names: readonly string[]) => names.map((name) => `:${name} ACCEPT [0:0]\n`).join("");
  const newChains = (names: readonly string[]) => names.map((name) => `:${name} - [0:0]\n`).join("");
  if (table === undefined || table === "filter")
    out(
      `${begin}*filter\n${builtIn(["INPUT", "FORWARD", "OUTPUT"])}${newChains(["KUBE-EXTERNAL-SERVICES", "KUBE-FIREWALL", "KUBE-FORWARD", "KUBE-NODEPORTS", "KUBE-PROXY-FIREWALL", "KUBE-SERVICES"])}-A INPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL\n-A INPUT -m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS\n-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD\n-A OUTPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES\n${end}`,
    );
  if (table === undefined || table === "nat")
    out(
      `${begin}*nat\n${builtIn(["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"])}${newChains(["KUBE-MARK-MASQ", "KUBE-NODEPORTS", "KUBE-POSTROUTING", ...[...chains].sort(), "KUBE-SERVICES"].sort())}-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES\n-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES\n-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING\n-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000\n${rules
        .map((rule) => `${rule}\n`)
        .sort()
        .join(
          "",
        )}-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS\n${end}`,
    );
  return 0;
}

/** Returns kube-proxy's rules for a Service, and adds its chains. */
function rulesOf({ metadata, spec }: Service, endpointsObject: Endpoints | undefined, chains: Set<string>): string[] {
  const { clusterIP = "", ports = [] } = spec;
  if (clusterIP === "" || clusterIP === "None") return [];
  return ports.flatMap(({ name = "", port, protocol: upper = "TCP", nodePort }) => {
    const protocol = upper.toLowerCase();
    const portName = `${metadata.namespace ?? ""}/${metadata.name ?? ""}${name ? `:${name}` : ""}`;
    const chain = `KUBE-SVC-${chainHash(portName + protocol)}`;
    const backends = (endpointsObject?.subsets ?? []).flatMap(({ addresses = [], ports: endpointPorts = [] }) =>
      endpointPorts
        .filter((endpointPort) => (endpointPort.name ?? "") === name)
        .flatMap((endpointPort) => addresses.map(({ ip }) => `${ip}:${endpointPort.port}`)),
    );
    if (backends.length === 0) return [];
    chains.add(chain);
    const external = nodePort ? `KUBE-EXT-${chainHash(portName + protocol)}` : undefined;
    if (external) chains.add(external);
    const balancing = backends.map((backend, at) => {
      const endpointChain = `KUBE-SEP-${chainHash(portName + protocol + backend)}`;
      chains.add(endpointChain);
      const left = backends.length - at;
      const chance = left > 1 ? ` -m statistic --mode random --probability ${(1 / left).toFixed(10)}` : "";
      return [
        `-A ${chain} -m comment --comment "${portName} -> ${backend}"${chance} -j ${endpointChain}`,
        `-A ${endpointChain} -s ${backend.replace(/:\d+$/, "")}/32 -m comment --comment "${portName}" -j KUBE-MARK-MASQ`,
        `-A ${endpointChain} -p ${protocol} -m comment --comment "${portName}" -m ${protocol} -j DNAT --to-destination ${backend}`,
      ];
    });
    return [
      `-A KUBE-SERVICES -d ${clusterIP}/32 -p ${protocol} -m comment --comment "${portName} cluster IP" -m ${protocol} --dport ${port} -j ${chain}`,
      ...(external
        ? [
            `-A KUBE-NODEPORTS -p ${protocol} -m comment --comment "${portName}" -m ${protocol} --dport ${nodePort ?? 0} -j ${external}`,
            `-A ${external} -m comment --comment "masquerade traffic for ${portName} external destinations" -j KUBE-MARK-MASQ`,
            `-A ${external} -j ${chain}`,
          ]
        : []),
      ...balancing.flat(),
    ];
  });
}
