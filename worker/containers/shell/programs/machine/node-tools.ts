// Programs for debugging a node: chroot into its files, and systemd's tools for its services.
import { finished, type Task } from "../../../../../shared/shell/task.ts";
import { inner } from "../../inner.ts";
import { notSimulated } from "../../not-simulated.ts";
import { absolute, newFiles } from "../../files.ts";
import { chargeForBuilding, charge } from "../../../../../shared/shell/meter.ts";
import { edit, type Process } from "../../process.ts";
import { type ProgramCall, type Programs } from "../../program.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { crictl } from "./crictl.ts";
import { kubeletLines } from "./kubelet-lines.ts";
import { listNodePods } from "../../system-call.ts";
import { scoped } from "../../shell.ts";

export const nodePrograms: Programs = { chroot, nsenter, systemctl, journalctl, crictl };

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
    mounts: [],
    self: { ...process.self, image: "debian" },
  };
}

const services: Readonly<Record<string, readonly [description: string, command: string]>> = {
  kubelet: [
    "kubelet: The Kubernetes Node Agent",
    "/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml --kubeconfig=/etc/kubernetes/kubelet.conf",
  ],
  containerd: ["containerd container runtime", "/usr/local/bin/containerd"],
};

function moment(ms: number): string {
  const text = new Date(ms).toUTCString();
  return `${text.slice(0, 3)} ${new Date(ms).toISOString().slice(0, 10)} ${text.slice(17, 25)} UTC`;
}

const upMs = 12 * 86_400_000;
/** The number of journal lines below a status. */
const journalLines = 10;

/** Prints the state of services. They cannot be changed. */
function* systemctl(call: ProgramCall): Task<number> {
  const { out, err, process, args } = call;
  const [verb = "", ...names] = options(args).rest;
  const [name = ""] = names.map((serviceName) => serviceName.replace(/\.service$/, ""));
  const service = Object.hasOwn(services, name) ? services[name] : undefined;
  if (verb === "is-active" || verb === "is-enabled") {
    out(
      `${service ? (verb === "is-active" ? "active" : "enabled") : verb === "is-active" ? "inactive" : "not-found"}\n`,
    );
    return service ? 0 : verb === "is-active" ? 3 : 4;
  }
  if (verb === "status" && service) {
    const since = process.clockMs - upMs;
    out(
      `● ${name}.service - ${service[0]}\n     Loaded: loaded (/usr/lib/systemd/system/${name}.service; enabled; preset: enabled)\n     Active: active (running) since ${moment(since)}; 1 week 5 days ago\n   Main PID: ${name === "kubelet" ? 742 : 611} (${name})\n     CGroup: /system.slice/${name}.service\n             └─${name === "kubelet" ? 742 : 611} ${service[1]}\n\n`,
    );
    for (const line of (yield* journalOf(process, name)).slice(-journalLines)) out(`${line}\n`);
    return 0;
  }
  err(
    service || name === ""
      ? `systemctl: ${verb === "" ? "list-units" : verb} is not simulated in this sandbox\n`
      : `Unit ${name}.service could not be found.\n`,
  );
  return service || name === "" ? 127 : 4;
}

/** Prints the log of a service. The kubelet's log is about the node's pods. */
function* journalctl({ out, process, args }: ProgramCall): Task<number> {
  const { values } = options(args, "uno");
  const name = (values.get("u") ?? values.get("unit") ?? "").replace(/\.service$/, "");
  if (!Object.hasOwn(services, name)) {
    out("-- No entries --\n");
    return 0;
  }
  const lines = yield* journalOf(process, name);
  const count = values.get("n") ?? values.get("lines");
  const lastLines = count === undefined ? lines : lines.slice(Math.max(0, lines.length - Number(count)));
  for (const line of lastLines) out(`${line}\n`);
  return 0;
}

function* journalOf(process: Process, name: string): Task<readonly string[]> {
  const host = process.world.node?.name ?? process.host;
  const stamp = (ms: number) => {
    const text = new Date(ms).toUTCString();
    return `${text.slice(8, 11)} ${text.slice(5, 7)} ${text.slice(17, 25)} ${host}`;
  };
  const first = `${stamp(process.clockMs - upMs)} systemd[1]: Started ${name}.service - ${services[name]?.[0] ?? ""}.`;
  if (name !== "kubelet") return [first];
  const podLines = kubeletLines(yield* listNodePods(process), process.clockMs);
  charge(process, podLines.length);
  return [first, ...podLines.map(({ atMs, text }) => `${stamp(atMs)} kubelet[742]: ${text}`)];
}
