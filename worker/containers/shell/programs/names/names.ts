// Programs that query the cluster's DNS, and ping. Each prints the results in its own format.
import type { Task } from "../../../../../shared/shell/task.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { lookUpAddress, sleep } from "../../system-call.ts";
import { type ProgramCall, type Programs } from "../../program.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { answersOf, dig, portsOf } from "./dig.ts";
import { hasServer, isIpv4, resolve, serverOf } from "./resolve.ts";

export const namePrograms: Programs = {
  nslookup,
  dig,
  *host(call) {
    const [name = ""] = call.args.filter((arg) => !arg.startsWith("-") && !/^(srv|a)$/i.test(arg));
    if (asksServices(call.args)) {
      for (const [owner, , data] of yield* portsOf(call, name)) call.out(`${owner} has SRV record ${data}\n`);
      return 0;
    }
    const resolved = yield* resolve(call.process, name);
    if (!resolved) call.out(`Host ${name} not found: 3(NXDOMAIN)\n`);
    else
      call.out(
        answersOf(resolved)
          .map(([owner, , data]) => `${owner} has address ${data}\n`)
          .join(""),
      );
    return resolved ? 0 : 1;
  },
  *getent(call) {
    const [kind, name = ""] = call.args;
    const resolved = kind === "hosts" || kind === "ahosts" ? yield* resolve(call.process, name) : undefined;
    for (const address of resolved?.addresses ?? [])
      call.out(`${address.padEnd(15)} ${resolved?.alias ?? resolved?.name ?? name}\n`);
    return resolved ? 0 : 2;
  },
  ping,
};

const dnsService = "kube-dns.kube-system";

const unansweredMs = 15_000;
const noServer = ";; connection timed out; no servers could be reached\n\n";

/** Recognizes `-type=SRV`, `-t SRV` and `SRV`. */
function asksServices(args: readonly string[]): boolean {
  return args.some((arg) => /^(-(type|query|q|t)=?)?srv$/i.test(arg));
}

/** Runs nslookup. Busybox up to 1.28 has one format; later versions and BIND have another. */
function* nslookup(call: ProgramCall): Task<number> {
  const { args, process, out, err } = call;
  const [name = ""] = args.filter((arg) => !arg.startsWith("-"));
  const server = serverOf(process);
  if (!(yield* hasServer(process))) {
    yield* sleep(process, unansweredMs);
    if (process.paused) return 1;
    out(noServer);
    return 1;
  }
  const resolved = yield* resolve(process, name);
  if (isOldBusybox(process.self.image)) {
    out(
      `Server:    ${server}\nAddress 1: ${server}${(yield* lookUpAddress(process, server)) === dnsService ? ` ${dnsService}.svc.cluster.local` : ""}\n\n`,
    );
    if (!resolved) {
      err(`nslookup: can't resolve '${name}'\n`);
      return 1;
    }
    const ownName = resolved.isOutside || isIpv4(resolved.name) ? "" : ` ${resolved.name}`;
    out(
      `Name:      ${name}\n${resolved.addresses.map((address, at) => `Address ${at + 1}: ${address}${ownName}\n`).join("")}`,
    );
    return 0;
  }
  const port = process.programs?.has("ash") ? ":53" : "#53";
  out(`Server:\t\t${server}\nAddress:\t${server}${port}\n\n`);
  if (asksServices(args)) {
    const answers = yield* portsOf(call, name);
    out(
      answers.map(([owner, , data]) => `${owner}\tservice = ${data}\n`).join("") ||
        `** server can't find ${name}: NXDOMAIN\n`,
    );
    out("\n");
    return answers.length > 0 ? 0 : 1;
  }
  if (!resolved) {
    out(`** server can't find ${name}: NXDOMAIN\n\n`);
    return 1;
  }
  if (resolved.isOutside) out("Non-authoritative answer:\n");
  if (resolved.alias !== undefined) out(`${resolved.name}\tcanonical name = ${resolved.alias}.\n`);
  out(
    `${resolved.addresses.map((address) => `Name:\t${resolved.alias ?? resolved.name}\nAddress: ${address}\n`).join("")}\n`,
  );
  return 0;
}

function isOldBusybox(image: string): boolean {
  const minor = /busybox[^:/]*:1\.(\d+)/.exec(image)?.[1];
  return minor !== undefined && Number(minor) <= 28;
}

/** Runs ping. Pods and hosts outside answer; a Service's cluster IP does not. */
function* ping(call: ProgramCall): Task<number> {
  const { process, out, err } = call;
  const { values, rest } = options(call.args, "ciwWIs");
  const [name = ""] = rest;
  const resolved = yield* resolve(process, name);
  const [address] = resolved?.addresses ?? [];
  if (address === undefined) {
    err(process.programs?.has("ash") ? `ping: bad address '${name}'\n` : `ping: ${name}: Name or service not known\n`);
    return process.programs?.has("ash") ? 1 : 2;
  }
  const isAnswered = !/^10\.(9[6-9]|1[01]\d)\./.test(address);
  const count = Number(values.get("c") ?? Number.POSITIVE_INFINITY);
  out(`PING ${name} (${address}): 56 data bytes\n`);
  for (let sequence = 0; sequence < count && !process.paused; sequence++) {
    charge(process, 1);
    if (isAnswered) out(`64 bytes from ${address}: seq=${sequence} ttl=63 time=0.118 ms\n`);
    // If the output is not needed, one answer of an endless ping is enough.
    if (count === Number.POSITIVE_INFINITY && (!process.prints || !isAnswered)) yield* sleep(process, count);
    else if (sequence + 1 < count || !isAnswered) yield* sleep(process, isAnswered ? 1000 : 10_000);
  }
  if (process.paused) return 0;
  const lost = isAnswered ? 0 : 100;
  const summary = isAnswered ? "round-trip min/avg/max = 0.118/0.118/0.118 ms\n" : "";
  out(
    `\n--- ${name} ping statistics ---\n${count} packets transmitted, ${isAnswered ? count : 0} packets received, ${lost}% packet loss\n${summary}`,
  );
  return isAnswered ? 0 : 1;
}
