// Programs that print a container's network configuration and its open ports: ip, ifconfig, route, ss, netstat, arp.
import type { Process } from "../../process.ts";
import { type ProgramCall, type Programs } from "../../program.ts";
import { options } from "../../../../../shared/shell/options.ts";
import type { Task } from "../../../../../shared/shell/task.ts";
import { nodeIp } from "../node/node-network.ts";
import { isOnNode } from "../node/on-node.ts";
import { isBusybox } from "../per-file.ts";

export const networkPrograms: Programs = { ip, ifconfig, route, ss, netstat, arp };

function network(address: string): string {
  return address.split(".").slice(0, 3).join(".");
}

function hardware(address: string): string {
  const last = address.split(".").map((octet) => Number(octet).toString(16).padStart(2, "0"));
  return ["0a", "58", ...last].join(":");
}

/** The prefix length of a pod's network. */
const bits = 24;

function* ip(call: ProgramCall): Task<number> {
  return (isOnNode(call.process) ? yield* nodeIp(call) : undefined) ?? containerIp(call);
}

function containerIp({ args, out, err, process }: ProgramCall): number {
  const { isNetworkAdmin } = process.self;
  const flags = args.filter((arg) => arg.startsWith("-"));
  const [subject = "", ...words] = args.filter((arg) => !arg.startsWith("-"));
  const changes = words.some((word) => /^(add|append|change|replace|del|delete|set|flush)$/.test(word));
  const kind = ["addr", "address", "link", "route", "neigh", "neighbour", "neighbor", "rule", "netns"].find(
    (name) => subject !== "" && name.startsWith(subject),
  );
  if (kind === undefined) {
    err("Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\n");
    return subject === "" ? (isBusybox(process) ? 1 : 255) : 1;
  }
  if (changes && !isNetworkAdmin) {
    err(
      isBusybox(process)
        ? "ip: RTNETLINK answers: Operation not permitted\n"
        : "RTNETLINK answers: Operation not permitted\n",
    );
    return 2;
  }
  // A change of the configuration has no visible effect.
  if (changes) return 0;
  const isBrief = flags.some((flag) => "-brief".startsWith(flag) && flag.length > 2);
  const device = words.find((word, at) => words[at - 1] === "dev" || word === "eth0" || word === "lo");
  if (kind === "neigh" || kind === "neighbour" || kind === "neighbor") out(neighbours(process));
  else if (kind === "route") out(routes(process, words));
  else if (kind === "rule")
    out("0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n");
  else if (kind !== "netns")
    out(links(process, kind !== "link", isBrief, device, flags.includes("-4") || flags.includes("-o")));
  return 0;
}

function links(
  process: Process,
  withAddresses: boolean,
  isBrief: boolean,
  device: string | undefined,
  isShort: boolean,
): string {
  const { address } = process.self;
  const hardwareAddress = hardware(address);
  const isOld = isBusybox(process);
  if (isBrief) {
    const rows = withAddresses
      ? [
          ["lo", "UNKNOWN", "127.0.0.1/8 ::1/128 "],
          ["eth0@if7", "UP", `${address}/${bits} `],
        ]
      : [
          ["lo", "UNKNOWN", "00:00:00:00:00:00 <LOOPBACK,UP,LOWER_UP> "],
          ["eth0@if7", "UP", `${hardwareAddress} <BROADCAST,MULTICAST,UP,LOWER_UP> `],
        ];
    return rows
      .filter(([name]) => device === undefined || name?.startsWith(device))
      .map(([name = "", state = "", rest = ""]) => `${name.padEnd(16)} ${state.padEnd(14)} ${rest}\n`)
      .join("");
  }
  const scope = isOld ? "" : "\n       valid_lft forever preferred_lft forever";
  const lo = [
    `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue ${isOld ? "qlen 1000" : "state UNKNOWN group default qlen 1000"}`,
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00",
    ...(withAddresses
      ? [`    inet 127.0.0.1/8 scope host lo${scope || "\n       valid_lft forever preferred_lft forever"}`]
      : []),
    ...(withAddresses && !isShort
      ? [
          `    inet6 ::1/128 scope host ${isOld ? "" : "proto kernel_lo "}\n       valid_lft forever preferred_lft forever`,
        ]
      : []),
  ];
  const eth = [
    `2: eth0@if7: <BROADCAST,MULTICAST,UP,LOWER_UP${isOld ? ",M-DOWN" : ""}> mtu 1500 qdisc noqueue ${isOld ? "" : "state UP group default "}${isOld ? "" : "qlen 1000"}`,
    `    link/ether ${hardwareAddress} brd ff:ff:ff:ff:ff:ff${isOld ? "" : " link-netnsid 0"}`,
    ...(withAddresses
      ? [
          `    inet ${address}/${bits} brd ${network(address)}.255 scope global eth0\n       valid_lft forever preferred_lft forever`,
        ]
      : []),
  ];
  const printedLinks = [
    ...(device === undefined || device === "lo" ? lo : []),
    ...(device === undefined || device.startsWith("eth0") ? eth : []),
  ];
  return `${printedLinks.join("\n")}\n`;
}

function routes({ self: { address } }: Process, words: readonly string[]): string {
  const gateway = `${network(address)}.1`;
  const to = words[words.indexOf("get") + 1];
  if (words[0] === "get" && to !== undefined) return `${to} via ${gateway} dev eth0  src ${address} \n`;
  return `default via ${gateway} dev eth0 \n${network(address)}.0/${bits} via ${gateway} dev eth0  src ${address} \n${gateway} dev eth0 scope link  src ${address} \n`;
}

function neighbours({ self: { address } }: Process): string {
  const gateway = `${network(address)}.1`;
  return `${gateway} dev eth0 lladdr ${hardware(gateway)} ref 1 used 0/0/0 probes 1 REACHABLE\n`;
}

