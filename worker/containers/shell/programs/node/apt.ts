// apt, apt-cache, apt-mark and dpkg for the packages of Kubernetes on a node.
import type { Task } from "../../../../../shared/shell/task.ts";
import {
  availableVersions,
  installedPackages,
  isKubePackage,
  type KubePackage,
  minorOfRepository,
  statusPath,
  statusText,
} from "../../../node/packages.ts";
import { edit, type Process } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { sleep } from "../../system-call.ts";

function repository(process: Process): string {
  return `https://pkgs.k8s.io/core:/stable:/v${minorOfRepository(process.files) ?? "1.36"}/deb`;
}

/** Runs apt and apt-get on a node; undefined for packages that are not of Kubernetes, so that others handle them. */
export function* nodeApt(call: ProgramCall): Task<number | undefined> {
  const { process, out, args } = call;
  const words = args.filter((arg) => !arg.startsWith("-") && arg !== "--");
  const [command = "", ...packages] = words;
  if (command === "update") {
    yield* sleep(process, 1000);
    out(
      `Hit:1 http://deb.debian.org/debian trixie InRelease\nHit:2 http://deb.debian.org/debian trixie-updates InRelease\nHit:3 ${repository(process)}  InRelease\nReading package lists... Done\n`,
    );
    return 0;
  }
  if (command === "list" || command === "show" || command === "policy")
    return aptCache({ ...call, args: [command, ...packages] });
  if (command !== "install" && command !== "upgrade" && command !== "remove") return undefined;
  if (command === "install" && !packages.some((name) => isKubePackage(name.split("=")[0] ?? ""))) return undefined;
  out("Reading package lists... Done\nBuilding dependency tree... Done\nReading state information... Done\n");
  return yield* change(call, command, packages, args.includes("--allow-change-held-packages"));
}

function* change(
  { process, out, err }: ProgramCall,
  command: "install" | "upgrade" | "remove",
  packages: readonly string[],
  changesHeld: boolean,
): Task<number> {
  const installed = installedPackages(process.files);
  const available = availableVersions(process.files);
  const [newest] = available;
  const targets = new Map<KubePackage, string>();
  for (const [name = "", version] of command === "upgrade"
    ? installed.map((entry) => [entry.name])
    : packages.map((word) => word.split("="))) {
    if (!isKubePackage(name)) continue;
    const entry = installed.find((candidate) => candidate.name === name);
    if (command === "upgrade" && entry?.isHeld) continue;
    const target =
      command === "remove"
        ? ""
        : version === undefined
          ? newest
          : available.find((candidate) => matches(candidate, version));
    if (target === undefined) {
      err(`E: Version '${version ?? ""}' for '${name}' was not found\n`);
      return 100;
    }
    if (entry?.version !== target) targets.set(name, target);
  }
  const held = [...targets.keys()].filter((name) => installed.some((entry) => entry.name === name && entry.isHeld));
  if (held.length > 0 && !changesHeld) {
    out(`The following held packages will be changed:\n  ${held.join(" ")}\n`);
    err("E: Held packages were changed and -y was used without --allow-change-held-packages.\n");
    return 100;
  }
  const names = [...targets.keys()];
  for (const word of packages)
    if (
      isKubePackage(word.split("=")[0] ?? "") &&
      !targets.has(word.split("=")[0] as KubePackage) &&
      command === "install"
    )
      out(
        `${word.split("=")[0] ?? ""} is already the newest version (${installed.find(({ name }) => name === word.split("=")[0])?.version ?? ""}).\n`,
      );
  if (names.length > 0) {
    const verb = command === "remove" ? "REMOVED" : "upgraded";
    out(`The following packages will be ${verb}:\n  ${names.join(" ")}\n`);
  }
  const changed = command === "remove" ? 0 : names.length;
  out(
    `${changed} upgraded, 0 newly installed, ${command === "remove" ? names.length : 0} to remove and 0 not upgraded.\n`,
  );
  if (names.length === 0) return 0;
  yield* sleep(process, 2_000);
  const next = new Map(installed.map((entry) => [entry.name, entry]));
  for (const [name, version] of targets) {
    const before = next.get(name);
    if (version === "") next.delete(name);
    else next.set(name, { name, version, isHeld: before?.isHeld ?? false });
    out(
      version === ""
        ? `Removing ${name} (${before?.version ?? ""}) ...\n`
        : `Get:1 ${repository(process)}  ${name} ${version}\nUnpacking ${name} (${version}) over (${before?.version ?? ""}) ...\nSetting up ${name} (${version}) ...\n`,
    );
  }
  edit(process, { path: statusPath, text: statusText([...next.values()]) });
  return 0;
}

