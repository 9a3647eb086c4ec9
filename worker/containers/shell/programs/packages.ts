// Package managers. Installed programs can be run in the container until it ends.
import type { Task } from "../../../../shared/shell/task.ts";
import { programsOfPackage } from "../../../../shared/contract/cluster/image/packages.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { edit } from "../process.ts";
import { sleep } from "../system-call.ts";
import { type ProgramCall, type Programs } from "../program.ts";
import { nodeApt } from "./node/apt.ts";
import { isOnNode } from "./node/on-node.ts";
import { options } from "../../../../shared/shell/options.ts";

export const packagePrograms: Programs = {
  apt: debian,
  "apt-get": debian,
  apk: alpine,
  yum: fedora,
  dnf: fedora,
  microdnf: fedora,
};

const lists = "/var/lib/apt/lists/deb.debian.org";

function* install(call: ProgramCall, packages: readonly string[]): Task<void> {
  for (const packageName of packages) {
    charge(call.process, 1);
    for (const program of programsOfPackage(packageName)) {
      edit(call.process, { path: `/usr/bin/${program}`, text: "", mode: 0o755 });
    }
  }
  yield* sleep(call.process, 1000 * packages.length);
}

function* debian(call: ProgramCall): Task<number> {
  const onNode = isOnNode(call.process) ? yield* nodeApt(call) : undefined;
  if (onNode !== undefined) return onNode;
  const { process, out, err, name } = call;
  const { rest } = options(
    call.args.filter((arg) => !arg.startsWith("--")),
    "ot",
  );
  const [command = "", ...packages] = rest;
  if (process.self.uid !== 0 && command !== "") {
    err("E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\n");
    return 100;
  }
  if (command === "update") {
    yield* sleep(process, 1000);
    edit(process, { path: lists, text: "" });
    out(
      "Get:1 http://deb.debian.org/debian bookworm InRelease [151 kB]\nGet:2 http://deb.debian.org/debian bookworm-updates InRelease [55.4 kB]\nGet:3 http://deb.debian.org/debian-security bookworm-security InRelease [48.0 kB]\nGet:4 http://deb.debian.org/debian bookworm/main amd64 Packages [8793 kB]\nFetched 9048 kB in 1s (8911 kB/s)\nReading package lists... Done\n",
    );
    return 0;
  }
  if (command !== "install") return 0;
  out("Reading package lists... Done\nBuilding dependency tree... Done\nReading state information... Done\n");
  const hasLists = process.programs === undefined || process.files.has(lists);
  if (!hasLists) {
    for (const packageName of packages) err(`E: Unable to locate package ${packageName}\n`);
    return packages.length > 0 ? 100 : 0;
  }
  const count = packages.length;
  out(
    `The following NEW packages will be installed:\n  ${packages.join(" ")}\n0 upgraded, ${count} newly installed, 0 to remove and 0 not upgraded.\n${packages.map((packageName) => `Setting up ${packageName} ...\n`).join("")}`,
  );
  if (name === "apt") err("\nWARNING: apt does not have a stable CLI interface. Use with caution in scripts.\n\n");
  yield* install(call, packages);
  return 0;
}

function* alpine(call: ProgramCall): Task<number> {
  const { out, process } = call;
  const { rest } = options(
    call.args.filter((arg) => !arg.startsWith("--")),
    "tX",
  );
  const [command = "", ...packages] = rest;
  if (command !== "add" && command !== "update") return 0;
  yield* sleep(process, 500);
  out(
    "fetch https://dl-cdn.alpinelinux.org/alpine/v3.22/main/x86_64/APKINDEX.tar.gz\nfetch https://dl-cdn.alpinelinux.org/alpine/v3.22/community/x86_64/APKINDEX.tar.gz\n",
  );
  if (command === "update") return 0;
  for (const [index, packageName] of packages.entries())
    out(`(${index + 1}/${packages.length}) Installing ${packageName}\n`);
  yield* install(call, packages);
  out("OK: 9 MiB in 16 packages\n");
  return 0;
}

function* fedora(call: ProgramCall): Task<number> {
  const { rest } = options(call.args.filter((arg) => !arg.startsWith("--")));
  const [command = "", ...packages] = rest;
  if (command !== "install") return 0;
  yield* install(call, packages);
  call.out(`Installed:\n${packages.map((packageName) => `  ${packageName}\n`).join("")}\nComplete!\n`);
  return 0;
}
