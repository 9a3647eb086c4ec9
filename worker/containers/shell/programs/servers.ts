// Programs that serve until they are stopped: which ports they listen on, what they print, how they answer.
import type { Task } from "../../../../shared/shell/task.ts";
import { before, trimmedEnd } from "../../../../shared/base/trim.ts";
import { absolute, type Files, isFolder } from "../files.ts";
import { type ProgramCall, type Programs } from "../program.ts";
import { options } from "../../../../shared/shell/options.ts";
import { Stopped } from "../../../../shared/shell/meter.ts";
import { applications } from "../applications/applications.ts";
import { ingressLog, ingressServer } from "../applications/ingress-nginx.ts";
import { serverParts, serverWith } from "./page.ts";
import { serve } from "../from-outside.ts";
import { nginxProblem } from "./nginx/check.ts";
import { errorTime } from "./nginx/logs.ts";
import { versionOf } from "./nginx/version.ts";
import { confOf, directive, nginxPorts } from "./nginx/tree.ts";
import type { Process } from "../process.ts";
import { resolve } from "./names/resolve.ts";

interface Server {
  readonly ports: readonly number[];
  /** The status of an answer to a request; 200 if it is not said. `ageMs`: since it began to listen. */
  readonly status?: (path: string, ageMs: number, files: Files, port: number) => number;
  readonly prints?: string;
}

const page = (root: string) => (path: string, _: number, files: Files) => {
  const bare = before(path, "?#");
  if (files.get(root + (bare.endsWith("/") ? `${bare}index.html` : bare))?.text !== undefined) return 200;
  return bare.endsWith("/") && isFolder(files, root + bare.slice(0, -1)) ? 403 : 404;
};

const nginxLog = `/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty, will attempt to perform configuration
/docker-entrypoint.sh: Looking for shell scripts in /docker-entrypoint.d/
/docker-entrypoint.sh: Launching /docker-entrypoint.d/10-listen-on-ipv6-by-default.sh
10-listen-on-ipv6-by-default.sh: info: Getting the checksum of /etc/nginx/conf.d/default.conf
10-listen-on-ipv6-by-default.sh: info: Enabled listen on IPv6 in /etc/nginx/conf.d/default.conf
/docker-entrypoint.sh: Sourcing /docker-entrypoint.d/15-local-resolvers.envsh
/docker-entrypoint.sh: Launching /docker-entrypoint.d/20-envsubst-on-templates.sh
/docker-entrypoint.sh: Launching /docker-entrypoint.d/30-tune-worker-processes.sh
/docker-entrypoint.sh: Configuration complete; ready for start up
`;

