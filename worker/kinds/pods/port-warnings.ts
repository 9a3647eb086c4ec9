// Warnings of ports that are defined twice, or half.
import type { Container, ContainerPort, EphemeralContainer } from "../../../shared/k8s/api/core-v1.ts";
import type { FieldPath } from "../../../shared/k8s/field.ts";

interface Seen {
  readonly at: FieldPath;
  readonly port: ContainerPort;
}

export function portWarnings(
  containers: readonly { container: Container | EphemeralContainer; at: FieldPath }[],
): string[] {
  const warnings: string[] = [];
  const seen = new Map<string, Seen[]>();
  for (const { container, at: where } of containers) {
    for (const [index, port] of (container.ports ?? []).entries()) {
      const at = where.child("ports").index(index);
      if (port.hostIP && !port.hostPort) warnings.push(`${at}: hostIP set without hostPort: ${goStruct(port)}`);
      const key = `${port.containerPort}/${port.protocol}`;
      const others = seen.get(key) ?? [];
      for (const other of others) {
        const how = clash(port, other.port);
        if (how) warnings.push(`${at}: ${how} port definition with ${other.at}`);
      }
      seen.set(key, [...others, { at, port }]);
    }
  }
  return warnings;
}

/** As Go prints the whole struct. */
function goStruct({ name = "", hostPort = 0, containerPort, protocol, hostIP = "" }: ContainerPort): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol ?? ""} HostIP:${hostIP}}`;
}

function clash(port: ContainerPort, other: ContainerPort): string {
  const [host, otherHost] = [port.hostPort ?? 0, other.hostPort ?? 0];
  const [ip, otherIp] = [port.hostIP ?? "", other.hostIP ?? ""];
  if (ip === otherIp && host === otherHost) return "duplicate";
  if (host === 0 || otherHost === 0) return "overlapping";
  // An address that is left open is every address.
  return host === otherHost && (ip === "" || otherIp === "") ? "overlapping" : "";
}