function ifconfig({ out, process: { self } }: ProgramCall): number {
  const counts = (bytes: string) =>
    `          RX packets:5 errors:0 dropped:0 overruns:0 frame:0\n          TX packets:5 errors:0 dropped:0 overruns:0 carrier:0\n          collisions:0 txqueuelen:1000 \n          RX bytes:${bytes}  TX bytes:${bytes}\n\n`;
  out(
    `eth0      Link encap:Ethernet  HWaddr ${hardware(self.address).toUpperCase()}  \n          inet addr:${self.address}  Bcast:${network(self.address)}.255  Mask:255.255.255.0\n          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n${counts("446 (446.0 B)")}` +
      `lo        Link encap:Local Loopback  \n          inet addr:127.0.0.1  Mask:255.0.0.0\n          inet6 addr: ::1/128 Scope:Host\n          UP LOOPBACK RUNNING  MTU:65536  Metric:1\n${counts("0 (0.0 B)")}`,
  );
  return 0;
}

function route({ out, process: { self } }: ProgramCall): number {
  const gateway = `${network(self.address)}.1`;
  const row = (to: string, by: string, mask: string, flags: string) =>
    `${to.padEnd(16)}${by.padEnd(16)}${mask.padEnd(16)}${flags.padEnd(6)}0      0        0 eth0\n`;
  out(
    `Kernel IP routing table\nDestination     Gateway         Genmask         Flags Metric Ref    Use Iface\n${row("0.0.0.0", gateway, "0.0.0.0", "UG")}${row(`${network(self.address)}.0`, gateway, "255.255.255.0", "UG")}${row(gateway, "0.0.0.0", "255.255.255.255", "UH")}`,
  );
  return 0;
}

function arp({ out, process: { self } }: ProgramCall): number {
  const gateway = `${network(self.address)}.1`;
  out(`? (${gateway}) at ${hardware(gateway)} [ether]  on eth0\n`);
  return 0;
}

interface Listening {
  readonly protocol: "tcp" | "udp";
  readonly port: number;
}

/** Returns the open ports. The keys of UDP ports are above those of TCP ports. */
function listening({ ports, clockMs }: Process): Listening[] {
  const openPorts: Listening[] = [];
  for (const [key, sinceMs] of ports) {
    if (sinceMs > clockMs || key >= 200_000) continue;
    openPorts.push(key >= 100_000 ? { protocol: "udp", port: key - 100_000 } : { protocol: "tcp", port: key });
  }
  return openPorts.sort((a, b) => a.protocol.localeCompare(b.protocol) || a.port - b.port);
}

/** Selects ports by protocol; all of both protocols if no flag names one. */
function selectedPorts(process: Process, flags: ReadonlySet<string>): Listening[] {
  const isNone = !flags.has("t") && !flags.has("u");
  return listening(process).filter(({ protocol }) => isNone || flags.has(protocol === "tcp" ? "t" : "u"));
}

function nameOf({ self }: Process): string {
  return (self.running[0]?.command ?? "").replace(/:.*/, "").split(" ", 1)[0]?.split("/").at(-1) ?? "";
}

function netstat({ args, out, process }: ProgramCall): number {
  const { flags } = options(args);
  if (flags.has("r")) {
    const gateway = `${network(process.self.address)}.1`;
    out(
      `Kernel IP routing table\nDestination     Gateway         Genmask         Flags   MSS Window  irtt Iface\n${"0.0.0.0".padEnd(16)}${gateway.padEnd(16)}${"0.0.0.0".padEnd(16)}UG        0 0          0 eth0\n`,
    );
    return 0;
  }
  const showsListening = flags.has("l") || flags.has("a");
  const title = flags.has("l") ? "only servers" : flags.has("a") ? "servers and established" : "w/o servers";
  const by = flags.has("p");
  out(
    `Active Internet connections (${title})\nProto Recv-Q Send-Q Local Address           Foreign Address         State       ${by ? "PID/Program name    " : ""}\n`,
  );
  for (const { protocol, port } of showsListening ? selectedPorts(process, flags) : []) {
    const state = protocol === "tcp" ? "LISTEN" : "";
    out(
      `${protocol.padEnd(5)}      0      0 ${`0.0.0.0:${port}`.padEnd(23)} ${"0.0.0.0:*".padEnd(23)} ${state.padEnd(12)}${by ? `1/${nameOf(process)}` : ""}\n`,
    );
  }
  return 0;
}

function ss({ args, out, process }: ProgramCall): number {
  const { flags } = options(args);
  const both = (flags.has("t") ? 1 : 0) + (flags.has("u") ? 1 : 0) !== 1;
  const rows = flags.has("l") || flags.has("a") || flags.has("listening") ? selectedPorts(process, flags) : [];
  if (flags.has("s")) {
    out(`Total: ${rows.length}\nTCP:   ${listening(process).length} (estab 0, closed 0, orphaned 0, timewait 0)\n`);
    return 0;
  }
  const by = flags.has("p");
  const head = `${both ? "Netid " : ""}State  Recv-Q Send-Q Local Address:Port Peer Address:Port${by ? "Process" : ""}\n`;
  const name = nameOf(process);
  const lines = rows.map(
    ({ protocol, port }) =>
      `${both ? protocol.padEnd(6) : ""}${(protocol === "tcp" ? "LISTEN" : "UNCONN").padEnd(7)}0      ${(protocol === "tcp" ? "4096" : "0").padEnd(6)} ${`0.0.0.0:${port}`.padStart(18)} ${"0.0.0.0:*".padStart(17)}${by ? `users:(("${name}",pid=1,fd=6))` : ""}\n`,
  );
  out(head + lines.join(""));
  return 0;
}
