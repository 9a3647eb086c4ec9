// Ports of the node's own address that pods claim, and which claims exclude each other (upstream: `HostPortInfo`).
import type { Pod } from "../../shared/k8s/api/core-v1.ts";

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const anyAddress = "0.0.0.0";

/** The host ports of a pod's containers and sidecars. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always") ?? [];
  return [...sidecars, ...spec.containers].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort = 0, protocol, hostIP }) => ({
        ip: hostIP || anyAddress,
        protocol: protocol || "TCP",
        port: hostPort,
      })),
  );
}

export function conflict(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === anyAddress || b.ip === anyAddress;
}
