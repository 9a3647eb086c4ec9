// The commands of openssl that exam tasks use: keys, requests and certificates.
import { base64Of } from "../../../../shared/base/base64.ts";
import { subjectOf, subjectText } from "../../../../shared/x509/subjects.ts";
import { derOf } from "../../../../shared/x509/der.ts";
import { pemText } from "../../../../shared/x509/pem.ts";
import { certificateText, dateText, requestText } from "../../../../shared/x509/text.ts";
import { Failure } from "../failure.ts";
import { filesOf, pathOf, type ProgramCall, readFile } from "../program.ts";
import { readAll } from "../streams.ts";
import { certificatePem, readCertificate, readRequest, requestPem } from "./certificates.ts";
import { type KeyPair, newKeyPem, readKeyPair } from "./keys.ts";

/** Options that are followed by a value. */
const valued = new Set(
  "in out key keyout newkey subj days CA CAkey algorithm pkeyopt hex base64 passin passout set_serial".split(" "),
);
/** Options without a value. `nodes`, `batch` and the digest change nothing here: keys are not encrypted, and SHA-256 signs. */
const plain = new Set(
  "new x509 req noout text subject issuer dates startdate enddate serial check pubout CAcreateserial nodes noenc batch sha256".split(
    " ",
  ),
);
const usualBits = 2048;
const usualDays = 30;
const mostRandomBytes = 4096;

interface Arguments {
  has(name: string): boolean;
  value(name: string): string | undefined;
  readonly rest: readonly string[];
}

function parse(args: readonly string[]): Arguments {
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const name = arg.replace(/^--?/, "");
    if (!arg.startsWith("-")) rest.push(arg);
    else if (!valued.has(name) && !plain.has(name)) throw new Failure(`Unknown option: ${arg}`, 1);
    else values.set(name, valued.has(name) && /^[^-]/.test(args[at + 1] ?? "-") ? (args[++at] ?? "") : "");
  }
  return { has: (name) => values.has(name), value: (name) => values.get(name), rest };
}

type Command = (call: ProgramCall, options: Arguments) => Promise<void>;

const commands: Readonly<Record<string, Command>> = { genrsa, genpkey, rsa: key, pkey: key, req, x509, rand };

