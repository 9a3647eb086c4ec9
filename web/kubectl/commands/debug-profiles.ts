// The profiles of `kubectl debug`: what a debugging container may do, and what it sees of a node.
import type { JsonObject } from "../../../shared/schema/json-values.ts";

interface Profile {
  readonly securityContext?: JsonObject;
  /** Whether a pod on a node uses the host's network, processes and IPC, and mounts its files. */
  readonly usesHost: boolean;
  readonly mountsHost: boolean;
}

const adding = (...add: readonly string[]): JsonObject => ({ capabilities: { add: [...add] } });

const profiles: Readonly<Record<string, Profile>> = {
  legacy: { usesHost: true, mountsHost: true },
  general: { securityContext: adding("SYS_PTRACE"), usesHost: true, mountsHost: true },
  baseline: { usesHost: false, mountsHost: false },
  restricted: {
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    },
    usesHost: false,
    mountsHost: false,
  },
  netadmin: { securityContext: adding("NET_ADMIN", "NET_RAW"), usesHost: true, mountsHost: false },
  sysadmin: { securityContext: { privileged: true }, usesHost: true, mountsHost: true },
};

export function profileNamed(name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile) throw new Error(`unknown profile: ${name}`);
  return profile;
}

/** Returns the security context of a container in a pod or a copy of one. */
export function securityOf(name: string): { securityContext?: JsonObject } {
  const { securityContext } = profileNamed(name);
  return securityContext ? { securityContext } : {};
}

/** Returns the security context of a container on a node. The general profile has none there. */
export function nodeSecurityOf(name: string): { securityContext?: JsonObject } {
  return name === "general" ? {} : securityOf(name);
}

const probes = { liveness: "livenessProbe", readiness: "readinessProbe", startup: "startupProbe" } as const;

/** Removes the probes that no flag keeps from the containers of a copied pod. */
export function removeProbes(containers: readonly JsonObject[], isKept: (probe: keyof typeof probes) => boolean): void {
  for (const container of containers)
    for (const [name, field] of Object.entries(probes))
      if (!isKept(name as keyof typeof probes)) delete container[field];
}
