// Commands of a RUN that install packages of the simulator.
import { knownPackage, npmPackages, pipPackages } from "../../shared/contract/cluster/image/packages.ts";
import type { BuildCommand, CommandCall } from "./command.ts";
import { optionsOf } from "./run-options.ts";

export const packageCommands: Readonly<Record<string, BuildCommand>> = {
  "apt-get": distribution("install"),
  apt: distribution("install"),
  apk: distribution("add"),
  yum: distribution("install"),
  dnf: distribution("install"),
  microdnf: distribution("install"),
  pip: pipCommand,
  pip3: pipCommand,
  python: pythonCommand,
  python3: pythonCommand,
  npm: npmCommand,
};

/** Commands that have no effect on a simulated image. */
const commandsWithoutEffect = /^(update|upgrade|dist-upgrade|clean|autoclean|autoremove|remove|purge|del|makecache)$/;

function distribution(installs: string): BuildCommand {
  return (call) => {
    const { rest } = optionsOf(call.args, "-t --virtual -o --option --repository -X --target-release");
    const [command = "", ...packages] = rest;
    if (commandsWithoutEffect.test(command)) return;
    if (command !== installs) call.refuse(`${call.name} ${command} is not supported`);
    for (const packageName of packages) {
      const programs = knownPackage(packageName.replace(/[=<>~@].*$/, ""));
      if (!programs) return call.refuse(`the simulator does not know the package ${packageName}`);
      for (const program of programs) call.layers.programs.add(program);
    }
  };
}

/** The packages of pip itself. */
const pipsOwn = new Set(["pip", "setuptools", "wheel"]);

function pipCommand(call: CommandCall): void {
  const { rest, valueOf } = optionsOf(
    call.args,
    "-r --requirement -i --index-url --extra-index-url -c --constraint -t --target --root-user-action --timeout",
  );
  const [command = "", ...names] = rest;
  if (command === "cache" || command === "check") return;
  if (command !== "install") return call.refuse(`pip ${command} is not supported`);
  const file = valueOf("-r", "--requirement");
  for (const requirement of [...names, ...(file === undefined ? [] : requirements(call, file))]) {
    const name = /^[A-Za-z0-9._-]+/.exec(requirement)?.[0].toLowerCase().replace(/[._]/g, "-") ?? requirement;
    if (pipsOwn.has(name)) continue;
    if (!(pipPackages as readonly string[]).includes(name))
      return call.refuse(`the simulated Python has no ${requirement}; it has ${pipPackages.join(", ")}`);
    call.layers.pip.add(name);
  }
}

function requirements(call: CommandCall, path: string): string[] {
  const bytes = call.layers.files.get(call.pathOf(path))?.bytes;
  if (!bytes) return call.refuse(`there is no ${path} in the image: COPY it before this RUN`);
  return new TextDecoder()
    .decode(bytes)
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("-"));
}

function pythonCommand(call: CommandCall): void {
  const [option, module, ...args] = call.args;
  if (option === "-m" && (module === "pip" || module === "pip3")) return pipCommand({ ...call, args });
  return call.refuse("programs of Python are not run while an image is built");
}

function npmCommand(call: CommandCall): void {
  const { rest } = optionsOf(call.args, "--prefix --omit --only --loglevel");
  const [command = "", ...names] = rest;
  if (command === "cache") return;
  if (!/^(i|install|ci|add)$/.test(command)) return call.refuse(`npm ${command} is not supported`);
  for (const dependency of names.length > 0 ? names : dependencies(call)) {
    const name = dependency.replace(/(.)@.*$/, "$1");
    if (name === "npm") continue;
    if (!(npmPackages as readonly string[]).includes(name))
      return call.refuse(`the simulated Node.js has no ${dependency}; it has ${npmPackages.join(", ")}`);
    call.layers.npm.add(name);
  }
}

function dependencies(call: CommandCall): string[] {
  const bytes = call.layers.files.get(call.pathOf("package.json"))?.bytes;
  if (!bytes) return call.refuse(`there is no package.json in ${call.folder}: COPY it before this RUN`);
  try {
    const read = JSON.parse(new TextDecoder().decode(bytes)) as {
      readonly dependencies?: Readonly<Record<string, unknown>>;
    };
    return Object.keys(read.dependencies ?? {});
  } catch {
    return call.refuse("package.json is no JSON");
  }
}