export async function openssl(call: ProgramCall): Promise<number> {
  const [name = "", ...args] = call.args;
  if (name === "version") {
    call.out.write("OpenSSL 3.5.4 30 Sep 2025 (Library: OpenSSL 3.5.4 30 Sep 2025)\n");
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new Failure(`${name === "" ? "its prompt" : name} is not simulated in this terminal`, 127);
  await command(call, parse(args));
  return 0;
}

function write(call: ProgramCall, name: string | undefined, text: string): void {
  if (name === undefined) call.out.write(text);
  else filesOf(call).write(pathOf(call, name), text);
}

function textOf(call: ProgramCall, name: string | undefined): Promise<string> {
  return name === undefined ? readAll(call.input, call.signal) : Promise.resolve(readFile(call, name));
}

async function keyIn(call: ProgramCall, name: string | undefined): Promise<KeyPair> {
  const pair = await readKeyPair(await textOf(call, name));
  if (!pair) throw new Failure(`Could not find private key from ${name ?? "<stdin>"}`, 1);
  return pair;
}

async function genrsa(call: ProgramCall, options: Arguments): Promise<void> {
  write(call, options.value("out"), await newKeyPem(Number(options.rest[0] ?? usualBits)));
}

async function genpkey(call: ProgramCall, options: Arguments): Promise<void> {
  if (!/^rsa$/i.test(options.value("algorithm") ?? "")) throw new Failure("genpkey is simulated for RSA only", 1);
  const bits = /^rsa_keygen_bits:(\d+)$/.exec(options.value("pkeyopt") ?? "")?.[1];
  write(call, options.value("out"), await newKeyPem(Number(bits ?? usualBits)));
}

async function key(call: ProgramCall, options: Arguments): Promise<void> {
  const name = options.value("in");
  const pem = await textOf(call, name);
  const pair = await readKeyPair(pem);
  if (!pair) throw new Failure(`Could not find private key from ${name ?? "<stdin>"}`, 1);
  if (options.has("check")) call.out.write(call.args[0] === "rsa" ? "RSA key ok\n" : "Key is valid\n");
  if (!options.has("noout"))
    write(call, options.value("out"), options.has("pubout") ? pemText("PUBLIC KEY", pair.publicKey) : pem);
}

async function req(call: ProgramCall, options: Arguments): Promise<void> {
  if (!options.has("new") && !options.has("newkey") && !options.has("x509")) return showRequest(call, options);
  const subject = subjectOf(options.value("subj") ?? "");
  if (!subject) throw new Failure("req without -subj asks questions, which is not simulated in this terminal", 1);
  if ("unknown" in subject) throw new Failure(`Skipping unknown subject name attribute "${subject.unknown}"`, 1);
  const bits = /^rsa:(\d+)$/.exec(options.value("newkey") ?? "")?.[1];
  let pair: KeyPair;
  if (options.has("newkey")) {
    const pem = await newKeyPem(Number(bits ?? usualBits));
    write(call, options.value("keyout") ?? "privkey.pem", pem);
    pair = await keyOf(pem);
  } else pair = await keyIn(call, options.value("key"));
  const days = Number(options.value("days") ?? usualDays);
  const contents = {
    subject,
    issuer: subject,
    publicKey: pair.publicKey,
    notBeforeMs: nowMs(call),
    days,
    isAuthority: true,
  };
  write(
    call,
    options.value("out"),
    await (options.has("x509") ? certificatePem(contents, pair) : requestPem(subject, pair)),
  );
}

async function keyOf(pem: string): Promise<KeyPair> {
  const pair = await readKeyPair(pem);
  if (!pair) throw new Failure("the new key cannot be read", 1);
  return pair;
}

function nowMs(call: ProgramCall): number {
  return call.shell.machine.kubectl.surroundings.clock.nowMs();
}

async function showRequest(call: ProgramCall, options: Arguments): Promise<void> {
  const name = options.value("in");
  const pem = await textOf(call, name);
  const request = readRequest(pem);
  if (!request) throw new Failure(`Unable to load X509 request from ${name ?? "<stdin>"}`, 1);
  if (options.has("subject")) call.out.write(`subject=${subjectText(request.certificationRequestInfo.subject)}\n`);
  if (options.has("text")) call.out.write(requestText(request));
  if (!options.has("noout")) write(call, options.value("out"), pem);
}

async function x509(call: ProgramCall, options: Arguments): Promise<void> {
  const name = options.value("in");
  const pem = await textOf(call, name);
  if (options.has("req")) return signRequest(call, options, pem);
  const certificate = readCertificate(pem);
  if (!certificate) throw new Failure(`Could not find certificate from ${name ?? "<stdin>"}`, 1);
  const { subject, issuer, validity, serialNumber } = certificate.tbsCertificate;
  const from = `notBefore=${dateText(validity.notBefore.getTime().getTime())}\n`;
  const to = `notAfter=${dateText(validity.notAfter.getTime().getTime())}\n`;
  const hex = [...new Uint8Array(serialNumber)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const texts: Readonly<Record<string, string>> = {
    subject: `subject=${subjectText(subject)}\n`,
    issuer: `issuer=${subjectText(issuer)}\n`,
    dates: from + to,
    startdate: from,
    enddate: to,
    serial: `serial=${hex.toUpperCase()}\n`,
  };
  if (options.has("text")) call.out.write(certificateText(certificate));
  for (const [flag, text] of Object.entries(texts)) if (options.has(flag)) call.out.write(text);
  if (!options.has("noout")) write(call, options.value("out"), pem);
}

async function signRequest(call: ProgramCall, options: Arguments, pem: string): Promise<void> {
  const request = readRequest(pem);
  const authority = readCertificate(await textOf(call, options.value("CA") ?? "ca.crt"));
  if (!request || !authority) throw new Failure("Unable to load the request or the certificate of the authority", 1);
  const { subject, subjectPKInfo } = request.certificationRequestInfo;
  const contents = {
    subject,
    issuer: authority.tbsCertificate.subject,
    publicKey: derOf(subjectPKInfo),
    notBeforeMs: nowMs(call),
    days: Number(options.value("days") ?? usualDays),
    isAuthority: false,
  };
  const pair = await keyIn(call, options.value("CAkey"));
  call.err.write(`Certificate request self-signature ok\nsubject=${subjectText(subject)}\n`);
  write(call, options.value("out"), await certificatePem(contents, pair));
}

async function rand(call: ProgramCall, options: Arguments): Promise<void> {
  const count = Number(options.value("hex") || options.value("base64") || options.rest[0]);
  if (!Number.isInteger(count) || count < 1 || count > mostRandomBytes)
    throw new Failure(`rand needs a number of bytes, at most ${mostRandomBytes}`, 1);
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  const text = options.has("hex")
    ? [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
    : base64Of(bytes);
  write(call, options.value("out"), `${text}\n`);
}
