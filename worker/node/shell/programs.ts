// Which programs there are, and what becomes of those that are not known.
import { absolute, type Files } from "./files.ts";
import { agnhost } from "./agnhost/commands.ts";
import { sampleApiServer } from "./agnhost/sample-apiserver.ts";
import { gatewayPrograms } from "./applications/gateway.ts";
import { applicationPrograms } from "./applications/probes.ts";
import { archivePrograms } from "./programs/copying/tar.ts";
import { filePrograms } from "./programs/files.ts";
import { flowPrograms } from "./programs/flow.ts";
import { namePrograms } from "./programs/names/names.ts";
import { interpreterPrograms } from "./programs/interpreters.ts";
import { mysqlPrograms } from "../databases/mysql-client.ts";
import { redisPrograms } from "../databases/redis/programs.ts";
import { sqlitePrograms } from "../databases/sqlite.ts";
import { mongoPrograms } from "../databases/mongosh.ts";
import { postgresPrograms } from "../databases/psql.ts";
import { databasePrograms } from "../databases/start.ts";
import { netPrograms } from "./programs/net.ts";
import { isInstalled, packagePrograms } from "./programs/packages.ts";
import { selfPrograms } from "./programs/self.ts";
import { serverPrograms } from "./programs/servers.ts";
import { finish, systemPrograms } from "./programs/system.ts";
import { testPrograms } from "./programs/test.ts";
import { textPrograms } from "./programs/text.ts";
import { timePrograms } from "./programs/time.ts";
import { charge, comeBack, enter } from "./meter.ts";
import { advance } from "./process.ts";
import type { Call, Program } from "./program.ts";
import { scoped, type Shell, shellName, subshell } from "./shell.ts";

const ownPrograms: ReadonlyMap<string, Program> = new Map(Object.entries({ ...flowPrograms, ...testPrograms }));

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
    ...serverPrograms,
    ...selfPrograms,
    ...applicationPrograms,
    ...gatewayPrograms,
    ...interpreterPrograms,
    ...databasePrograms,
    ...mysqlPrograms,
    ...postgresPrograms,
    ...sqlitePrograms,
    ...redisPrograms,
    ...mongoPrograms,
    agnhost,
    "sample-apiserver": sampleApiServer,
    // The same under another name, for tests of what is started.
    "agnhost-2": agnhost,
  }),
  ...ownPrograms,
]);

/** Programs that end at once and of which nothing more matters. */
const quick = new Set(
  `wget kubectl gzip gunzip unzip md5sum sha1sum sha256sum openssl git yarn chroot
   umount adduser addgroup useradd groupadd route netstat lsof tcpdump iptables vi less more clear jq yq nginx-reload ssh-keygen
   update-ca-certificates ldconfig locale-gen top stty tty chsh passwd xtrabackup xbstream cmp diff`.split(/\s+/),
);

/** Names of programs that say that they are not there. */
export const absentNames = /does-?not-?exist|non-?existent|not-?found|no-?such/;

/** How long a program that is not known runs when it does not serve. */
const endsAfterMs = 5_000;
const stepMs = 1_000;

export function runProgram(shell: Shell, path: string, args: readonly string[]): void {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const { process } = shell;
  const call: Call = { shell, process, name, path, args, input: shell.input, out: shell.out, err: shell.err };
  charge(process, 0.5 + args.length / 20);
  enter(process);
  const program = isThere(shell, path) ? programs.get(name) : undefined;
  shell.exitCode = program ? program(call) : other(call, path);
  comeBack(process);
}

/** Whether a program can be started: by its name if the image is known, by its path if something is there. */
export function isThere(
  { process }: { readonly process: { readonly programs: ReadonlySet<string> | undefined; readonly files: Files } },
  path: string,
  alone = false,
): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (absentNames.test(name)) return false;
  if (!process.programs || (ownPrograms.has(name) && !alone)) return true;
  return (
    (process.programs.has(name) || isInstalled(process.files, name)) &&
    /^([^/]*|\/(usr\/)?(local\/)?s?bin\/[^/]*)$/.test(path)
  );
}

function other(call: Call, path: string): number {
  const { shell, process, name } = call;
  const script = path.includes("/") ? process.files.get(absolute(path, shell.folder))?.text : undefined;
  if (script !== undefined) {
    return scoped(shell, () => {
      const inner = { ...subshell(shell), parameters: [path, ...call.args] };
      return finish(inner, script.replace(/^#!.*/, ""));
    });
  }
  if (!isThere(shell, path)) {
    call.err(`${shellName(shell)}: ${path}: not found\n`);
    return 127;
  }
  if (quick.has(name)) return 0;
  // What a script goes on after has an end; the last that it runs is what it is there for.
  if (!shell.last || shell.captured) {
    advance(process, stepMs);
    return 0;
  }
  if (process.unknown === "ends") {
    advance(process, endsAfterMs);
    return 0;
  }
  process.heedsTerm = shell.own;
  process.server ??= unknownServer;
  advance(process, Number.POSITIVE_INFINITY);
  return 0;
}

/** It listens wherever it is asked. */
export const unknownServer = "*";
