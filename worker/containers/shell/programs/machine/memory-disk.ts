// Programs that print memory, disks and load: free, df, du, mount, top, uptime, uname.
import { textCall } from "../../text-call.ts";
import { byteLength } from "../../../../../shared/base/byte-text.ts";
import { absolute, isFolder } from "../../files.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import type { Mount, Process } from "../../process.ts";
import { type ProgramCall, type Programs } from "../../program.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { printedLines } from "../../../../../shared/shell/lines.ts";
import { isBusybox } from "../per-file.ts";
import { missing } from "../../../../../shared/shell/text/per-file.ts";

export const machinePrograms: Programs = { free, df, du, mount, top, uptime, uname, lscpu, findmnt: mount, mountpoint };

/** The node's memory in kB. A container without a limit sees all of it. */
const memory = {
  total: 8_286_208,
  used: 1_258_292,
  free: 5_140_416,
  shared: 10_240,
  cached: 1_887_500,
  available: 6_920_604,
};
const kernel = "6.12.48+deb13-amd64";

function free({ args, out, process }: ProgramCall): number {
  const { flags } = options(args);
  const unit = flags.has("g") ? 1024 ** 2 : flags.has("m") ? 1024 : flags.has("b") ? 1 / 1024 : 1;
  const human = (kb: number) =>
    kb >= 1024 ** 2
      ? `${(kb / 1024 ** 2).toFixed(1)}G${isBusybox(process) ? "" : "i"}`
      : `${Math.round(kb / 1024)}M${isBusybox(process) ? "" : "i"}`;
  const amountText = (kb: number) =>
    (flags.has("h")
      ? kb === 0
        ? isBusybox(process)
          ? "0"
          : "0B"
        : human(kb)
      : String(Math.floor(kb / unit))
    ).padStart(11);
  const row = (name: string, ...numbers: readonly number[]) =>
    `${name.padEnd(8)} ${numbers.map(amountText).join(" ")}\n`;
  const { total, used, free: left, shared, cached, available } = memory;
  out(
    `              total        used        free      shared  buff/cache   available\n${row("Mem:", total, used, left, shared, cached, available)}${row("Swap:", 0, 0, 0)}`,
  );
  return 0;
}

interface Disk {
  readonly device: string;
  readonly type: string;
  readonly size: number;
  readonly used: number;
  readonly on: string;
}

/** The node's disk in kB. */
const nodeDisk = { size: 98_831_908, used: 24_117_248 };

function disks({ mounts, memoryLimit }: Process): Disk[] {
  const tmpfs = memoryLimit === undefined ? memory.total : Math.floor(memoryLimit / 1024);
  const volumes = mounts.filter(
    ({ path, type }) => type !== "overlay" && !/^\/(dev|etc\/(hosts|hostname|resolv\.conf))$/.test(path),
  );
  const of = ({ path, type, sizeBytes = Number.POSITIVE_INFINITY }: Mount): Disk =>
    type === "tmpfs"
      ? { device: "tmpfs", type, size: Math.min(tmpfs, Math.ceil(sizeBytes / 1024)), used: 12, on: path }
      : { device: "/dev/vda1", type, ...nodeDisk, on: path };
  return [
    { device: "overlay", type: "overlay", ...nodeDisk, on: "/" },
    { device: "tmpfs", type: "tmpfs", size: 65_536, used: 0, on: "/dev" },
    ...volumes.map(of),
    { device: "shm", type: "tmpfs", size: 65_536, used: 0, on: "/dev/shm" },
    { device: "/dev/vda1", type: "ext4", ...nodeDisk, on: "/etc/hosts" },
  ];
}

function humanSize(kb: number, isOld: boolean): string {
  if (kb === 0) return "0";
  const units = ["K", "M", "G", "T"];
  let [size, at] = [kb, 0];
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  return (isOld || size < 10 ? size.toFixed(1) : String(Math.ceil(size))) + (units[at] ?? "");
}

function df(call: ProgramCall): number {
  const { args, out, process, shell } = call;
  const { flags, rest } = options(args, "t");
  const isOld = isBusybox(process);
  const isHuman = flags.has("h") || flags.has("H");
  const all = disks(process);
  let chosen = all;
  let code = 0;
  if (rest.length > 0) {
    chosen = [];
    for (const name of rest) {
      const path = absolute(name, shell.folder);
      if (!process.files.exists(path)) {
        call.err(`df: ${name}: No such file or directory\n`);
        code = 1;
        continue;
      }
      const [best] = all
        .filter(({ on }) => on === "/" || path === on || path.startsWith(`${on}/`))
        .sort((a, b) => b.on.length - a.on.length);
      if (best) chosen.push(best);
    }
    if (chosen.length === 0) return code;
  }
  const rows = chosen.map(({ device, type, size, used, on }) => {
    const left = size - used;
    const percent = `${Math.ceil((used * 100) / size)}%`;
    const amountText = (kb: number) => (isHuman ? humanSize(kb, isOld) : String(kb));
    return [
      device,
      ...(flags.has("T") ? [type] : []),
      amountText(size),
      amountText(used),
      amountText(left),
      percent,
      on,
    ];
  });
  out(isOld ? busyboxTable(rows, isHuman, flags.has("T")) : gnuTable(rows, isHuman, flags.has("T")));
  return code;
}

