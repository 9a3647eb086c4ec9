// Programs that ask the cluster's DNS, and ping: each tells what it finds in its own words.
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
    const found = yield* resolve(call.process, name);
    if (!found) call.out(`Host ${name} not found: 3(NXDOMAIN)\n`);
    else
      call.out(
        answersOf(found)
          .map(([owner, , data]) => `${owner} has address ${data}\n`)
          .join(""),
      );
    return found ? 0 : 1;
  },
  *getent(call) {
    const [kind, name = ""] = call.args;
    const found = kind === "hosts" || kind === "ahosts" ? yield* resolve(call.process, name) : undefined;
    for (const one of found?.addresses ?? []) call.out(`${one.padEnd(15)} ${found?.alias ?? found?.name ?? name}\n`);
    return found ? 0 : 2;
  },
  ping,
};

const dnsService = "kube-dns.kube-system";

const unansweredMs = 15_000;
const noServer = ";; connection timed out; no servers could be reached\n\n";

/** `-type=SRV`, `-t SRV`, `SRV`. */
function asksServices(args: readonly string[]): boolean {
  return args.some((arg) => /^(-(type|query|q|t)=?)?srv$/i.test(arg));
}

/** Busybox up to 1.28 says it its own way, later ones and BIND's another. */
function* nslookup(call: ProgramCall): Task<number> {
  const { args, process, out, err } = call;
  const [name = ""] = args.filter((arg) => !arg.startsWith("-"));
  const asked = serverOf(process);
  if (!(yield* hasServer(process))) {
    yield* sleep(process, unansweredMs);
    if (process.paused) return 1;
    out(noServer);
    return 1;
  }
  const found = yield* resolve(process, name);
  if (isOldBusybox(process.self.image)) {
    out(
      `Server:    ${asked}\nAddress 1: ${asked}${(yield* lookUpAddress(process, asked)) === dnsService ? ` ${dnsService}.svc.cluster.local` : ""}\n\n`,
    );
    if (!found) {
      err(`nslookup: can't resolve '${name}'\n`);
      return 1;
    }
    const own = found.isOutside || isIpv4(found.name) ? "" : ` ${found.name}`;
    out(`Name:      ${name}\n${found.addresses.map((one, at) => `Address ${at + 1}: ${one}${own}\n`).join("")}`);
    return 0;
  }
  const port = process.programs?.has("ash") ? ":53" : "#53";
  out(`Server:\t\t${asked}\nAddress:\t${asked}${port}\n\n`);
  if (asksServices(args)) {
    const answers = yield* portsOf(call, name);
    out(
      answers.map(([owner, , data]) => `${owner}\tservice = ${data}\n`).join("") ||
        `** server can't find ${name}: NXDOMAIN\n`,
    );
    out("\n");
    return answers.length > 0 ? 0 : 1;
  }
  if (!found) {
    out(`** server can't find ${name}: NXDOMAIN\n\n`);
    return 1;
  }
  if (found.isOutside) out("Non-authoritative answer:\n");
  if (found.alias !== undefined) out(`${found.name}\tcanonical name = ${found.alias}.\n`);
  out(`${found.addresses.map((one) => `Name:\t${found.alias ?? found.name}\nAddress: ${one}\n`).join("")}\n`);
  return 0;
}

function isOldBusybox(image: string): boolean {
  const minor = /busybox[^:/]*:1\.(\d+)/.exec(image)?.[1];
  return minor !== undefined && Number(minor) <= 28;
}

/** Pods and what is outside answer; a Service's own address does not. */
function* ping(call: ProgramCall): Task<number> {
  const { process, out, err } = call;
  const { values, rest } = options(call.args, "ciwWIs");
  const [name = ""] = rest;
  const found = yield* resolve(process, name);
  const [address] = found?.addresses ?? [];
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
    // One answer is enough: what never ends is not told for ever.
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
