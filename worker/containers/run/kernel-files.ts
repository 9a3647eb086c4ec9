// The kernel's files that every container has: processors, memory, mounts, network and cgroup.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { Mount } from "../shell/process.ts";

/** The node's memory, in kB. */
const memory = {
  MemTotal: 8_286_208,
  MemFree: 5_140_416,
  MemAvailable: 6_920_604,
  Buffers: 145_208,
  Cached: 1_742_292,
  SwapCached: 0,
  Active: 1_401_312,
  Inactive: 1_204_816,
  Shmem: 10_240,
  SwapTotal: 0,
  SwapFree: 0,
};

const processor = (at: number) => `processor\t: ${at}
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 85
model name\t: Simulated CPU @ 2.40GHz
cpu MHz\t\t: 2400.000
cache size\t: 33792 KB
cpu cores\t: 4
flags\t\t: fpu de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat clflush mmx fxsr sse sse2 ht syscall nx lm
bogomips\t: 4800.00
`;

/** The files that are the same in every container. */
const same = {
  "/proc/cpuinfo": `${[0, 1, 2, 3].map(processor).join("\n")}\n`,
  "/proc/meminfo": Object.entries(memory)
    .map(([name, kb]) => `${`${name}:`.padEnd(16)}${String(kb).padStart(8)} kB\n`)
    .join(""),
  "/proc/loadavg": "0.08 0.11 0.09 1/412 33\n",
  "/proc/version":
    "Linux version 6.12.48+deb13-amd64 (debian-kernel@lists.debian.org) #1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1 (2025-09-20)\n",
  "/proc/filesystems": "nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\tcgroup2\nnodev\toverlay\n\text4\n",
  "/proc/self/cgroup": "0::/\n",
  "/proc/1/cgroup": "0::/\n",
};

export function kernelFiles({ status }: Pod, mounts: readonly Mount[]): Readonly<Record<string, string>> {
  const table = mountTable(mounts);
  return {
    ...same,
    "/proc/mounts": table,
    "/proc/self/mounts": table,
    "/proc/1/mounts": table,
    ...networkFiles(status.podIP ?? ""),
  };
}

function mountTable(mounts: readonly Mount[]): string {
  const rows = mounts.map(({ path, type, readOnly }) => {
    const device = type === "ext4" ? "/dev/vda1" : type;
    return `${device} ${path || "/"} ${type} ${readOnly ? "ro" : "rw"},relatime 0 0\n`;
  });
  const [root = "", ...otherRows] = rows;
  return `${root}proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n${otherRows.join("")}sysfs /sys sysfs ro,nosuid,nodev,noexec,relatime 0 0\ncgroup /sys/fs/cgroup cgroup2 ro,relatime 0 0\n`;
}

/** Returns the files of `/proc/net`. Routes have addresses in little-endian hexadecimal. */
function networkFiles(address: string): Readonly<Record<string, string>> {
  const octets = address.split(".").map(Number);
  const hex = (...bytes: readonly (number | undefined)[]) =>
    [...bytes]
      .reverse()
      .map((byte = 0) => byte.toString(16).toUpperCase().padStart(2, "0"))
      .join("");
  const [a, b, c] = octets;
  const row = (to: string, by: string, flags: string, mask: string) =>
    `eth0\t${to}\t${by}\t${flags}\t0\t0\t0\t${mask}\t0\t0\t0\n`;
  const counts = (name: string, bytes: number, packets: number) =>
    `${`${name}:`.padStart(7)} ${String(bytes).padStart(7)} ${String(packets).padStart(7)}    0    0    0     0          0         0 ${String(bytes).padStart(8)} ${String(packets).padStart(7)}    0    0    0     0       0          0\n`;
  return {
    "/proc/net/dev": `Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n${counts("lo", 0, 0)}${counts("eth0", 446, 5)}`,
    "/proc/net/route": `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n${row("00000000", hex(a, b, c, 1), "0003", "00000000")}${row(hex(a, b, c, 0), hex(a, b, c, 1), "0003", "00FFFFFF")}`,
    "/proc/net/arp": `IP address       HW type     Flags       HW address            Mask     Device\n${`${a ?? 0}.${b ?? 0}.${c ?? 0}.1`.padEnd(16)} 0x1         0x2         0a:58:${[a, b, c, 1].map((octet = 0) => octet.toString(16).padStart(2, "0")).join(":")}     *        eth0\n`,
  };
}
