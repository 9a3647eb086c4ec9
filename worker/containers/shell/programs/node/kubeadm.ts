// kubeadm on a node: tokens, certificates and upgrades of the simulated cluster.
import { finished, type Task } from "../../../../../shared/shell/task.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { releaseOf } from "../../../node/packages.ts";
import { notSimulated } from "../../not-simulated.ts";
import type { ProgramCall } from "../../program.ts";
import { certs } from "./kubeadm-certs.ts";
import { token } from "./kubeadm-token.ts";
import { upgrade } from "./kubeadm-upgrade.ts";
import { isOnNode } from "./on-node.ts";

const commandWork = 100;

export function* kubeadm(call: ProgramCall): Task<number> {
  const { args, process, out, err } = call;
  if (!isOnNode(process)) return yield* notSimulated(call);
  charge(process, commandWork);
  const release = releaseOf(process.files, "kubeadm");
  if (release === undefined) {
    err("bash: kubeadm: command not found\n");
    return 127;
  }
  const [command = "", ...rest] = args.filter((arg) => !/^(-v|--v)(=|\d|$)/.test(arg));
  if (command === "version") {
    out(
      rest.some((arg) => /^(-o|--output)(=?short)?$/.test(arg))
        ? `${release}\n`
        : `kubeadm version: &version.Info{Major:"1", Minor:"${release.split(".")[1] ?? ""}", GitVersion:"${release}", GitTreeState:"clean", Compiler:"gc", Platform:"linux/amd64"}\n`,
    );
    return 0;
  }
  const commands: Readonly<Record<string, (call: ProgramCall) => number | Task<number>>> = { token, certs, upgrade };
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (run) return yield* finished(run({ ...call, args: rest }));
  if (command === "config" && rest[0] === "images") return images({ ...call, args: rest.slice(1) }, release);
  if (/^(init|join|reset|config|kubeconfig)$/.test(command)) {
    err(`kubeadm: ${command} is not simulated in this sandbox\n`);
    return 127;
  }
  err(
    `error: unknown command "${command}" for "kubeadm"\nTo see the stack trace of this error execute with --v=5 or higher\n`,
  );
  return 1;
}

function images({ args, out, err }: ProgramCall, release: string): number {
  const [verb = "list"] = args;
  if (verb !== "list" && verb !== "pull") {
    err(`error: unknown command "${verb}" for "kubeadm config images"\n`);
    return 1;
  }
  const all = [
    ...["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"].map(
      (name) => `registry.k8s.io/${name}:${release}`,
    ),
    "registry.k8s.io/coredns/coredns:v1.14.2",
    "registry.k8s.io/pause:3.10.2",
    "registry.k8s.io/etcd:3.6.8-0",
  ];
  for (const image of all) out(verb === "pull" ? `[config/images] Pulled ${image}\n` : `${image}\n`);
  return 0;
}
