// The pod security standards by field: the violations of each level, in upstream's words, and their versions.
import { describe, expect, test } from "vitest";
import type { Container, PodSpec } from "../../../shared/k8s/api/core-v1.ts";
import type { Level } from "../../../worker/admission/pod-security/policy.ts";
import { violationsOf } from "../../../worker/admission/pod-security/standards.ts";

type SpecChange = Omit<Partial<PodSpec>, "containers"> & { readonly containers?: never };

const hardened: Partial<Container> = {
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    runAsNonRoot: true,
    seccompProfile: { type: "RuntimeDefault" },
  },
};

/** A hardened pod with one change: in its spec, its container's security context or fields, or its annotations. */
interface Case {
  readonly spec?: SpecChange;
  readonly context?: Container["securityContext"];
  readonly container?: Partial<Container>;
  readonly annotations?: Record<string, string>;
}

function violations({ spec, context, container, annotations = {} }: Case, level: Level, minor = Infinity): string[] {
  const securityContext = { ...hardened.securityContext, ...context };
  const changedContainer = {
    name: "c",
    image: "nginx",
    resources: {},
    ...hardened,
    securityContext,
    ...container,
  } as Container;
  const pod = { metadata: { annotations }, spec: { containers: [changedContainer], ...spec } };
  return violationsOf(pod, { level, minor }).map(({ reason, detail }) => `${reason} (${detail})`);
}

/** Violations of the baseline level, which violate the restricted level too, with the same message unless it has its own. */
const baseline: Readonly<Record<string, readonly [change: Case, violation: string, restricted?: string]>> = {
  "spec.hostNetwork": [{ spec: { hostNetwork: true } }, "host namespaces (hostNetwork=true)"],
  "spec.hostPID": [{ spec: { hostPID: true } }, "host namespaces (hostPID=true)"],
  "spec.hostIPC": [{ spec: { hostIPC: true } }, "host namespaces (hostIPC=true)"],
  "spec.volumes[*].hostPath": [
    { spec: { volumes: [{ name: "v", hostPath: { path: "/" } }] } },
    'hostPath volumes (volume "v")',
    'restricted volume types (volume "v" uses restricted volume type "hostPath")',
  ],
  "spec.containers[*].ports[*].hostPort": [
    { container: { ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] } },
    'hostPort (container "c" uses hostPort 80)',
  ],
  "spec.containers[*].livenessProbe.httpGet.host": [
    { container: { livenessProbe: { httpGet: { port: 80, host: "10.0.0.1" } } } },
    'probe or lifecycle host (container "c" uses probe or lifecycle host "10.0.0.1")',
  ],
  "spec.containers[*].lifecycle.preStop.tcpSocket.host": [
    { container: { lifecycle: { preStop: { tcpSocket: { port: 80, host: "a" } } } } },
    'probe or lifecycle host (container "c" uses probe or lifecycle host "a")',
  ],
  "spec.containers[*].securityContext.privileged": [
    { context: { privileged: true } },
    'privileged (container "c" must not set securityContext.privileged=true)',
  ],
  "spec.containers[*].securityContext.capabilities.add": [
    { context: { capabilities: { drop: ["ALL"], add: ["NET_RAW", "CHOWN"] } } },
    'non-default capabilities (container "c" must not include "NET_RAW" in securityContext.capabilities.add)',
    'unrestricted capabilities (container "c" must not include "CHOWN", "NET_RAW" in securityContext.capabilities.add)',
  ],
  "spec.containers[*].securityContext.procMount": [
    { context: { procMount: "Unmasked" } },
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  "spec.securityContext.seLinuxOptions.type": [
    { spec: { securityContext: { seLinuxOptions: { type: "spc_t" } } } },
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t")',
  ],
  "spec.containers[*].securityContext.seLinuxOptions.user": [
    { context: { seLinuxOptions: { user: "u", role: "r" } } },
    'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: user may not be set; role may not be set)',
  ],
  "spec.securityContext.seccompProfile.type": [
    { spec: { securityContext: { seccompProfile: { type: "Unconfined" } } } },
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  "spec.containers[*].securityContext.appArmorProfile.type": [
    { context: { appArmorProfile: { type: "Unconfined" } } },
    'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
  ],
  "metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]": [
    { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" } },
    'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
  ],
  "spec.securityContext.sysctls[*].name": [
    { spec: { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } } },
    "forbidden sysctls (kernel.msgmax)",
  ],
  "spec.securityContext.windowsOptions.hostProcess": [
    { spec: { securityContext: { windowsOptions: { hostProcess: true } } } },
    "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
  ],
};

const restricted: Readonly<Record<string, readonly [change: Case, violation: string]>> = {
  "spec.containers[*].securityContext.allowPrivilegeEscalation": [
    { container: { securityContext: { ...hardened.securityContext, allowPrivilegeEscalation: true } } },
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
  ],
  "spec.containers[*].securityContext.capabilities.drop": [
    { context: { capabilities: { drop: ["NET_RAW"] } } },
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])',
  ],
  "spec.volumes[*]": [
    { spec: { volumes: [{ name: "v", nfs: { server: "a", path: "/" } }] } },
    'restricted volume types (volume "v" uses restricted volume type "nfs")',
  ],
  "spec.containers[*].securityContext.runAsNonRoot": [
    { context: { runAsNonRoot: false } },
    'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
  ],
  "spec.securityContext.runAsUser": [
    { spec: { securityContext: { runAsUser: 0 } } },
    "runAsUser=0 (pod must not set runAsUser=0)",
  ],
};

