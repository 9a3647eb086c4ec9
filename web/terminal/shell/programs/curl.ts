// `curl` and `wget`: ports of `kubectl port-forward` in the page itself, and all other addresses from the control plane's node.
import { type ProgramCall, filesOf, type Options, optionsOf, pathOf, type Programs, readFile } from "../program.ts";
import { Failure } from "../failure.ts";
import { Collected, maxOutputBytes, TooMuch } from "../streams.ts";
import { runOnNode } from "./network.ts";

export const curlPrograms: Programs = {
  curl: (call) => curl(call),
  wget: (call) => {
    const options = optionsOf(call.args, "qO:S --quiet --output-document= --spider");
    const target = options.value("O", "output-document");
    const [url = ""] = options.rest;
    const name = target ?? (new URL(withScheme(url)).pathname.split("/").at(-1) || "index.html");
    return curl({ ...call, args: ["-sS", url, ...(name === "-" ? [] : ["-o", name])] });
  },
};

const optionSpec =
  "sSfiIvkLX:H:d:o:w:m:A:u:O --silent --show-error --fail --include --head --verbose --insecure --location --request= --header= --data= --data-raw= --output= --write-out= --max-time= --user-agent= --user= --connect-timeout= --json=";

async function curl(call: ProgramCall): Promise<number> {
  const options = optionsOf(call.args, optionSpec);
  const [address] = options.rest;
  if (address === undefined) throw new Failure("try 'curl --help' for more information", 2);
  const url = new URL(withScheme(address));
  if (!isLocal(url)) return curlFromNode(call, options, address);
  const proxy = proxyOf(call, url);
  const headers = new Headers(
    options
      .values("H", "header")
      .map((header): [string, string] => [header.split(":")[0] ?? "", header.slice(header.indexOf(":") + 1).trim()]),
  );
  const data = options.value("d", "data", "data-raw", "json");
  const body = data?.startsWith("@") ? readFile(call, data.slice(1)) : data;
  if (options.has("json")) headers.set("content-type", "application/json");
  else if (body !== undefined && !headers.has("content-type"))
    headers.set("content-type", "application/x-www-form-urlencoded");
  const method =
    options.value("X", "request") ?? (options.has("I", "head") ? "HEAD" : body === undefined ? "GET" : "POST");
  const init = { method, headers, signal: call.signal, ...(body === undefined ? {} : { body }) };
  const answer = await call.shell.machine.kubectl.surroundings.fetch(`${proxy}${url.pathname}${url.search}`, init);
  const text = await boundedText(answer);
  if (answer.status === 502 || answer.status === 503) {
    if (/"kind":\s*"Status"/.test(text)) return refused(url);
  }
  if (options.has("f", "fail") && answer.status >= 400)
    throw new Failure(`(22) The requested URL returned error: ${answer.status}`, 22);
  const head = [...answer.headers]
    .filter(([name]) => !hidden.has(name))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const printedHead = options.has("i", "I", "include", "head")
    ? `HTTP/1.1 ${answer.status} ${answer.statusText}\r\n${head}\r\n`
    : "";
  if (options.has("v", "verbose"))
    call.err.write(
      `> ${method} ${url.pathname}${url.search} HTTP/1.1\n> Host: ${url.host}\n>\n< HTTP/1.1 ${answer.status} ${answer.statusText}\n`,
    );
  const target = options.value("o", "output");
  if (target === undefined) call.out.write(printedHead + text);
  else if (pathOf(call, target) !== "/dev/null") filesOf(call).write(pathOf(call, target), printedHead + text);
  const format = options.value("w", "write-out");
  if (format !== undefined)
    call.out.write(format.replaceAll("%{http_code}", String(answer.status)).replaceAll("\\n", "\n"));
  return 0;
}

/** Headers that the service adds to each response. */
const hidden = new Set([
  "audit-id",
  "x-kubernetes-pf-flowschema-uid",
  "x-kubernetes-pf-prioritylevel-uid",
  "content-security-policy",
  "x-content-type-options",
]);

async function boundedText(answer: Response): Promise<string> {
  const chunks: string[] = [];
  let length = 0;
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let chunk; reader && !(chunk = await reader.read()).done; ) {
    length += chunk.value.length;
    if (length > maxOutputBytes) throw new TooMuch();
    chunks.push(chunk.value);
  }
  return chunks.join("");
}

function withScheme(address: string): string {
  return /^https?:\/\//.test(address) ? address : `http://${address}`;
}

function isLocal({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "127.0.0.1";
}

/** Separates the body from the text of `--write-out` if the body goes to a file. */
const bodyEnd = "\u0001";

/** Sends the request from a node. Files are read and written in the page. */
async function curlFromNode(call: ProgramCall, options: Options, address: string): Promise<number> {
  const url = new URL(withScheme(address));
  const name = options.value("o", "output") ?? (options.has("O") ? (url.pathname.split("/").at(-1) ?? "") : undefined);
  const args = [...nodeArguments(call, options), address];
  const format = options.value("w", "write-out");
  const end = name === undefined ? "" : bodyEnd;
  const writeOut = format === undefined ? [] : ["-w", end + format];
  if (name === undefined) return runOnNode({ ...call, name: "curl" }, [...writeOut, ...args], "");
  const collected = new Collected();
  const code = await runOnNode({ ...call, name: "curl", out: collected }, [...writeOut, ...args], "");
  const [body = "", report = ""] = collected.take().split(bodyEnd);
  if (code === 0 && pathOf(call, name) !== "/dev/null") filesOf(call).write(pathOf(call, name), body);
  call.out.write(report);
  return code;
}

function nodeArguments(call: ProgramCall, options: Options): string[] {
  const flags = [..."sSfiIvkL"].filter((letter) => options.has(letter, ...(longNames[letter] ?? [])));
  const values = [..."XHmAu"].flatMap((letter) =>
    options.values(letter, ...(longNames[letter] ?? [])).flatMap((value) => [`-${letter}`, value]),
  );
  const timeout = options.value("connect-timeout");
  const json = options.has("json") ? ["-H", "Content-Type: application/json"] : [];
  const data = options
    .values("d", "data", "data-raw", "json")
    .flatMap((value) => ["--data-raw", value.startsWith("@") ? readFile(call, value.slice(1)) : value]);
  return [
    ...flags.map((letter) => `-${letter}`),
    ...values,
    ...(timeout === undefined ? [] : ["--connect-timeout", timeout]),
    ...json,
    ...data,
  ];
}

const longNames: Readonly<Record<string, readonly string[]>> = {
  s: ["silent"],
  S: ["show-error"],
  f: ["fail"],
  i: ["include"],
  I: ["head"],
  v: ["verbose"],
  k: ["insecure"],
  L: ["location"],
  X: ["request"],
  H: ["header"],
  m: ["max-time"],
  A: ["user-agent"],
  u: ["user"],
};

function proxyOf(call: ProgramCall, url: URL): string {
  const port = Number(url.port || 80);
  const proxyPath = call.shell.machine.forwarded.get(port);
  if (proxyPath === undefined) refused(url);
  return proxyPath ?? "";
}

function refused({ hostname, port }: URL): never {
  throw new Failure(
    `(7) Failed to connect to ${hostname} port ${port || 80} after 0 ms: Could not connect to server`,
    7,
  );
}
