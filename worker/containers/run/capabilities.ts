// The capabilities of a container's processes, in the format of Linux.
import type { SecurityContext } from "../../../shared/k8s/api/core-v1.ts";

/** The capabilities in the order of their bits. */
const names =
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE".split(
    " ",
  );
/** The capabilities of a container whose security context sets none. */
const usual =
  "CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE".split(
    " ",
  );

export function capabilitiesOf(
  context: SecurityContext | undefined,
  uid: number,
): { readonly bounding: string; readonly effective: string } {
  const bounding = printed(namesOf(context));
  return { bounding, effective: uid === 0 ? bounding : printed(new Set()) };
}

/** Reports whether a process of root has a capability. `name`: without the prefix `CAP_`. */
export function hasCapability(context: SecurityContext | undefined, name: string): boolean {
  return namesOf(context).has(name);
}

function namesOf(context: SecurityContext | undefined): ReadonlySet<string> {
  const { add = [], drop = [] } = context?.capabilities ?? {};
  const all = new Set(context?.privileged || add.includes("ALL") ? names : usual);
  for (const capability of drop) {
    if (capability === "ALL") all.clear();
    else all.delete(bare(capability));
  }
  for (const capability of add) if (capability !== "ALL") all.add(bare(capability));
  return all;
}

function bare(name: string): string {
  return name.replace(/^CAP_/, "");
}

function printed(set: ReadonlySet<string>): string {
  const bits = names.reduce((sum, name, bit) => (set.has(name) ? sum | (1n << BigInt(bit)) : sum), 0n);
  return bits.toString(16).padStart(16, "0");
}
