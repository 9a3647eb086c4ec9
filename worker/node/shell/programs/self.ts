// Programs that tell who runs them, what runs beside them, and where: id, ps, hostname, ip.
import { charge } from "../meter.ts";
import type { Process, Running, Self } from "../process.ts";
import { type Call, options, type Programs } from "../program.ts";
import { serverPrograms } from "./servers.ts";

export const selfPrograms: Programs = {
  hostname: ({ args, out, process }) => {
    const { host, self } = process;
    const { flags } = options(args);
    const whole = flags.has("f") || flags.has("fqdn") ? ownName(process) : host;
    out(
      `${flags.has("i") || flags.has("I") ? self.address : flags.has("s") ? (host.split(".", 1)[0] ?? "") : whole}\n`,
    );
    return 0;
  },
  whoami: (call) => {
    const { out, err, process } = call;
    const { self } = process;
    // There is a server of that name, in an image of that name.
    const server = /(^|\/)whoami(:|@|$)/.test(self.image) ? serverPrograms["whoami"] : undefined;
    if (server) return server(call);
    const name = userName(self, self.uid);
    if (name === undefined) err(`whoami: cannot find name for user ID ${self.uid}\n`);
    else out(`${name}\n`);
    return name === undefined ? 1 : 0;
  },
  id,
  groups: ({ out, process: { self } }) => {
    out(`${groupsOf(self).join(" ")}\n`);
    return 0;
  },
  ps,
  ip,
  ifconfig: ({ out, process: { self } }) => {
    out(
      `eth0      Link encap:Ethernet  HWaddr ${hardware(self.address)}  \n          inet addr:${self.address}  Bcast:${network(self.address)}.255  Mask:255.255.255.0\n          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n\n` +
        "lo        Link encap:Local Loopback  \n          inet addr:127.0.0.1  Mask:255.0.0.0\n          UP LOOPBACK RUNNING  MTU:65536  Metric:1\n\n",
    );
    return 0;
  },
};

/** The first name that `/etc/hosts` gives to the pod's address. */
function ownName(process: Process): string {
  const { files, host, self } = process;
  const text = files.get("/etc/hosts")?.text ?? "";
  charge(process, text.length / 16);
  const lines = text.split("\n").map((line) => line.split(/\s+/));
  return lines.find(([address]) => address === self.address)?.[1] ?? host;
}

/** As far as the images' own lists of users go. */
function userName({ image }: Pick<Self, "image">, uid: number): string | undefined {
  if (uid === 0) return "root";
  if (uid === 65534) return "nobody";
  return uid === 101 && image.includes("nginx") ? "nginx" : undefined;
}

function groupsOf({ gid, groups }: Self): number[] {
  return [...new Set([gid, ...groups])];
}

function id({ args, out, process: { self } }: Call): number {
  const { flags } = options(args);
  const named = (one: number) => {
    const name = userName(self, one);
    return name === undefined ? String(one) : `${one}(${name})`;
  };
  const plain = (one: number) => (flags.has("n") ? (userName(self, one) ?? String(one)) : String(one));
  if (flags.has("u")) out(`${plain(self.uid)}\n`);
  else if (flags.has("g")) out(`${plain(self.gid)}\n`);
  else if (flags.has("G")) out(`${groupsOf(self).map(plain).join(" ")}\n`);
  else out(`uid=${named(self.uid)} gid=${named(self.gid)} groups=${groupsOf(self).map(named).join(",")}\n`);
  return 0;
}

/** Busybox has its own way; procps' are three. */
function ps({ args, out, process }: Call): number {
  const { self } = process;
  const last = self.running.at(-1);
  const own = ["ps", ...args].join(" ");
  const listed =
    last?.command === own
      ? self.running
      : [...self.running, { pid: (last?.pid ?? 1) + 6, uid: self.uid, command: own }];
  out(process.programs?.has("ash") ? busyboxList(self, listed) : procpsList(args, process, listed));
  return 0;
}

function busyboxList(self: Self, running: readonly Running[]): string {
  const lines = running.map(({ pid, uid, command }) => {
    const user = (userName(self, uid) ?? String(uid)).slice(0, 8);
    return `${String(pid).padStart(5)} ${user.padEnd(8)}  0:00 ${command}\n`;
  });
  return `PID   USER     TIME  COMMAND\n${lines.join("")}`;
}

function procpsList(args: readonly string[], { self, clockMs }: Process, running: readonly Running[]): string {
  const asked = args.join("").replaceAll("-", "");
  const clock = new Date(clockMs).toISOString().slice(11, 16);
  const user = (uid: number) => (userName(self, uid) ?? String(uid)).padEnd(8);
  if (asked.includes("u")) {
    const head = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n";
    const lines = running.map(({ pid, uid, command }) => {
      const state = command === running.at(-1)?.command ? "R   " : pid === 1 ? "Ss  " : "S   ";
      return `${user(uid)} ${String(pid).padStart(7)}  0.0  0.1   8932  5560 ?        ${state} ${clock}   0:00 ${command}\n`;
    });
    return head + lines.join("");
  }
  if (asked.includes("f")) {
    const lines = running.map(
      ({ pid, uid, command }) =>
        `${user(uid)} ${String(pid).padStart(7)}       0  0 ${clock} ?        00:00:00 ${command}\n`,
    );
    return `UID          PID    PPID  C STIME TTY          TIME CMD\n${lines.join("")}`;
  }
  const lines = running.map(({ pid, command }) => {
    const shown =
      asked.includes("x") || asked.includes("a") ? command : command.replace(/^\S*\//, "").split(/[\s:]/, 1)[0];
    return `${String(pid).padStart(7)} ?        00:00:00 ${shown}\n`;
  });
  return `    PID TTY          TIME CMD\n${lines.join("")}`;
}

function ip({ args, out, err, process: { self } }: Call): number {
  const { address, isNetworkAdmin } = self;
  if (/^l(ink)?$/.test(args[0] ?? "") && /^(add|del|delete|set)$/.test(args[1] ?? "") && !isNetworkAdmin) {
    err("ip: RTNETLINK answers: Operation not permitted\n");
    return 2;
  }
  const [subject = "", ...rest] = args.filter((arg) => !arg.startsWith("-"));
  if (/^a(ddr(ess)?)?$/.test(subject)) {
    out(
      "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n    inet6 ::1/128 scope host \n       valid_lft forever preferred_lft forever\n" +
        `2: eth0@if3: <BROADCAST,MULTICAST,UP,LOWER_UP,M-DOWN> mtu 1500 qdisc noqueue \n    link/ether ${hardware(address)} brd ff:ff:ff:ff:ff:ff\n    inet ${address}/24 brd ${network(address)}.255 scope global eth0\n       valid_lft forever preferred_lft forever\n`,
    );
    return 0;
  }
  if (/^r(oute)?$/.test(subject)) {
    out(
      `default via ${network(address)}.1 dev eth0 \n${network(address)}.0/24 via ${network(address)}.1 dev eth0  src ${address} \n${network(address)}.1 dev eth0 scope link  src ${address} \n`,
    );
    return 0;
  }
  if (subject !== "link" && rest.length === 0) {
    err("Usage: ip [OPTIONS] OBJECT { COMMAND | help }\n");
    return 1;
  }
  return 0;
}

function network(address: string): string {
  return address.split(".").slice(0, 3).join(".");
}

function hardware(address: string): string {
  const last = address.split(".").map((one) => Number(one).toString(16).padStart(2, "0"));
  return ["0a", "58", ...last].join(":");
}