describe("violations of the baseline level", () => {
  test.each(Object.entries(baseline))("include %s", (_field, [change, violation, restrictedViolation = violation]) => {
    expect(violations(change, "privileged")).toEqual([]);
    expect(violations(change, "baseline")).toEqual([violation]);
    expect(violations(change, "restricted")).toEqual([restrictedViolation]);
  });
});

describe("violations of the restricted level only", () => {
  test.each(Object.entries(restricted))("include %s", (_field, [change, violation]) => {
    expect(violations(change, "baseline")).toEqual([]);
    expect(violations(change, "restricted")).toEqual([violation]);
  });

  test("include a plain pod without security settings", () => {
    expect(violations({}, "restricted")).toEqual([]);
    const plain = { container: { securityContext: {} } };
    expect(violations(plain, "baseline")).toEqual([]);
    expect(violations(plain, "restricted")).toEqual([
      'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])',
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ]);
  });

  test("include init and ephemeral containers", () => {
    const bare = { name: "i", image: "a", resources: {} };
    const allViolations = violations(
      { spec: { initContainers: [bare], ephemeralContainers: [{ ...bare, name: "e" }] } },
      "restricted",
    );
    expect(allViolations[0]).toBe(
      'allowPrivilegeEscalation != false (containers "i", "e" must set securityContext.allowPrivilegeEscalation=false)',
    );
  });
});

describe("versions of the standards", () => {
  const since = (change: Case, level: Level, minor: number, forbids = true) => {
    const [old, now] = [violations(change, level, minor - 1), violations(change, level, minor)];
    expect([old.length > 0, now.length > 0]).toEqual([!forbids, forbids]);
  };
  const sysctl = (name: string): Case => ({ spec: { securityContext: { sysctls: [{ name, value: "1" }] } } });

  test("forbid hosts of probes since 1.34", () => {
    since({ container: { livenessProbe: { httpGet: { port: 80, host: "a" } } } }, "baseline", 34);
  });
  test("allow more sysctls since 1.27, 1.29 and 1.32", () => {
    since(sysctl("net.ipv4.ip_local_reserved_ports"), "baseline", 27, false);
    since(sysctl("net.ipv4.tcp_fin_timeout"), "baseline", 29, false);
    since(sysctl("net.ipv4.tcp_rmem"), "baseline", 32, false);
  });
  test("allow container_engine_t since 1.31", () => {
    since({ context: { seLinuxOptions: { type: "container_engine_t" } } }, "baseline", 31, false);
  });
  test("use seccomp fields since 1.19, and annotations before", () => {
    const annotations = { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" };
    since({ annotations }, "baseline", 19, false);
    since({ spec: { securityContext: { seccompProfile: { type: "Unconfined" } } } }, "baseline", 19);
  });
  test("require escalation off since 1.8, dropped capabilities since 1.22, users other than root since 1.23", () => {
    since({ context: { allowPrivilegeEscalation: true } }, "restricted", 8);
    since({ context: { capabilities: {} } }, "restricted", 22);
    since({ context: { runAsUser: 0 } }, "restricted", 23);
  });
  test("require no Linux settings of Windows pods since 1.25", () => {
    const windows = { spec: { os: { name: "windows" } }, context: { allowPrivilegeEscalation: true } };
    since(windows, "restricted", 25, false);
  });
  test("allow root in a user namespace since 1.35, and an unmasked /proc at the baseline level", () => {
    since({ spec: { hostUsers: false }, context: { runAsNonRoot: false } }, "restricted", 35, false);
    since({ spec: { hostUsers: false }, context: { procMount: "Unmasked" } }, "baseline", 35, false);
    expect(violations({ spec: { hostUsers: false }, context: { procMount: "Unmasked" } }, "restricted")).toHaveLength(
      1,
    );
  });
});
