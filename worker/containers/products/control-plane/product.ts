// The programs of the control plane. The cluster does not depend on what they serve: they check their flags and files as the real ones
// do, and end if something is wrong.
import { readAuditPolicy } from "../../../../shared/k8s/audit/policy.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { image } from "../../images/known-image.ts";
import { missingEncryptionConfig, readEncryptionConfig } from "../../node/encryption-config.ts";
import { kubeletLine } from "../../node/units.ts";
import { listenAs } from "../../shell/listen.ts";
import type { Program, ProgramCall } from "../../shell/program.ts";
import type { Page, Server } from "../../shell/server.ts";
import { sleep } from "../../shell/system-call.ts";
import type { Product } from "../module.ts";
import { type Flags, flagsOf } from "../../../machine/flags.ts";
import { knownFlags, missingFile } from "./flags.ts";

const plain = { contentType: "text/plain; charset=utf-8", mayBeTls: true } as const;
const server: Server = { answer: (): Page => ({ ...plain, body: "ok" }) };
/** An API server without anonymous requests refuses probes, as upstream's does. */
const strictServer: Server = { answer: (): Page => ({ ...plain, body: "Unauthorized\n", status: 401 }) };

const mebibyte = 1024 * 1024;
/** The exit code of klog's fatal errors. */
const fatal = 255;
/** The time for which an API server waits for its storage. */
const storageMs = 20_000;

const authorizationModes = new Set(["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"]);
const admissionPlugins = new Set(
  `AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction
   DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyServiceExternalIPs EventRateLimit
   ExtendedResourceToleration ImagePolicyWebhook LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy
   MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeRestriction
   OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PodNodeSelector PodSecurity PodTolerationRestriction
   PodTopologyLabels Priority ResourceQuota RuntimeClass ServiceAccount StorageObjectInUseProtection TaintNodesByCondition
   ValidatingAdmissionPolicy ValidatingAdmissionWebhook`.split(/\s+/),
);

/** Prints an error as upstream's command line does. Returns the exit code. */
function failed({ process, err }: ProgramCall, error: string): number {
  err(`${kubeletLine(process.clockMs, "E", 1, "run.go:72", `"command failed" err=${JSON.stringify(error)}`)}\n`);
  return 1;
}

function unknownFlag(call: ProgramCall, flags: Flags): number | undefined {
  const ownFlags = knownFlags[call.name];
  const unknown = [...flags.keys()].find((name) => ownFlags && !ownFlags.has(name));
  if (unknown === undefined) return undefined;
  call.err(`Error: unknown flag: --${unknown}\nUsage:\n  ${call.name} [flags]\n`);
  return 1;
}

