// Programs that query the cluster's DNS, and ping. Each prints the results in its own format.
import type { Task } from "../../../../../shared/shell/task.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { sleep } from "../../system-call.ts";
import { type ProgramCall, type Programs } from "../../program.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { answersOf, dig, portsOf } from "./dig.ts";
import { asksServices, nslookup } from "./nslookup.ts";
import { resolve } from "./resolve.ts";

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
