// Starts nginx: checks its configuration, opens its ports, and prints its messages.
import type { Task } from "../../../../shared/shell/task.ts";
import type { Files } from "../../shell/files.ts";
import { listenAs } from "../../shell/listen.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { resolve } from "../../shell/programs/names/resolve.ts";
import type { Server } from "../../shell/server.ts";
import { errorTime } from "../../shell/log-lines.ts";
import { nginxPage, productOf } from "./answer.ts";
import { nginxProblem } from "./check.ts";
import { confOf, directive, nginxPorts } from "./configuration.ts";
import { versionOf } from "./version.ts";

const startLog = `/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty, will attempt to perform configuration
/docker-entrypoint.sh: Looking for shell scripts in /docker-entrypoint.d/
/docker-entrypoint.sh: Launching /docker-entrypoint.d/10-listen-on-ipv6-by-default.sh
10-listen-on-ipv6-by-default.sh: info: Getting the checksum of /etc/nginx/conf.d/default.conf
10-listen-on-ipv6-by-default.sh: info: Enabled listen on IPv6 in /etc/nginx/conf.d/default.conf
/docker-entrypoint.sh: Sourcing /docker-entrypoint.d/15-local-resolvers.envsh
/docker-entrypoint.sh: Launching /docker-entrypoint.d/20-envsubst-on-templates.sh
/docker-entrypoint.sh: Launching /docker-entrypoint.d/30-tune-worker-processes.sh
/docker-entrypoint.sh: Configuration complete; ready for start up
`;

/** Returns the lines that nginx prints at its start, at the level of its image's configuration. */
function noticesOf(atMs: number, version: string): string {
  const lines = [
    'using the "epoll" event method',
    `nginx/${version}`,
    "built by gcc 14.2.0 (Debian 14.2.0-19) ",
    "OS: Linux 6.12.0",
    "getrlimit(RLIMIT_NOFILE): 1048576:1048576",
    "start worker processes",
    "start worker process 29",
  ];
  return lines.map((line) => `${errorTime(atMs)} [notice] 1#1: ${line}\n`).join("");
}

export const nginxServer: Server = {
  answer: (visit) => ({ ...nginxPage(visit), product: productOf(visit), keepsAlive: true }),
};

export function* nginx(call: ProgramCall): Task<number> {
  const { process, args, err } = call;
  const { files, clockMs } = process;
  const isSignal = args.includes("-s");
  const problem = isSignal
    ? undefined
    : yield* nginxProblem(files, function* (host) {
        return (yield* resolve(process, host)) !== undefined;
      });
  if (problem !== undefined) return fail(call, problem);
  if (tell(call) || args.some((arg) => /^(--version|--help)$/.test(arg))) return 0;
  err(startLog);
  if (logsNotices(files)) err(noticesOf(clockMs, versionIn(call)));
  const ports = nginxPorts(files);
  return yield* listenAs(call, nginxServer, ports.length > 0 ? ports : [80]);
}

function fail({ args, err, process }: ProgramCall, problem: string): number {
  if (args.length === 0 || args.includes("-g")) err(startLog);
  if (!args.includes("-t")) err(`${errorTime(process.clockMs)} [emerg] 1#1: ${problem}\n`);
  err(`nginx: [emerg] ${problem}\n`);
  if (args.includes("-t")) err("nginx: configuration file /etc/nginx/nginx.conf test failed\n");
  return 1;
}

/** Prints the output of `nginx -t`, `nginx -s reload` and `nginx -v`. Returns false for other arguments. */
function tell(call: ProgramCall): boolean {
  const { args, err, process } = call;
  if (args.includes("-t")) {
    const path = "/etc/nginx/nginx.conf";
    err(`nginx: the configuration file ${path} syntax is ok\nnginx: configuration file ${path} test is successful\n`);
  } else if (args.includes("-s")) err(`${errorTime(process.clockMs)} [notice] 33#33: signal process started\n`);
  else if (args.includes("-v") || args.includes("-V")) err(`nginx version: nginx/${versionIn(call)}\n`);
  else return false;
  return true;
}

function versionIn({ shell, process }: ProgramCall): string {
  return shell.variables.get("NGINX_VERSION") ?? versionOf(process.self.image);
}

/** Reports whether the configuration logs more than errors. */
function logsNotices(files: Files): boolean {
  const level = directive(confOf(files).directives, "error_log")?.args[1] ?? "error";
  return ["notice", "info", "debug"].includes(level);
}