/** What nginx itself says as it starts, at the level of its image's configuration. */
function nginxNotices(atMs: number, version: string): string {
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

const corednsLog = `.:53
[INFO] plugin/reload: Running configuration SHA512 = 591cf328cccc12bc490481273e738df59329c62c0b729d94e8b61db9961c2fa5f046dd37f1cf888b953814040d180f52594972691cd6ff41be96639138a43908
CoreDNS-1.14.2
linux/amd64, go1.26.1, dd1df4f
`;

const servers: Readonly<Record<string, Server>> = {
  nginx: { ports: [80], prints: nginxLog },
  "nginx-debug": { ports: [80], prints: nginxLog },
  "httpd-foreground": { ports: [80], status: page("/usr/local/apache2/htdocs") },
  "apache2-foreground": { ports: [80] },
  [ingressServer]: { ports: [80, 443, 8443, 10254], prints: ingressLog },
  caddy: { ports: [80, 443, 2019] },
  memcached: { ports: [11211] },
  "rabbitmq-server": { ports: [5672, 15672] },
  pause: { ports: [] },
  coredns: { ports: [53, 8080, 8181, 9153], prints: corednsLog },
  echoserver: { ports: [8080, 8443] },
  whoami: { ports: [80] },
  "hello-app": { ports: [8080], prints: "Server listening on port 8080\n" },
  kubernetes_bootcamp: { ports: [8080], prints: "Kubernetes Bootcamp App Started\n" },
  goproxy: { ports: [8080] },
  "hello-frontend": { ports: [80] },
  "hello-go-gke": { ports: [80] },
  "node-hello": { ports: [8080] },
  liveness: { ports: [8080], status: healthyForAWhile },
  kitten: { ports: [80] },
  nautilus: { ports: [80] },
};

/** Servers that speak a language of their own. */
const mutes = new Set(
  "redis-server memcached postgres mysqld mariadbd mongod rabbitmq-server agnhost/grpc-health-checking".split(" "),
);

/** Servers whose data a statement or a command may change. */
export function isDatabase(server: string): boolean {
  return ["postgres", "mysqld", "mariadbd", "redis-server", "mongod"].includes(serverParts(server).name);
}

export function isMute(server: string): boolean {
  return mutes.has(serverParts(server).name);
}

/** The server of the probes' examples: well for ten seconds, then not. */
function healthyForAWhile(path: string, ageMs: number): number {
  if (path !== "/healthz") return path === "/" || path === "/started" ? 200 : 404;
  return ageMs < 10_000 ? 200 : 500;
}

export const serverPrograms: Programs = {
  ...Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, (call: ProgramCall) => run(call, name, server)]),
  ),
  ...Object.fromEntries(
    Object.entries(applications).map(([name, { ports, prints = "", reads = [] }]) => [
      name,
      (call: ProgramCall) => {
        const settings = reads.map((variable) => call.shell.variables.get(variable) ?? "");
        return run(call, serverWith(name, settings), { ports, prints });
      },
    ]),
  ),
  // `serve 8080 503`: for authors who say what a container does.
  *serve(call) {
    const [port = "8080", status = "200"] = call.args;
    return yield* run({ ...call, args: [] }, `status/${status}`, { ports: [Number(port)] });
  },
  // Busybox's: the files of a folder.
  *httpd(call) {
    if (call.process.programs?.has("apt-get")) return yield* run(call, "httpd-foreground", { ports: [80] });
    const { values, flags } = options(call.args, "pcuhrde");
    const port = Number((values.get("p") ?? "80").split(":").at(-1));
    const root = absolute(values.get("h") ?? ".", call.shell.folder);
    const server = `files/${root === "/" ? "" : root}`;
    if (flags.has("f")) return yield* run({ ...call, args: [] }, server, { ports: [port] });
    call.process.ports.set(port, call.process.clockMs);
    call.process.server ??= server;
    return 0;
  },
  // `http-echo -text=hello`: what it says is part of its name.
  *"http-echo"(call) {
    const value = (name: string) => {
      const at = call.args.findIndex((arg) => [`-${name}`, `--${name}`].includes(before(arg, "=")));
      return call.args[at]?.split("=").slice(1).join("=") || call.args[at + 1 || call.args.length];
    };
    const said = value("text") ?? call.shell.variables.get("ECHO_TEXT") ?? "hello-world";
    const port = Number(/:(\d+)$/.exec(value("listen") ?? "")?.[1] ?? 5678);
    return yield* run({ ...call, args: [] }, `http-echo/${said}`, { ports: [port] });
  },
  // Tells which rights it has, as a program of root's that anybody may run.
  nonewprivs: ({ out, process: { self } }) => {
    out(`Effective uid: ${self.mayEscalate ? 0 : self.uid}\n`);
    return 0;
  },
  hello: (call) => {
    call.out("\nHello from Docker!\nThis message shows that your installation appears to be working correctly.\n\n");
    return 0;
  },
  oom: () => {
    throw new Stopped("oom");
  },
};

function* isResolved(process: Process, host: string): Task<boolean> {
  return (yield* resolve(process, host)) !== undefined;
}

function* run(call: ProgramCall, name: string, server: Server): Task<number> {
  const { process, args, shell } = call;
  // `nginx -s quit`, `redis-server --version`.
  const problem =
    name.startsWith("nginx") && !args.includes("-s")
      ? yield* nginxProblem(process.files, (host) => isResolved(process, host))
      : undefined;
  if (problem !== undefined) {
    if (args.length === 0 || args.includes("-g")) call.err(server.prints ?? "");
    if (!args.includes("-t")) call.err(`${errorTime(process.clockMs)} [emerg] 1#1: ${problem}\n`);
    call.err(`nginx: [emerg] ${problem}\n`);
    if (args.includes("-t")) call.err("nginx: configuration file /etc/nginx/nginx.conf test failed\n");
    return 1;
  }
  if (name.startsWith("nginx") && told(call)) return 0;
  if (args.some((arg) => /^(-s|-t|-v|-V|--version|--help)$/.test(arg))) return 0;
  call.err(server.prints ?? "");
  if (name.startsWith("nginx") && tellsNotices(process.files))
    call.err(nginxNotices(process.clockMs, nginxVersion(call)));
  for (const port of portsOf(call, server.ports)) process.ports.set(port, process.clockMs);
  process.server ??= name;
  process.heedsTerm = shell.own;
  return yield* serve(process);
}

