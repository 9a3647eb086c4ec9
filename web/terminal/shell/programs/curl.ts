// `curl` and `wget` for ports of `kubectl port-forward`. A page cannot reach any other address.
import { type ProgramCall, filesOf, optionsOf, pathOf, type Programs, readFile } from "../program.ts";
import { Failure } from "../failure.ts";
import { maxOutputBytes, TooMuch } from "../streams.ts";

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

function proxyOf(call: ProgramCall, url: URL): string {
  const isHere = url.hostname === "localhost" || url.hostname === "127.0.0.1";
  if (!isHere) throw new Failure(`(6) Could not resolve host: ${url.hostname}`, 6);
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
