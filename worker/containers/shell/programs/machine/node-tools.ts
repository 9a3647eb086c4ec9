// Programs for debugging a node: chroot into its files, and the tools of its services.
import { finished, type Task } from "../../../../../shared/shell/task.ts";
import { inner } from "../../inner.ts";
import { notSimulated } from "../../not-simulated.ts";
import { absolute, newFiles } from "../../files.ts";
import { chargeForBuilding, charge } from "../../../../../shared/shell/meter.ts";
import { edit, type Process } from "../../process.ts";
import type { Program, ProgramCall, Programs } from "../../program.ts";
import { aaStatus, apparmorParser } from "../node/apparmor.ts";
import { aptCache, aptMark, dpkg } from "../node/apt.ts";
import { editorPrograms } from "../node/editors.ts";
import { etcdctl } from "../node/etcdctl.ts";
import { kubeadm } from "../node/kubeadm.ts";
import { iptablesSave } from "../node/node-network.ts";
import { isOnNode } from "../node/on-node.ts";
import { crictl } from "./crictl.ts";
import { journalctl } from "../node/journalctl.ts";
import { systemctl } from "../node/systemctl.ts";
import { scoped } from "../../shell.ts";

export const nodePrograms: Programs = {
  chroot,
  nsenter,
  crictl,
  kubeadm,
  etcdctl,
  etcdutl: etcdctl,
  systemctl: onNode(systemctl),
  journalctl: onNode(journalctl),
  "apt-cache": onNode(aptCache),
  "apt-mark": onNode(aptMark),
  dpkg: onNode(dpkg),
  apparmor_parser: onNode(apparmorParser),
  "aa-status": onNode(aaStatus),
  apparmor_status: onNode(aaStatus),
  "iptables-save": iptablesSave,
  ...editorPrograms,
};

/** Returns a program that exists on nodes only. */
function onNode(program: Program): Program {
  return function* (call) {
    return isOnNode(call.process) ? yield* finished(program(call)) : yield* notSimulated(call);
  };
}

/** Runs a command, or a shell, with a folder as its root. Its changes are made in that folder. */
function* chroot(call: ProgramCall): Task<number> {
  const { process, shell, args } = call;
  const [rootName = "", ...command] = args.filter((arg, at) => !(at === 0 && arg.startsWith("--")));
  const root = absolute(rootName, shell.folder);
  if (rootName === "" || !process.files.isFolder(root)) {
    call.err(
      rootName === ""
        ? "chroot: missing operand\n"
        : `chroot: cannot change root directory to '${rootName}': No such file or directory\n`,
    );
    return rootName === "" ? 125 : 1;
  }
  if (process.self.uid !== 0) {
    call.err(`chroot: cannot change root directory to '${rootName}': Operation not permitted\n`);
    return 1;
  }
  const rootedProcess = rooted(process, root);
  const nested = { ...inner(call), process: rootedProcess, folder: "/" };
  yield* finished(scoped(shell, () => shell.run(nested, command.length > 0 ? command : ["bash"])));
  process.clockMs = rootedProcess.clockMs;
  process.version = rootedProcess.version;
  process.paused = rootedProcess.paused;
  process.endless = rootedProcess.endless;
  if (root !== "/")
    for (const { atMs: _at, ...change } of rootedProcess.edits.slice(0))
      edit(process, { ...change, path: root + change.path });
  return nested.exitCode;
}

/** Enters the mounts of the node's first process, if a folder shows the node's files. Other uses are not simulated. */
function* nsenter(call: ProgramCall): Task<number> {
  const at = call.args.findIndex((arg) => !arg.startsWith("-") || arg === "--");
  const flags = at < 0 ? call.args : call.args.slice(0, at);
  const command = at < 0 ? [] : call.args.slice(call.args[at] === "--" ? at + 1 : at);
  const roots = flags.map((arg) => /^(?:--mount=|-m)(\/.+)\/proc\/1\/ns\/mnt$/.exec(arg)?.[1]);
  const [root] = roots;
  if (root === undefined || roots.length > 1) return yield* notSimulated(call);
  if (!call.process.files.isFolder(root)) {
    call.err(`nsenter: cannot open ${root}/proc/1/ns/mnt: No such file or directory\n`);
    return 1;
  }
  return yield* chroot({ ...call, args: [root, ...(command.length > 0 ? command : ["sh"])] });
}

/** Returns a process whose root is a folder. Every program of the node is assumed to exist. */
function rooted(process: Process, root: string): Process {
  const below = process.files.below(root === "/" ? "" : root);
  charge(process, below.length / 4);
  chargeForBuilding(process, below.length * 64);
  const files = newFiles();
  for (const [path, entry] of below) files.set(path.slice(root === "/" ? 0 : root.length), entry);
  files.pays = (units) => void charge(process, units);
  return {
    ...process,
    files,
    edits: [],
    outside: [],
    outsideAt: 0,
    programs: undefined,
    knowsFiles: false,
    mounts: process.mounts.flatMap((mount) =>
      mount.path === (root === "/" ? "" : root) && mount.hostPath === "" ? [{ ...mount, path: "" }] : [],
    ),
    self: { ...process.self, image: "debian" },
  };
}
