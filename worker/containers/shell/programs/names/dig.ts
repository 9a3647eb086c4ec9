// dig: queries the cluster's DNS for records of one type.
import type { Task } from "../../../../../shared/shell/task.ts";
import { sleep } from "../../system-call.ts";
import type { ProgramCall } from "../../program.ts";
import { type ResolvedName, hasServer, isIpv4, resolve, reverseOf, serverOf, servicesOf } from "./resolve.ts";

const unansweredMs = 15_000;
const noServer = ";; connection timed out; no servers could be reached\n\n";
const types = new Set(["A", "AAAA", "ANY", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT"]);

export type Answer = readonly [owner: string, type: string, data: string];

/** Returns the ports of a Service as SRV records. */
export function* portsOf(call: ProgramCall, name: string): Task<Answer[]> {
  const records = yield* servicesOf(call.process, name);
  const weight = Math.floor(100 / Math.max(1, records.length));
  return records.map(({ owner, port, target }) => [owner, "SRV", `0 ${weight} ${port} ${target}.`]);
}

export function answersOf({ name, addresses, alias }: ResolvedName): Answer[] {
  const owner = alias ?? name;
  return [
    ...(alias === undefined ? [] : [[name, "CNAME", `${alias}.`] as const]),
    ...addresses.filter(isIpv4).map((address) => [owner, "A", address] as const),
    ...addresses.filter((address) => address.includes(":")).map((address) => [owner, "AAAA", address] as const),
  ];
}

interface Query {
  readonly name: string;
  readonly type: string;
  readonly options: ReadonlySet<string>;
}

/** Runs dig. The name is queried without the search list unless `+search` is set. */
export function* dig(call: ProgramCall): Task<number> {
  const { process, out } = call;
  if (!(yield* hasServer(process))) {
    yield* sleep(process, unansweredMs);
    if (process.paused) return 9;
    out(noServer);
    return 9;
  }
  const query = queryOf(call.args);
  const resolved = query.type === "PTR" || query.type === "SRV" ? undefined : yield* named(call, query);
  const answers = yield* recordsOf(call, query, resolved);
  if (query.options.has("short")) out(answers.map(([, , data]) => `${data}\n`).join(""));
  else out(wholeText(call, query, resolved, answers));
  return 0;
}

function queryOf(args: readonly string[]): Query {
  const options = new Set<string>();
  let name = "";
  let type = "A";
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg.startsWith("+")) options.add(arg.slice(1));
    else if (arg === "-x") {
      name = `${(args[++at] ?? "").split(".").reverse().join(".")}.in-addr.arpa`;
      type = "PTR";
    } else if (arg === "-t" || arg === "-q" || arg === "-p") {
      const value = args[++at] ?? "";
      if (arg === "-t") type = value.toUpperCase();
      if (arg === "-q") name = value;
    } else if (types.has(arg.toUpperCase()) && name !== "") type = arg.toUpperCase();
    else if (!/^[-@]/.test(arg) && !/^in$/i.test(arg)) {
      if (types.has(arg.toUpperCase())) type = arg.toUpperCase();
      else name = arg;
    }
  }
  return { name, type, options };
}

function* named({ process }: ProgramCall, { name, options }: Query): Task<ResolvedName | undefined> {
  return yield* resolve(process, options.has("search") || name.endsWith(".") ? name : `${name}.`);
}

function* recordsOf(
  call: ProgramCall,
  { name, type }: Query,
  resolved: ResolvedName | undefined,
): Task<readonly Answer[]> {
  if (type === "SRV") return yield* portsOf(call, name);
  if (type === "PTR") {
    const bare = name.replace(/\.$/, "");
    const address = /^((?:\d{1,3}\.){4})in-addr\.arpa$/.exec(bare)?.[1]?.slice(0, -1).split(".").reverse().join(".");
    const owner = address === undefined ? undefined : yield* reverseOf(call.process, address);
    return owner === undefined ? [] : [[bare, "PTR", `${owner}.`]];
  }
  // An alias is part of the answer for every type.
  return resolved
    ? answersOf(resolved).filter(([, of]) => type === "ANY" || of === type || (of === "CNAME" && type !== "AAAA"))
    : [];
}

function wholeText(
  { args, process }: ProgramCall,
  query: Query,
  resolved: ResolvedName | undefined,
  answers: readonly Answer[],
): string {
  const { name, type, options } = query;
  const listed = answers.map(([owner, of, data]) => `${owner}.\t30\tIN\t${of}\t${data}\n`).join("");
  if (options.has("noall")) return options.has("answer") ? listed : "";
  const question = `${(resolved?.name ?? name).replace(/\.$/, "")}.`;
  const status = resolved || answers.length > 0 ? "NOERROR" : "NXDOMAIN";
  const server = serverOf(process);
  const by = options.has("tcp") ? "TCP" : "UDP";
  return (
    `\n; <<>> DiG 9.18.33 <<>> ${args.join(" ")}\n;; global options: +cmd\n;; Got answer:\n;; ->>HEADER<<- opcode: QUERY, status: ${status}, id: 4711\n` +
    `;; flags: qr aa rd; QUERY: 1, ANSWER: ${answers.length}, AUTHORITY: 0, ADDITIONAL: 1\n\n;; QUESTION SECTION:\n;${question}\t\tIN\t${type}\n\n` +
    `${listed === "" ? "" : `;; ANSWER SECTION:\n${listed}\n`};; Query time: 1 msec\n;; SERVER: ${server}#53(${server}) (${by})\n\n`
  );
}