/** Returns a program that checks its flags and serves at a port. `check`: prints an error and returns the exit code. */
function component(port: number, check: (call: ProgramCall, flags: Flags) => number | undefined): Program {
  return function* (call) {
    const flags = flagsOf(call.args);
    if (flags.has("version")) {
      call.out("Kubernetes v1.36.0\n");
      return 0;
    }
    const code = unknownFlag(call, flags) ?? check(call, flags);
    if (code !== undefined) return code;
    const storage = flags.get("etcd-servers");
    if (storage !== undefined && !isStorage(storage)) {
      const address = storage.replace(/^https?:\/\//, "").split(",")[0] ?? "";
      for (let waitedMs = 0; waitedMs < storageMs; waitedMs += 5_000) {
        call.err(
          `${kubeletLine(call.process.clockMs, "W", 1, "logging.go:55", `[core] [Channel #1 SubChannel #2] grpc: addrConn.createTransport failed to connect to {Addr: "${address}", ServerName: "${address}", }. Err: connection error: desc = "transport: Error while dialing: dial tcp ${address}: connect: connection refused"`)}\n`,
        );
        yield* sleep(call.process, 5_000);
      }
      call.err(
        `${kubeletLine(call.process.clockMs, "E", 1, "instance.go:233", "Error creating leases: error creating storage factory: context deadline exceeded")}\n`.replace(
          /^E/,
          "F",
        ),
      );
      return fatal;
    }
    const chosen = Number(flags.get("secure-port") ?? port);
    const answers = flags.get("anonymous-auth") === "false" ? strictServer : server;
    return yield* listenAs(call, answers, [Number.isInteger(chosen) ? chosen : port]);
  };
}

function isStorage(servers: string): boolean {
  return servers.split(",").every((url) => /^https:\/\/[\w.-]+:2379$/.test(url));
}

function checkApiServer(call: ProgramCall, flags: Flags): number | undefined {
  const mode = (flags.get("authorization-mode") ?? "")
    .split(",")
    .find((name) => name !== "" && !authorizationModes.has(name));
  if (mode !== undefined) return failed(call, `authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
  for (const flag of ["enable-admission-plugins", "disable-admission-plugins"]) {
    const plugin = (flags.get(flag) ?? "").split(",").find((name) => name !== "" && !admissionPlugins.has(name));
    if (plugin !== undefined) return failed(call, `${flag} plugin ${JSON.stringify(plugin)} is unknown`);
  }
  const [enabled, disabled] = ["enable-admission-plugins", "disable-admission-plugins"].map((flag) =>
    (flags.get(flag) ?? "").split(",").filter((name) => name !== ""),
  );
  const both = enabled?.filter((name) => disabled?.includes(name)) ?? [];
  if (both.length > 0)
    return failed(call, `[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  return (
    fileProblem(call, flags, "audit-policy-file", auditProblem) ??
    missingFiles(call, flags) ??
    fileProblem(call, flags, "encryption-provider-config", encryptionProblem)
  );
}

/** Ends the program if the file of a flag is missing or has an error. */
function fileProblem(
  call: ProgramCall,
  flags: Flags,
  flag: string,
  problemOf: (text: string | undefined, path: string) => string | undefined,
): number | undefined {
  const path = flags.get(flag) ?? "";
  if (path === "") return undefined;
  const text = call.process.files.get(path)?.text;
  charge(call.process, (text?.length ?? 0) / 100);
  const problem = problemOf(text, path);
  return problem === undefined ? undefined : failed(call, problem);
}

function readProblem(result: object | string): string | undefined {
  return typeof result === "string" ? result : undefined;
}

function encryptionProblem(text: string | undefined, path: string): string | undefined {
  return text === undefined ? missingEncryptionConfig(path) : readProblem(readEncryptionConfig(text, path));
}

function auditProblem(text: string | undefined, path: string): string | undefined {
  const failure = (why: string) => `loading audit policy file: ${why}`;
  if (text === undefined)
    return failure(`failed to read file path ${JSON.stringify(path)}: open ${path}: no such file or directory`);
  const problem = readProblem(readAuditPolicy(text, path));
  return problem === undefined ? undefined : failure(problem);
}

function missingFiles(call: ProgramCall, flags: Flags): number | undefined {
  return missing(call, flags, [
    "client-ca-file",
    "tls-cert-file",
    "tls-private-key-file",
    "etcd-cafile",
    "etcd-certfile",
    "etcd-keyfile",
    "kubelet-client-certificate",
    "kubelet-client-key",
    "kubelet-certificate-authority",
    "proxy-client-cert-file",
    "proxy-client-key-file",
    "requestheader-client-ca-file",
    "service-account-key-file",
    "service-account-signing-key-file",
    "admission-control-config-file",
    "token-auth-file",
    "authentication-config",
    "authorization-config",
    "audit-webhook-config-file",
  ]);
}

function missing(call: ProgramCall, flags: Flags, fileFlags: readonly string[]): number | undefined {
  const file = missingFile(call, flags, fileFlags);
  return file && failed(call, `open ${file.path}: no such file or directory`);
}

function checkManager(call: ProgramCall, flags: Flags): number | undefined {
  const kubeconfig = missingFile(call, flags, ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"]);
  if (kubeconfig) return failed(call, `stat ${kubeconfig.path}: no such file or directory`);
  const root = missingFile(call, flags, ["root-ca-file"]);
  if (root)
    return failed(call, `error reading root-ca-file at ${root.path}: open ${root.path}: no such file or directory`);
  return missing(call, flags, [
    "client-ca-file",
    "cluster-signing-cert-file",
    "cluster-signing-key-file",
    "requestheader-client-ca-file",
    "service-account-private-key-file",
  ]);
}

function checkScheduler(call: ProgramCall, flags: Flags): number | undefined {
  const kubeconfig = missingFile(call, flags, [
    "kubeconfig",
    "config",
    "authentication-kubeconfig",
    "authorization-kubeconfig",
  ]);
  return kubeconfig && failed(call, `stat ${kubeconfig.path}: no such file or directory`);
}

const etcd: Program = function* (call) {
  const flags = flagsOf(call.args);
  if (flags.has("version")) {
    call.out(
      "etcd Version: 3.6.8\nGit SHA: Not provided (use ./build instead of go build)\nGo Version: go1.25.5\nGo OS/Arch: linux/amd64\n",
    );
    return 0;
  }
  const file = missingFile(call, flags, [
    "cert-file",
    "key-file",
    "trusted-ca-file",
    "peer-cert-file",
    "peer-key-file",
    "peer-trusted-ca-file",
  ]);
  if (file) {
    const line = {
      level: "fatal",
      ts: new Date(call.process.clockMs).toISOString(),
      caller: "etcdmain/etcd.go:202",
      msg: "discovery failed",
      error: `open ${file.path}: no such file or directory`,
    };
    call.err(`${JSON.stringify(line)}\n`);
    return 1;
  }
  const ports = ["listen-client-urls", "listen-peer-urls", "listen-metrics-urls"].flatMap((name) =>
    [...(flags.get(name) ?? "").matchAll(/:(\d+)\b/g)].map(([, port]) => Number(port)),
  );
  return yield* listenAs(call, server, ports.length > 0 ? [...new Set(ports)] : [2379, 2380]);
};

export const controlPlane: Product = {
  names: [],
  images: {
    "kube-apiserver": image(30 * mebibyte, "kube-apiserver"),
    "kube-controller-manager": image(24 * mebibyte, "kube-controller-manager"),
    "kube-scheduler": image(19 * mebibyte, "kube-scheduler"),
    "registry.k8s.io/etcd": image(24 * mebibyte, "etcd"),
    "kindest/node": image(340 * mebibyte, "sleep infinity", { family: "debian" }),
  },
  programs: {
    "kube-apiserver": component(6443, checkApiServer),
    "kube-controller-manager": component(10257, checkManager),
    "kube-scheduler": component(10259, checkScheduler),
    etcd,
  },
};
