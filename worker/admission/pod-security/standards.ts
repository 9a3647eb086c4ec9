// The pod security standards: the checks of each level, by version.
import {
  appArmor,
  capabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  checkPrivileged,
  procMount,
  procMountOfHostUsers,
  seLinuxOptions,
  seccompAnnotations,
  seccompProfile,
  sysctls,
  windowsHostProcess,
} from "./baseline.ts";
import type { LevelVersion } from "./policy.ts";
import {
  allowPrivilegeEscalation,
  droppedCapabilities,
  notInUserNamespace,
  notOnWindows,
  requiredSeccompProfile,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
} from "./restricted.ts";
import type { PodLike } from "./subject.ts";
import type { Violation } from "./wording.ts";

type Check = (pod: PodLike) => Violation | undefined;

interface Standard {
  /** The checks with the minor version in which they start, ascending. */
  readonly since: readonly (readonly [minor: number, check: Check])[];
  /** The baseline check that it replaces. */
  readonly replaces?: string;
}

const seLinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];
const oldSysctls = [
  ...["kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies"],
  ...["net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"],
];
const sysctls27 = [...oldSysctls, "net.ipv4.ip_local_reserved_ports"];
const sysctls29 = [
  ...[...sysctls27, "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout"],
  ...["net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes"],
];
const sysctls32 = [...sysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

/** The checks in the order of their messages. */
const baseline: Readonly<Record<string, Standard>> = {
  appArmorProfile: { since: [[0, appArmor]] },
  capabilities_baseline: { since: [[0, capabilities]] },
  hostNamespaces: { since: [[0, hostNamespaces]] },
  hostPathVolumes: { since: [[0, hostPathVolumes]] },
  hostPorts: { since: [[0, hostPorts]] },
  hostProbesAndHostLifecycle: { since: [[34, hostProbes]] },
  privileged: { since: [[0, checkPrivileged]] },
  procMount: {
    since: [
      [0, procMount],
      [35, procMountOfHostUsers],
    ],
  },
  seLinuxOptions: {
    since: [
      [0, seLinuxOptions(seLinuxTypes)],
      [31, seLinuxOptions([...seLinuxTypes, "container_engine_t"])],
    ],
  },
  seccompProfile_baseline: {
    since: [
      [0, seccompAnnotations],
      [19, seccompProfile],
    ],
  },
  sysctls: {
    since: [
      [0, sysctls(oldSysctls)],
      [27, sysctls(sysctls27)],
      [29, sysctls(sysctls29)],
      [32, sysctls(sysctls32)],
    ],
  },
  windowsHostProcess: { since: [[0, windowsHostProcess]] },
};

const restricted: Readonly<Record<string, Standard>> = {
  allowPrivilegeEscalation: {
    since: [
      [8, allowPrivilegeEscalation],
      [25, notOnWindows(allowPrivilegeEscalation)],
    ],
  },
  capabilities_restricted: {
    since: [
      [22, droppedCapabilities],
      [25, notOnWindows(droppedCapabilities)],
    ],
    replaces: "capabilities_baseline",
  },
  procMount_restricted: { since: [[35, procMount]], replaces: "procMount" },
  restrictedVolumes: { since: [[0, restrictedVolumes]], replaces: "hostPathVolumes" },
  runAsNonRoot: {
    since: [
      [0, runAsNonRoot],
      [35, notInUserNamespace(runAsNonRoot)],
    ],
  },
  runAsUser: {
    since: [
      [23, runAsUser],
      [35, notInUserNamespace(runAsUser)],
    ],
  },
  seccompProfile_restricted: {
    since: [
      [19, requiredSeccompProfile],
      [25, notOnWindows(requiredSeccompProfile)],
    ],
    replaces: "seccompProfile_baseline",
  },
};

/** Returns the violations of a pod at a level. The privileged level has none. */
export function violationsOf(pod: PodLike, { level, minor }: LevelVersion): Violation[] {
  return checksOf(level, minor).flatMap((check) => check(pod) ?? []);
}

function checksOf(level: LevelVersion["level"], minor: number): Check[] {
  if (level === "privileged") return [];
  if (level === "baseline") return Object.values(baseline).flatMap((standard) => at(standard, minor) ?? []);
  const added = Object.values(restricted).filter((standard) => at(standard, minor));
  const replaced = new Set(added.map(({ replaces }) => replaces));
  const inherited = Object.entries(baseline).filter(([id]) => !replaced.has(id));
  return [...inherited.map(([, standard]) => standard), ...added].flatMap((standard) => at(standard, minor) ?? []);
}

function at({ since }: Standard, minor: number): Check | undefined {
  return since.findLast(([from]) => from <= minor)?.[1];
}
