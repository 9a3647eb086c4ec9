// The sysctls that a kubelet lets a pod set: those that affect only the pod (upstream: `sysctl.SafeSysctlAllowlist`). The kubelet checks
// them through `admission-check.ts`, which shares the scheduler's predicates.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";

const safe = new Map<string, "IPC" | "Net">([
  ["kernel.shm_rmid_forced", "IPC"],
  ["net.ipv4.ip_local_port_range", "Net"],
  ["net.ipv4.tcp_syncookies", "Net"],
  ["net.ipv4.ping_group_range", "Net"],
  ["net.ipv4.ip_unprivileged_port_start", "Net"],
  ["net.ipv4.ip_local_reserved_ports", "Net"],
  ["net.ipv4.tcp_keepalive_time", "Net"],
  ["net.ipv4.tcp_fin_timeout", "Net"],
  ["net.ipv4.tcp_keepalive_intvl", "Net"],
  ["net.ipv4.tcp_keepalive_probes", "Net"],
  ["net.ipv4.tcp_rmem", "Net"],
  ["net.ipv4.tcp_wmem", "Net"],
]);

/** Returns why the kubelet rejects the pod; undefined if it admits it. */
export function sysctlRefusal({ spec }: Pod): { readonly reason: string; readonly message: string } | undefined {
  for (const { name } of spec.securityContext?.sysctls ?? []) {
    const problem = problemOf(normalizeName(name), spec);
    if (problem) return { reason: "SysctlForbidden", message: `forbidden sysctl: ${problem}` };
  }
  return undefined;
}

function problemOf(name: string, { hostNetwork, hostIPC }: Pod["spec"]): string | undefined {
  const namespace = safe.get(name);
  const quoted = JSON.stringify(name);
  if (namespace === undefined) return `${quoted} not allowlisted`;
  const isHost = namespace === "IPC" ? hostIPC : hostNetwork;
  return isHost ? `${quoted} not allowed with host ${namespace} enabled` : undefined;
}

/** Returns the name with dots as separators. If the first separator is a slash, dots and slashes are swapped. */
function normalizeName(name: string): string {
  if (/^[^./]*\//.test(name)) return name.replace(/[./]/g, (separator) => (separator === "." ? "/" : "."));
  return name;
}
