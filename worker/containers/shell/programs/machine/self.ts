// Programs that print their user, the processes beside them, and the host: id, ps, hostname, ip.
import { charge } from "../../../../../shared/shell/meter.ts";
import { groupName, userName } from "./accounts.ts";
import type { Process, Running, Self } from "../../process.ts";
import { type ProgramCall, type Programs } from "../../program.ts";
import { options } from "../../../../../shared/shell/options.ts";

export const selfPrograms: Programs = {
  hostname: ({ args, out, process }) => {
    const { host, self } = process;
    const { flags } = options(args);
    const printedName = flags.has("f") || flags.has("fqdn") ? ownName(process) : host;
    out(
      `${flags.has("i") || flags.has("I") ? self.address : flags.has("s") ? (host.split(".", 1)[0] ?? "") : printedName}\n`,
    );
    return 0;
  },
  whoami: (call) => {
    const { out, err, process } = call;
    const { self } = process;
    const name = userName(process, self.uid);
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
};

/** Returns the first name that `/etc/hosts` gives to the pod's address. */
function ownName(process: Process): string {
  const { files, host, self } = process;
  const text = files.get("/etc/hosts")?.text ?? "";
  charge(process, text.length / 16);
  const lines = text.split("\n").map((line) => line.split(/\s+/));
  return lines.find(([address]) => address === self.address)?.[1] ?? host;
}

function groupsOf({ gid, groups }: Self): number[] {
  return [...new Set([gid, ...groups])];
}

function id({ args, out, process }: ProgramCall): number {
  const { flags } = options(args);
  const { self } = process;
  const named = (idNumber: number, name: string | undefined) =>
    name === undefined ? String(idNumber) : `${idNumber}(${name})`;
  const user = userName(process, self.uid);
  const plain = (idNumber: number, name: string | undefined) =>
    flags.has("n") ? (name ?? String(idNumber)) : String(idNumber);
  const groups = groupsOf(self).map((gid) => [gid, groupName(process, gid)] as const);
  const group = groupName(process, self.gid);
  if (flags.has("u")) out(`${plain(self.uid, user)}\n`);
  else if (flags.has("g")) out(`${plain(self.gid, group)}\n`);
  else if (flags.has("G")) out(`${groups.map(([gid, name]) => plain(gid, name)).join(" ")}\n`);
  else
    out(
      `uid=${named(self.uid, user)} gid=${named(self.gid, group)} groups=${groups.map(([gid, name]) => named(gid, name)).join(",")}\n`,
    );
  return 0;
}

/** Prints processes: busybox has one format, procps has three. */
function ps({ args, out, process }: ProgramCall): number {
  const { self } = process;
  const last = self.running.at(-1);
  const ownCommand = ["ps", ...args].join(" ");
  const listed =
    last?.command === ownCommand
      ? self.running
      : [...self.running, { pid: (last?.pid ?? 1) + 6, uid: self.uid, command: ownCommand }];
  out(process.programs?.has("ash") ? busyboxList(process, listed) : procpsList(args, process, listed));
  return 0;
}

function busyboxList(process: Process, running: readonly Running[]): string {
  const lines = running.map(({ pid, uid, command }) => {
    const user = (userName(process, uid) ?? String(uid)).slice(0, 8);
    return `${String(pid).padStart(5)} ${user.padEnd(8)}  0:00 ${command}\n`;
  });
  return `PID   USER     TIME  COMMAND\n${lines.join("")}`;
}

function procpsList(args: readonly string[], process: Process, running: readonly Running[]): string {
  const letters = args.join("").replaceAll("-", "");
  const clock = new Date(process.clockMs).toISOString().slice(11, 16);
  const user = (uid: number) => (userName(process, uid) ?? String(uid)).padEnd(8);
  if (letters.includes("u")) {
    const head = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n";
    const lines = running.map(({ pid, uid, command }) => {
      const state = command === running.at(-1)?.command ? "R   " : pid === 1 ? "Ss  " : "S   ";
      return `${user(uid)} ${String(pid).padStart(7)}  0.0  0.1   8932  5560 ?        ${state} ${clock}   0:00 ${command}\n`;
    });
    return head + lines.join("");
  }
  if (letters.includes("f")) {
    const lines = running.map(
      ({ pid, uid, command }) =>
        `${user(uid)} ${String(pid).padStart(7)}       0  0 ${clock} ?        00:00:00 ${command}\n`,
    );
    return `UID          PID    PPID  C STIME TTY          TIME CMD\n${lines.join("")}`;
  }
  const lines = running.map(({ pid, command }) => {
    const commandText =
      letters.includes("x") || letters.includes("a") ? command : command.replace(/^\S*\//, "").split(/[\s:]/, 1)[0];
    return `${String(pid).padStart(7)} ?        00:00:00 ${commandText}\n`;
  });
  return `    PID TTY          TIME CMD\n${lines.join("")}`;
}