/** `nginx -t`, `nginx -s reload`, `nginx -v`: what it says instead of serving; whether it does. */
function told(call: ProgramCall): boolean {
  const { args, err, process } = call;
  const version = nginxVersion(call);
  if (args.includes("-t")) {
    const path = "/etc/nginx/nginx.conf";
    err(`nginx: the configuration file ${path} syntax is ok\nnginx: configuration file ${path} test is successful\n`);
  } else if (args.includes("-s")) {
    const moment = new Date(process.clockMs).toISOString().slice(0, 19).replaceAll("-", "/").replace("T", " ");
    err(`${moment} [notice] 33#33: signal process started\n`);
  } else if (args.includes("-v") || args.includes("-V")) err(`nginx version: nginx/${version}\n`);
  else return false;
  return true;
}

function nginxVersion({ shell, process }: ProgramCall): string {
  return shell.variables.get("NGINX_VERSION") ?? versionOf(process.self.image);
}

/** Its log is for errors alone, unless its configuration wants more. */
function tellsNotices(files: Files): boolean {
  const level = directive(confOf(files).directives, "error_log")?.args[1] ?? "error";
  return ["notice", "info", "debug"].includes(level);
}

/** Those that its arguments, its variables or its configuration name, or its own. */
function portsOf({ args, process, shell, name }: ProgramCall, own: readonly number[]): readonly number[] {
  const at = args.findIndex((arg) => /^(--port|-p|--http-port)(=|$)/.test(arg));
  const given = Number(args[at]?.split("=")[1] ?? args[at + 1]);
  if (at >= 0 && given > 0) return [given];
  const listen = args
    .find((arg) => arg.startsWith("--web.listen-address="))
    ?.split(":")
    .at(-1);
  if (listen !== undefined && Number(listen) > 0) return [Number(listen)];
  const variable = Number(shell.variables.get("PORT"));
  if (variable > 0 && (name === "hello-app" || name === "echoserver")) return [variable];
  if (!name.startsWith("nginx")) return own;
  const listed = nginxPorts(process.files);
  return listed.length > 0 ? listed : own;
}

/** The status of a server's answer; undefined if nothing listens there. */
export function statusOf(
  served: {
    readonly server: string | undefined;
    readonly ports: ReadonlyMap<number, number>;
    readonly files: Files;
  },
  port: number,
  path: string,
  nowMs: number,
): number | undefined {
  const sinceMs = served.ports.get(port);
  if (sinceMs === undefined || sinceMs > nowMs) return undefined;
  const name = served.server ?? "";
  if (name.startsWith("status/")) return Number(name.slice("status/".length));
  if (name.startsWith("files/")) return folderStatus(name.slice("files/".length), path, served.files);
  return servers[name]?.status?.(path, nowMs - sinceMs, served.files, port) ?? 200;
}

/** A folder without a page is listed. */
function folderStatus(root: string, path: string, files: Files): number {
  const bare = root + trimmedEnd(before(path, "?#"), "/");
  return isFolder(files, bare || "/") || files.get(bare)?.text !== undefined ? 200 : 404;
}

/** When the answers of a server change by themselves. */
export function statusChangesMs(server: string | undefined, ports: ReadonlyMap<number, number>, nowMs: number): number {
  if (server === undefined || !/^(agnhost\/)?liveness$/.test(serverParts(server).name)) return Number.POSITIVE_INFINITY;
  // Ten whole seconds are still well: the first answer that differs is a millisecond later.
  const changeMs = (ports.get(8080) ?? 0) + 10_001;
  return changeMs > nowMs ? changeMs : Number.POSITIVE_INFINITY;
}