function busyboxTable(rows: readonly (readonly string[])[], isHuman: boolean, hasType: boolean): string {
  const head = `Filesystem${" ".repeat(11)}${hasType ? "Type       " : ""}${isHuman ? "     Size" : "1K-blocks"}      Used Available Use% Mounted on\n`;
  const lines = rows.map(([device = "", ...more]) => {
    const [type, ...numbers] = hasType ? more : ["", ...more];
    const [size = "", used = "", left = "", percent = "", on = ""] = numbers;
    return `${device.padEnd(20)} ${hasType ? `${(type ?? "").padEnd(10)} ` : ""}${size.padStart(9)} ${used.padStart(9)} ${left.padStart(9)} ${percent.padStart(3)} ${on}\n`;
  });
  return head + lines.join("");
}

function gnuTable(rows: readonly (readonly string[])[], isHuman: boolean, hasType: boolean): string {
  const head = [
    "Filesystem",
    ...(hasType ? ["Type"] : []),
    isHuman ? "Size" : "1K-blocks",
    "Used",
    isHuman ? "Avail" : "Available",
    "Use%",
    "Mounted on",
  ];
  const all = [head, ...rows];
  const lefts = hasType ? 2 : 1;
  const widths = head.map((_, at) => Math.max(at === 0 ? 14 : 0, ...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map(
      (row) =>
        `${row.map((cell, at) => (at === row.length - 1 ? cell : at < lefts ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" ")}\n`,
    )
    .join("");
}

const blockKb = 4;

function du(call: ProgramCall): number {
  const { args, out, process, shell } = call;
  const { flags, values, rest } = options(args, "d");
  const { files } = process;
  const most = flags.has("s") ? 0 : Number(values.get("d") ?? values.get("max-depth") ?? Number.POSITIVE_INFINITY);
  let code = 0;
  let sum = 0;
  const amountText = (kb: number) =>
    flags.has("h") ? humanSize(kb, true) : flags.has("m") ? String(Math.ceil(kb / 1024)) : String(kb);
  for (const name of rest.length > 0 ? rest : ["."]) {
    const path = absolute(name, shell.folder);
    if (!files.exists(path)) {
      code = missing(textCall(call), name);
      continue;
    }
    const lines: string[] = [];
    const sizeOf = (at: string, label: string, depth: number): number => {
      charge(process, 0.5);
      if (!isFolder(files, at)) {
        const text = files.get(at)?.text ?? "";
        charge(process, text.length / 2500);
        const sizeKb = Math.ceil(byteLength(text) / 1024 / blockKb) * blockKb;
        if ((flags.has("a") && depth <= most) || depth === 0) lines.push(`${amountText(sizeKb)}\t${label}`);
        return sizeKb;
      }
      const total = files
        .names(at)
        .reduce(
          (size, name) =>
            size +
            sizeOf(
              at === "/" ? `/${name}` : `${at}/${name}`,
              label.endsWith("/") ? label + name : `${label}/${name}`,
              depth + 1,
            ),
          blockKb,
        );
      if (depth <= most) lines.push(`${amountText(total)}\t${label}`);
      return total;
    };
    sum += sizeOf(path, name, 0);
    out(printedLines(process, lines));
  }
  if (flags.has("c")) out(`${amountText(sum)}\ttotal\n`);
  return code;
}

function mount({ process, args, out, err, name }: ProgramCall): number {
  const type = args[args.indexOf("-t") + 1];
  const names = args.filter((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-t" && args[at - 1] !== "-o");
  if (names.length > 0 && name === "mount") {
    if (process.self.isSystemAdmin) return 0;
    err(
      isBusybox(process)
        ? "mount: permission denied (are you root?)\n"
        : `mount: ${names.at(-1) ?? ""}: permission denied.\n       dmesg(1) may have more information after failed mount system call.\n`,
    );
    return isBusybox(process) ? 1 : 32;
  }
  for (const line of mountLines(process))
    if (!args.includes("-t") || line.type === type)
      out(`${line.device} on ${line.path} type ${line.type} (${line.options})\n`);
  return 0;
}

interface Line {
  readonly device: string;
  readonly path: string;
  readonly type: string;
  readonly options: string;
}

function mountLines({ mounts }: Pick<Process, "mounts">): Line[] {
  const volumes = mounts.map(({ path, type, readOnly }) => ({
    device: type === "ext4" ? "/dev/vda1" : type,
    path: path || "/",
    type,
    options: `${readOnly ? "ro" : "rw"},relatime`,
  }));
  const [root = { device: "overlay", path: "/", type: "overlay", options: "rw,relatime" }, ...otherVolumes] = volumes;
  return [
    root,
    { device: "proc", path: "/proc", type: "proc", options: "rw,nosuid,nodev,noexec,relatime" },
    ...otherVolumes,
    { device: "sysfs", path: "/sys", type: "sysfs", options: "ro,nosuid,nodev,noexec,relatime" },
    { device: "cgroup", path: "/sys/fs/cgroup", type: "cgroup2", options: "ro,relatime" },
  ];
}

function mountpoint({ process, shell, args, out, err }: ProgramCall): number {
  const [name = ""] = args.filter((arg) => !arg.startsWith("-"));
  const path = absolute(name, shell.folder);
  const isMountpoint = mountLines(process).some((line) => line.path === path);
  if (!args.includes("-q")) (isMountpoint ? out : err)(`${name} is ${isMountpoint ? "" : "not "}a mountpoint\n`);
  return isMountpoint ? 0 : 1;
}

function uptime({ process, out }: ProgramCall): number {
  out(
    ` ${new Date(process.clockMs).toISOString().slice(11, 19)} up 12 days,  3:42,  0 users,  load average: 0.08, 0.11, 0.09\n`,
  );
  return 0;
}

/** Prints one snapshot. Without `-b` the real program would repeat it. */
function top({ process, out }: ProgramCall): number {
  const { self, clockMs } = process;
  const clock = new Date(clockMs).toISOString().slice(11, 19);
  const user = (uid: number) => (uid === 0 ? "root" : String(uid));
  if (isBusybox(process)) {
    out(
      `Mem: ${memory.used + memory.cached}K used, ${memory.free}K free, ${memory.shared}K shrd, 145208K buff, ${memory.cached}K cached\nCPU:   2% usr   1% sys   0% nic  96% idle   0% io   0% irq   0% sirq\nLoad average: 0.08 0.11 0.09 2/412 ${self.running.at(-1)?.pid ?? 1}\n  PID  PPID USER     STAT   VSZ %VSZ %CPU COMMAND\n`,
    );
    for (const { pid, uid, command } of self.running)
      out(
        `${String(pid).padStart(5)} ${(pid === 1 ? "0" : "1").padStart(5)} ${user(uid).padEnd(8)} ${"S".padEnd(4)}  4400   0%   0% ${command}\n`,
      );
    return 0;
  }
  out(
    `top - ${clock} up 12 days,  3:42,  0 users,  load average: 0.08, 0.11, 0.09\nTasks: ${String(self.running.length).padStart(3)} total,   1 running, ${String(Math.max(0, self.running.length - 1)).padStart(3)} sleeping,   0 stopped,   0 zombie\n%Cpu(s):  2.1 us,  1.0 sy,  0.0 ni, 96.9 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st \n` +
      `MiB Mem :   8092.0 total,   5020.0 free,   1228.8 used,   1843.3 buff/cache     \nMiB Swap:      0.0 total,      0.0 free,      0.0 used.   6758.4 avail Mem \n\n    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n`,
  );
  for (const { pid, uid, command } of self.running)
    out(
      `${String(pid).padStart(7)} ${user(uid).padEnd(8)}  20   0    8932   5560   4100 S   0.0   0.1   0:00.02 ${command.replace(/^\S*\//, "").split(/[\s:]/, 1)[0] ?? ""}\n`,
    );
  return 0;
}

function uname({ args, out, process }: ProgramCall): number {
  const version = "#1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1 (2025-09-20)";
  const letters = options(args).flags;
  const isAll = letters.has("a") || letters.has("all");
  const fields: readonly (readonly [string, string])[] = [
    ["s", "Linux"],
    ["n", process.host],
    ["r", kernel],
    ["v", version],
    ["m", "x86_64"],
    ["p", "x86_64"],
    ["o", isBusybox(process) ? "Linux" : "GNU/Linux"],
  ];
  const chosen = fields.filter(([letter]) => (isAll ? letter !== "p" : letters.has(letter)));
  out(`${(chosen.length > 0 ? chosen : [["s", "Linux"] as const]).map(([, text]) => text).join(" ")}\n`);
  return 0;
}

function lscpu({ out }: ProgramCall): number {
  out(
    "Architecture:             x86_64\n  CPU op-mode(s):         32-bit, 64-bit\n  Byte Order:             Little Endian\nCPU(s):                   4\n  On-line CPU(s) list:    0-3\nVendor ID:                GenuineIntel\n  Model name:             Simulated CPU @ 2.40GHz\n    Thread(s) per core:   1\n    Core(s) per socket:   4\n    Socket(s):            1\n",
  );
  return 0;
}
