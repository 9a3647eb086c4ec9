// Programs that ask others over the network: names of the cluster are those of its Services, everything outside answers.
import { advance, type Process, serviceAt, type ServiceView } from "../process.ts";
import { absolute } from "../files.ts";
import { edit } from "../process.ts";
import { type Call, options, type Programs } from "../program.ts";

export const netPrograms: Programs = {
  nslookup: (call) => lookUp(call),
  dig: (call) => lookUp(call),
  host: (call) => lookUp(call),
  getent: (call) => lookUp({ ...call, args: call.args.slice(1) }),
  wget: fetched,
  curl: fetched,
  nc: connect,
  ncat: connect,
  netcat: connect,
  telnet: connect,
  ping: (call) => {
    const { values, rest } = options(call.args, "ciwW");
    const address = addressOf(call, rest[0] ?? "");
    if (address === undefined) {
      call.err(`ping: bad address '${rest[0] ?? ""}'\n`);
      return 1;
    }
    const count = values.get("c");
    advance(call.process, count === undefined ? Number.POSITIVE_INFINITY : Number(count) * 1000);
    return 0;
  },
  pg_isready: (call) => answers(call, option(call.args, "-h") ?? "localhost", 5432),
  "redis-cli": (call) => {
    const code = answers(call, option(call.args, "-h") ?? "localhost", 6379);
    if (code === 0 && call.args.at(-1)?.toLowerCase() === "ping") call.out("PONG\n");
    return code;
  },
  mysql: (call) => answers(call, option(call.args, "-h") ?? "localhost", 3306),
  mysqladmin: (call) => answers(call, option(call.args, "-h") ?? "localhost", 3306),
};

function option(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex(
    (arg) => arg === name || (arg.startsWith(name) && name.length === 2 && !arg.startsWith("--")),
  );
  if (at < 0) return undefined;
  return args[at] === name ? args[at + 1] : args[at]?.slice(name.length).replace(/^=/, "");
}

/** The Service that a host's name means, if it means one of the cluster. */
function serviceOf(process: Process, host: string): ServiceView | undefined | "outside" {
  if (/^[\d.:]+$/.test(host) || host === "localhost") return "outside";
  const labels = host
    .replace(/\.$/, "")
    .replace(/\.svc(\.cluster\.local)?$/, "")
    .split(".");
  const clusterOwn = labels.length !== host.replace(/\.$/, "").split(".").length;
  if (
    !clusterOwn &&
    /\.(com|org|net|io|dev|app|cloud|edu|gov|info|co|de|uk)$/.test(`.${labels.at(-1) ?? ""}`) &&
    labels.length > 1
  )
    return "outside";
  const [name = "", namespace = process.namespace] =
    labels.slice(-2).length === 2 && labels.length > 2 ? labels.slice(-2) : labels;
  const found = serviceAt(process, namespace, name);
  if (found || labels.length !== 2) return found;
  // `pod.service`: a name of a headless Service in the pod's own namespace.
  return serviceAt(process, process.namespace, labels[1] ?? "");
}

function addressOf({ process }: Call, host: string): string | undefined {
  const service = serviceOf(process, host);
  return service === "outside" ? "203.0.113.10" : service?.address;
}

function lookUp(call: Call): number {
  const [name = ""] = call.args.filter((arg) => !arg.startsWith("-") && !arg.startsWith("+"));
  const address = addressOf(call, name);
  if (address === undefined) {
    call.err(`Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\n** server can't find ${name}: NXDOMAIN\n\n`);
    return 1;
  }
  call.out(`Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\nName:\t${name}\nAddress: ${address}\n\n`);
  return 0;
}

/** Whether something answers at a host and a port: 0, or a code and a wait until the attempt is given up. */
function answers({ process }: Call, host: string, port: number): number {
  if (host === "localhost" || host === "127.0.0.1") {
    const since = process.ports.get(port);
    return process.ports.size === 0 || (since !== undefined && since <= process.clockMs) ? 0 : 1;
  }
  const service = serviceOf(process, host);
  if (service === "outside") return 0;
  if (!service) return 1;
  const { answersMs } = service;
  if (answersMs !== undefined && answersMs <= process.clockMs) return 0;
  if (answersMs !== undefined) process.nextNewsMs = Math.min(process.nextNewsMs, answersMs);
  return 1;
}

function fetched(call: Call): number {
  const { args, name, process, shell } = call;
  const { flags, rest } = options(args, name === "wget" ? "OTt" : "oHXdmwu");
  const output = option(args, name === "wget" ? "-O" : "-o") ?? option(args, "-qO");
  const url = rest.find((arg) => /[./]|^\w[\w-]*(:\d+)?$/.test(arg)) ?? "";
  const parts = /^(?:(https?):\/\/)?([^/:]+)(?::(\d+))?(\/.*)?$/.exec(url);
  const [, scheme = "http", host = "", port = scheme === "https" ? "443" : "80"] = parts ?? [];
  const code = parts ? answers(call, host, Number(port)) : 1;
  if (code !== 0) {
    const known = serviceOf(process, host) !== undefined;
    if (name === "wget")
      call.err(known ? `wget: can't connect to remote host: Connection refused\n` : `wget: bad address '${host}'\n`);
    else
      call.err(
        known
          ? `curl: (7) Failed to connect to ${host} port ${port}: Connection refused\n`
          : `curl: (6) Could not resolve host: ${host}\n`,
      );
    return name === "wget" ? 1 : known ? 7 : 6;
  }
  advance(process, 5);
  const body = "<!doctype html>\n";
  const path =
    output ?? (name === "wget" && !flags.has("-") ? (/\/([^/]+)$/.exec(parts?.[4] ?? "")?.[1] ?? "index.html") : "-");
  if (path === "-") call.out(body);
  else edit(process, { path: absolute(path, shell.folder), text: body });
  return 0;
}

function connect(call: Call): number {
  const { process, args } = call;
  const listens = args.findIndex((arg) => /^-\w*l/.test(arg));
  if (listens >= 0) {
    const port = Number(option(args, "-p") ?? args.findLast((arg) => /^\d+$/.test(arg)));
    process.ports.set(port, process.clockMs);
    advance(process, Number.POSITIVE_INFINITY);
    return 0;
  }
  const { rest } = options(args, "wWip");
  const code = answers(call, rest[0] ?? "", Number(rest[1] ?? 80));
  if (code === 0) advance(process, 5);
  return code;
}
