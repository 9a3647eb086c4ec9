// nslookup of busybox and of BIND: queries the cluster's DNS, or the server that the command names.
import type { Task } from "../../../../../shared/shell/task.ts";
import { lookUpAddress, sleep } from "../../system-call.ts";
import type { ProgramCall } from "../../program.ts";
import { portsOf } from "./dig.ts";
import { answersQueries, hasServer, isIpv4, type ResolvedName, resolve, reverseOf, serverOf } from "./resolve.ts";

const dnsService = "kube-dns.kube-system";

const unansweredMs = 15_000;
const noServer = ";; connection timed out; no servers could be reached\n\n";
/** BIND ends the answer to a query of another type than addresses with an empty list of servers. */
const noAuthorities = "\nAuthoritative answers can be found from:\n\n";

/** Recognizes `-type=SRV`, `-t SRV` and `SRV`. */
export function asksServices(args: readonly string[]): boolean {
  return args.some((arg) => /^(-(type|query|q|t)=?)?srv$/i.test(arg));
}

interface Query {
  readonly name: string;
  /** The server as the command names it, or that of the resolver. */
  readonly server: string;
  readonly address: string;
}

export function* nslookup(call: ProgramCall): Task<number> {
  const { args, process, out, err } = call;
  const [name = "", serverName] = args.filter((arg) => !arg.startsWith("-"));
  const isBusybox = process.programs?.has("ash") ?? false;
  const server = serverName ?? serverOf(process);
  const address = serverName === undefined ? server : (yield* resolve(process, serverName))?.addresses[0];
  if (address === undefined) {
    err(
      isBusybox ? `nslookup: bad address '${server}'\n` : `nslookup: couldn't get address for '${server}': not found\n`,
    );
    return 1;
  }
  if (!(serverName === undefined ? yield* hasServer(process) : yield* answersQueries(process, address))) {
    yield* sleep(process, unansweredMs);
    if (!process.paused) out(serverName === undefined || isBusybox ? noServer : noAnswer(address));
    return 1;
  }
  const query = { name, server, address };
  if (isOldBusybox(process.self.image)) return yield* oldForm(call, query);
  if (isIpv4(name) && !isBusybox) return yield* reverse(call, name);
  out(`Server:\t\t${server}\nAddress:\t${address}${isBusybox ? ":53" : "#53"}\n\n`);
  if (asksServices(args)) return yield* services(call, query, isBusybox);
  const resolved = yield* resolve(process, name);
  if (!resolved) out(`** server can't find ${name}: NXDOMAIN\n\n`);
  else out(addressesText(resolved));
  return resolved ? 0 : 1;
}

function noAnswer(address: string): string {
  return `${`;; communications error to ${address}#53: timed out\n`.repeat(3)};; no servers could be reached\n\n`;
}

function addressesText({ name, addresses, alias, isOutside }: ResolvedName): string {
  const start = isOutside ? "Non-authoritative answer:\n" : "";
  const canonical = alias === undefined ? "" : `${name}\tcanonical name = ${alias}.\n`;
  return `${start}${canonical}${addresses.map((address) => `Name:\t${alias ?? name}\nAddress: ${address}\n`).join("")}\n`;
}

function* services(call: ProgramCall, { name }: Query, isBusybox: boolean): Task<number> {
  const answers = yield* portsOf(call, name);
  call.out(
    answers.map(([owner, , data]) => `${owner}\tservice = ${data}\n`).join("") ||
      `** server can't find ${name}: NXDOMAIN\n`,
  );
  call.out(answers.length > 0 && !isBusybox ? noAuthorities : "\n");
  return answers.length > 0 ? 0 : 1;
}

/** Looks the name of an address up, as BIND does for an address. */
function* reverse({ process, out }: ProgramCall, address: string): Task<number> {
  const owner = `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  const name = yield* reverseOf(process, address);
  out(
    name === undefined ? `** server can't find ${owner}: NXDOMAIN\n\n` : `${owner}\tname = ${name}.\n${noAuthorities}`,
  );
  return name === undefined ? 1 : 0;
}

/** Prints the answer as busybox up to 1.28 does. */
function* oldForm({ process, out, err }: ProgramCall, { name, server, address }: Query): Task<number> {
  const owner = (yield* lookUpAddress(process, address)) === dnsService ? ` ${dnsService}.svc.cluster.local` : "";
  out(`Server:    ${server}\nAddress 1: ${address}${owner}\n\n`);
  const resolved = yield* resolve(process, name);
  if (!resolved) {
    err(`nslookup: can't resolve '${name}'\n`);
    return 1;
  }
  const ownName = resolved.isOutside || isIpv4(resolved.name) ? "" : ` ${resolved.name}`;
  out(`Name:      ${name}\n${resolved.addresses.map((each, at) => `Address ${at + 1}: ${each}${ownName}\n`).join("")}`);
  return 0;
}

function isOldBusybox(image: string): boolean {
  const minor = /busybox[^:/]*:1\.(\d+)/.exec(image)?.[1];
  return minor !== undefined && Number(minor) <= 28;
}