/** Reports whether a version fits what was asked for: `1.36.1-1.1` fits `1.36.1-1.1`, `1.36.1-*` and `1.36.1*`. */
function matches(version: string, pattern: string): boolean {
  return pattern.endsWith("*") ? version.startsWith(pattern.slice(0, -1)) : version === pattern;
}

export function aptCache({ process, out, err, args }: ProgramCall): number {
  const [command = "", ...names] = args.filter((arg) => !arg.startsWith("-"));
  const available = availableVersions(process.files);
  const installed = installedPackages(process.files);
  const kubeNames = names.filter(isKubePackage);
  if (command === "madison") {
    for (const name of kubeNames)
      for (const version of available) out(`${name.padStart(10)} | ${version} | ${repository(process)}  Packages\n`);
    for (const name of names.filter((candidate) => !isKubePackage(candidate)))
      err(`N: Unable to locate package ${name}\n`);
    return 0;
  }
  if (command === "policy") {
    for (const name of kubeNames) {
      const current = installed.find((entry) => entry.name === name)?.version;
      const table = available.map(
        (version) =>
          `${version === current ? " *** " : "     "}${version} 500\n        500 ${repository(process)}  Packages\n${version === current ? "        100 /var/lib/dpkg/status\n" : ""}`,
      );
      out(
        `${name}:\n  Installed: ${current ?? "(none)"}\n  Candidate: ${available[0] ?? "(none)"}\n  Version table:\n${table.join("")}`,
      );
    }
    return 0;
  }
  if (command === "list" || command === "search") {
    out("Listing... Done\n");
    for (const { name, version } of installed)
      if (names.length === 0 || names.includes(name)) out(`${name}/unknown,now ${version} amd64 [installed]\n`);
    return 0;
  }
  if (command === "show") {
    for (const name of kubeNames)
      out(
        `Package: ${name}\nVersion: ${available[0] ?? ""}\nPriority: optional\nSection: admin\nMaintainer: Kubernetes Authors <dev@kubernetes.io>\n\n`,
      );
    return kubeNames.length > 0 ? 0 : 100;
  }
  err(`E: Invalid operation ${command}\n`);
  return 100;
}

export function aptMark({ process, out, err, args }: ProgramCall): number {
  const [command = "", ...names] = args;
  const installed = installedPackages(process.files);
  if (command === "showhold") {
    for (const { name, isHeld } of installed) if (isHeld) out(`${name}\n`);
    return 0;
  }
  if (command !== "hold" && command !== "unhold") {
    err(`E: Invalid operation ${command}\n`);
    return 100;
  }
  const isHeld = command === "hold";
  const next = installed.map((entry) => (names.includes(entry.name) ? { ...entry, isHeld } : entry));
  for (const name of names) {
    const before = installed.find((entry) => entry.name === name);
    if (!before) {
      err(`E: Unable to locate package ${name}\n`);
      return 100;
    }
    if (before.isHeld === isHeld)
      out(isHeld ? `${name} was already set on hold.\n` : `${name} was already not on hold.\n`);
    else out(isHeld ? `${name} set on hold.\n` : `Canceled hold on ${name}.\n`);
  }
  edit(process, { path: statusPath, text: statusText(next) });
  return 0;
}

export function dpkg({ process, out, args }: ProgramCall): number {
  const installed = installedPackages(process.files);
  const names = args.filter((arg) => !arg.startsWith("-"));
  const listed = installed.filter(({ name }) => names.length === 0 || names.some((pattern) => matches(name, pattern)));
  if (!args.some((arg) => /^-l$|^--list$/.test(arg))) return 2;
  out(
    "Desired=Unknown/Install/Remove/Purge/Hold\n| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend\n|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)\n||/ Name           Version      Architecture Description\n+++-==============-============-============-=================================\n",
  );
  for (const { name, version, isHeld } of listed)
    out(`${isHeld ? "hi" : "ii"}  ${name.padEnd(14)} ${version.padEnd(12)} amd64        Kubernetes\n`);
  return 0;
}
