// The table of programs, and the handling of unknown programs.
import { absolute } from "./files.ts";
import { healthProbePrograms } from "./programs/health-probe.ts";
import { archivePrograms } from "./programs/copying/tar.ts";
import { filePrograms } from "./programs/files.ts";
import { builtins } from "../../../shared/shell/builtins/catalogue.ts";
import { isBuiltin } from "../../../shared/shell/builtins/names.ts";
import { lackedPrograms, productPrograms } from "../products/programs.ts";
import { scriptInPath } from "./program-paths.ts";
import { isInstalled, isThere } from "./program-lookup.ts";
import { complain } from "../../../shared/shell/evaluate/complaints.ts";
import { notSimulated } from "./not-simulated.ts";
import { machinePrograms } from "./programs/machine/memory-disk.ts";
import { nodePrograms } from "./programs/machine/node-tools.ts";
import { networkPrograms } from "./programs/machine/network.ts";
import { namePrograms } from "./programs/names/names.ts";
import { interpreterPrograms } from "./programs/interpreters.ts";
import { sqlitePrograms } from "../databases/sqlite.ts";
import { netPrograms } from "./programs/net.ts";
import { jobPrograms } from "./jobs.ts";
import { packagePrograms } from "./programs/packages.ts";
import { selfPrograms } from "./programs/machine/self.ts";
import { fixedPrograms } from "./programs/fixed.ts";
import { responsesPrograms } from "./programs/responses.ts";
import { systemPrograms } from "./programs/system.ts";
import { testPrograms } from "./programs/test.ts";
import { opensslPrograms } from "./programs/openssl/openssl.ts";
import { sumPrograms } from "./programs/copying/sums.ts";
import { textPrograms } from "./programs/text.ts";
import { timePrograms } from "./programs/time.ts";
import { charge, leaveLevel, enterLevel } from "../../../shared/shell/meter.ts";
import { after, type Deferred, finished, type Task } from "../../../shared/shell/task.ts";
import type { ProgramCall, Program } from "./program.ts";
import { scoped, type Shell, subshell } from "./shell.ts";

/** Commands of the shells themselves, by name. */
const ownPrograms: ReadonlyMap<string, Program> = new Map(
  Object.entries({ ...builtins, ...jobPrograms, ...testPrograms }),
);

export const programs: ReadonlyMap<string, Program> = new Map([
  ...Object.entries({
    ...timePrograms,
    ...filePrograms,
    ...archivePrograms,
    ...systemPrograms,
    ...netPrograms,
    ...namePrograms,
    ...packagePrograms,
    ...textPrograms,
    ...sumPrograms,
    ...opensslPrograms,
    ...fixedPrograms,
    ...responsesPrograms,
    ...selfPrograms,
    ...networkPrograms,
    ...nodePrograms,
    ...machinePrograms,
    ...healthProbePrograms,
    ...interpreterPrograms,
    ...sqlitePrograms,
  }),
  ...productPrograms,
  ...ownPrograms,
]);

/** Programs that print nothing and whose effects are not visible here. */
const silent = new Set("umount ldconfig stty sync crond depmod modprobe xtrabackup xbstream".split(" "));

/** Programs that lessons call and that are not simulated, whatever the image. */
const unsimulatedPrograms = new Set(
  `git hg svn unzip zip yarn npx tcpdump iptables ip6tables nft conntrack tc bridge ethtool nvim emacs ed yq ssh scp
   ssh-keygen sftp rsync gpg gcc g++ cc c++ make cmake go cargo rustc mvn gradle javac dotnet perl lua helm kustomize docker podman
   nerdctl buildah skopeo minikube kind terraform aws gcloud az xz unxz bzip2 bunzip2 zstd cpio ar strace ltrace gdb perf htop iftop iotop
   iostat mpstat vmstat sar nmap mtr traceroute tracepath arping iperf iperf3 netperf ab hey wrk siege fio sysbench tmux screen watch
   certbot kafka-topics.sh kafka-console-producer.sh
    kafka-console-consumer.sh consul vault setcap getcap unshare lsof fuser pmap ctr`.split(/\s+/),
);

export function runProgram(shell: Shell, path: string, args: readonly string[]): Deferred<void> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const { process } = shell;
  const call: ProgramCall = { shell, process, name, path, args, input: shell.input, out: shell.out, err: shell.err };
  charge(process, 0.5 + args.length / 20);
  enterLevel(process);
  const builtin = path === name && isBuiltin(shell, name) ? ownPrograms.get(name) : undefined;
  const program = builtin ?? (isThere(shell, path) ? (programs.get(path) ?? programs.get(name)) : undefined);
  const code = program ? program(call) : runFileOrUnknown(call, path);
  return after(code, (exitCode) => {
    shell.exitCode = exitCode;
    leaveLevel(process);
  });
}

function* runFileOrUnknown(call: ProgramCall, path: string): Task<number> {
  const { shell, process, name } = call;
  const scriptPath = path.includes("/") ? path : scriptInPath(process.files, shell.variables.get("PATH"), path);
  const file = scriptPath === undefined ? undefined : absolute(scriptPath, shell.folder);
  const script = file === undefined ? undefined : process.files.get(file);
  if (script?.text !== undefined)
    return yield* started({ ...call, path: scriptPath ?? path }, script.text, script.mode);
  if (file !== undefined && process.files.isFolder(file)) {
    complain(shell, {
      ash: `${path}: Permission denied`,
      dash: `${path}: Permission denied`,
      bash: `${path}: Is a directory`,
    });
    return 126;
  }
  if (!isThere(shell, path)) return notFound(call, path);
  if (silent.has(name)) return 0;
  // If the image is not known, a typed name that the simulator does not know is not found.
  const isKnown =
    process.programs !== undefined ||
    unsimulatedPrograms.has(name) ||
    lackedPrograms.has(name) ||
    isInstalled(process.files, name);
  if (shell.source === "typed" && file === undefined && !isKnown) return notFound(call, path);
  return yield* notSimulated(call);
}

function notFound({ shell }: ProgramCall, path: string): number {
  const missing = `${path}: ${path.includes("/") ? "No such file or directory" : "command not found"}`;
  complain(shell, { ash: `${path}: not found`, dash: `${path}: not found`, bash: missing });
  return 127;
}

/** Runs a file: by the interpreter that its first line names, or by the shell. */
function* started(call: ProgramCall, text: string, mode: number): Task<number> {
  const { shell, process, path, args } = call;
  if ((mode & 0o111) === 0 && process.knowsFiles) {
    complain(shell, `${path}: Permission denied`);
    return 126;
  }
  // A binary that was copied into the container cannot be run.
  if (text.startsWith("\u007fELF")) return yield* notSimulated(call);
  const [, interpreter] = /^#!\s*([^\n]*)/.exec(text) ?? [];
  const [program = shell.dialect === "bash" ? "bash" : "sh", ...interpreterArgs] = (interpreter ?? "")
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
  const words = program.endsWith("/env")
    ? interpreterArgs.filter((word) => word !== "-S")
    : [program, ...interpreterArgs];
  return yield* finished(
    scoped(shell, function* () {
      const nested = { ...subshell(shell), last: shell.last };
      const [first = ""] = words;
      if (!isThere(nested, first, true)) {
        complain(shell, {
          ash: `${path}: not found`,
          dash: `${path}: not found`,
          bash: `${path}: cannot execute: required file not found`,
        });
        return 127;
      }
      yield* shell.run(nested, [...words, path, ...args]);
      return nested.exitCode;
    }),
  );
}
