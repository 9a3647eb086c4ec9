// openssl as courses use it: keys, requests, certificates and passwords.
import { createHash } from "node:crypto";
import { finished, type Task } from "../../../../../shared/shell/task.ts";
import { CertificationRequest } from "@peculiar/asn1-csr";
import type { Extension, Name } from "@peculiar/asn1-x509";
import { stableHex } from "../../../../../shared/base/stable.ts";
import { derOf, readDer } from "../../../../../shared/x509/der.ts";
import { pemBlocks, pemText } from "../../../../../shared/x509/pem.ts";
import { takeAll } from "../../input.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import type { ProgramCall, Programs } from "../../program.ts";
import { md5Crypt, shaCrypt } from "../copying/crypt.ts";
import { type OpensslArguments, parseArguments, certificateIn, notRead, textOf, write } from "./arguments.ts";
import { extensionOf, extensionsOf, type Sections, sectionsOf } from "./config.ts";
import { plainCommand } from "./plain.ts";
import { rsaNumbersOf } from "../../../../../shared/x509/public-key.ts";
import { privateKeyIn, publicKeyOf, rsaKeyOf } from "./rsa.ts";
import { certificatePem, requestPem } from "./sign.ts";
import { subjectOf, subjectText } from "../../../../../shared/x509/subjects.ts";
import {
  certificateText,
  colons,
  dateText,
  extensionsText,
  requestedExtensions,
  requestText,
  serialOf,
} from "../../../../../shared/x509/text.ts";
import { client, verify } from "./trust.ts";

export const opensslPrograms: Programs = { openssl };

function* openssl(call: ProgramCall): Task<number> {
  const plain = yield* plainCommand(call);
  if (plain !== undefined) return plain;
  const [command = "", ...args] = call.args;
  const parsedArgs = parseArguments(args);
  const commands: Readonly<Record<string, (call: ProgramCall, parsedArgs: OpensslArguments) => number | Task<number>>> =
    {
      genrsa,
      genpkey,
      rsa: key,
      pkey: key,
      req,
      x509,
      verify,
      passwd,
      s_client: client,
    };
  const runCommand = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (runCommand) return yield* finished(runCommand(call, parsedArgs));
  call.err(`openssl: ${command === "" ? "its prompt" : command} is not simulated in this sandbox\n`);
  return 127;
}

/** The work of hashing a password. */
const roundsWork = { sha: 4000, md5: 1000 };
/** The work of generating a key. Longer keys take much more. */
const keyWork = { usual: 5000, long: 20_000 };
const mostBits = 4096;

function newKey(call: ProgramCall, bits: number): string | undefined {
  if (bits < 512 || bits > mostBits || bits % 512 !== 0) {
    call.err(`openssl: keys of ${bits} bits are not simulated in this sandbox\n`);
    return undefined;
  }
  const { process } = call;
  charge(process, bits > 2048 ? keyWork.long : keyWork.usual);
  process.version++;
  return rsaKeyOf(`openssl/${process.self.address}/${process.host}/${process.clockMs}/${process.seed++}`, bits);
}

function genrsa(call: ProgramCall, parsedArgs: OpensslArguments): number {
  const newPem = newKey(call, Number(parsedArgs.rest[0] ?? 2048));
  if (newPem === undefined) return 127;
  write(call, parsedArgs.value("out"), newPem, 0o600);
  return 0;
}

function genpkey(call: ProgramCall, parsedArgs: OpensslArguments): number {
  const algorithm = parsedArgs.value("algorithm") ?? "";
  if (!/^rsa$/i.test(algorithm)) {
    call.err(`openssl: genpkey of ${algorithm === "" ? "nothing" : algorithm} is not simulated in this sandbox\n`);
    return 127;
  }
  const bits = parsedArgs
    .all("pkeyopt")
    .find((option) => option.startsWith("rsa_keygen_bits:"))
    ?.split(":")[1];
  const newPem = newKey(call, Number(bits ?? 2048));
  if (newPem === undefined) return 127;
  write(call, parsedArgs.value("out"), newPem, 0o600);
  return 0;
}

function* key(call: ProgramCall, parsedArgs: OpensslArguments): Task<number> {
  const name = parsedArgs.value("in");
  const pem = privateKeyIn((yield* textOf(call, name)) ?? "");
  const spki = pem && publicKeyOf(pem);
  if (pem === undefined || !spki) return notRead(call, "private key", name);
  if (parsedArgs.has("check")) call.out(call.args[0] === "rsa" ? "RSA key ok\n" : "Key is valid\n");
  const numbers = rsaNumbersOf(spki);
  if (parsedArgs.has("modulus") && numbers) call.out(`Modulus=${colons(numbers.modulus, true).replaceAll(":", "")}\n`);
  if (parsedArgs.has("noout")) return 0;
  if (call.args[0] === "rsa") call.err("writing RSA key\n");
  write(call, parsedArgs.value("out"), parsedArgs.has("pubout") ? pemText("PUBLIC KEY", spki) : pem, 0o600);
  return 0;
}

/** Returns the subject of `-subj` or of a configuration without prompts; otherwise the exit code. */
function subjectFor(call: ProgramCall, parsedArgs: OpensslArguments, sections: Sections): Name | number {
  const subjectOption = parsedArgs.value("subj");
  const section = sections.get("req");
  const isTold = subjectOption === undefined && section?.get("prompt") === "no";
  const requestedSubject = isTold
    ? [...(sections.get(section.get("distinguished_name") ?? "") ?? [])]
        .map(([name, value]) => `/${name.replace(/^\d+\./, "")}=${value}`)
        .join("")
    : subjectOption;
  if (requestedSubject === undefined) {
    call.err("openssl: req without -subj asks questions, which is not simulated in this sandbox\n");
    return 127;
  }
  const subject = subjectOf(requestedSubject);
  if (!subject) {
    call.err(
      `req: subject name is expected to be in the format /type0=value0/type1=value1/type2=... where characters may be escaped by \\. This name is not in that format: '${requestedSubject}'\n`,
    );
    return 1;
  }
  if ("unknown" in subject) {
    call.err(`req: Skipping unknown subject name attribute "${subject.unknown}"\n`);
    return subjectOfRest(requestedSubject, subject.unknown);
  }
  return subject;
}

function subjectOfRest(text: string, unknown: string): Name | number {
  const rest = subjectOf(
    text
      .split("/")
      .filter((segment, at) => at === 0 || !segment.startsWith(`${unknown}=`))
      .join("/"),
  );
  return rest && !("unknown" in rest) ? rest : 1;
}

function* req(call: ProgramCall, parsedArgs: OpensslArguments): Task<number> {
  const config = parsedArgs.value("config");
  const sections = sectionsOf(config === undefined ? "" : ((yield* textOf(call, config)) ?? ""));
  if (!parsedArgs.has("new") && !parsedArgs.has("newkey") && !parsedArgs.has("x509"))
    return yield* shownRequest(call, parsedArgs);
  const kind = parsedArgs.value("newkey");
  const keyName = parsedArgs.value("key");
  const pem =
    kind === undefined && keyName !== undefined
      ? privateKeyIn((yield* textOf(call, keyName)) ?? "")
      : newKey(call, Number(/^rsa:(\d+)$/i.exec(kind ?? "rsa:2048")?.[1] ?? Number.NaN));
  if (pem === undefined)
    return keyName === undefined || kind !== undefined ? 127 : notRead(call, "private key", keyName);
  if (kind !== undefined || keyName === undefined) {
    call.err("-----\n");
    write(call, parsedArgs.value("keyout") ?? "privkey.pem", pem, 0o600);
  }
  const subject = subjectFor(call, parsedArgs, sections);
  if (typeof subject === "number") return subject;
  const isCertificate = parsedArgs.has("x509");
  const section =
    parsedArgs.value("extensions") ??
    parsedArgs.value("reqexts") ??
    sections.get("req")?.get(isCertificate ? "x509_extensions" : "req_extensions");
  const extensions: Extension[] = [
    ...(section === undefined ? [] : extensionsOf(sections, section)),
    ...parsedArgs
      .all("addext")
      .flatMap((addition) =>
        extensionOf(addition.split("=")[0]?.trim() ?? "", addition.slice(addition.indexOf("=") + 1).trim(), sections),
      ),
  ];
  charge(call.process, signWork);
  if (!isCertificate) {
    write(call, parsedArgs.value("out"), requestPem(subject, pem, extensions));
    return 0;
  }
  const publicKey = publicKeyOf(pem) ?? new Uint8Array();
  const contents = {
    subject,
    issuer: subject,
    publicKey,
    issuerKey: publicKey,
    extensions,
    isAuthority: !extensions.some(({ extnID }) => extnID === "2.5.29.19"),
  };
  write(call, parsedArgs.value("out"), certificatePem({ ...contents, ...lifeOf(call, parsedArgs) }, pem));
  return 0;
}

const signWork = 1500;

function lifeOf({ process }: ProgramCall, parsedArgs: OpensslArguments) {
  const serialOption = parsedArgs.value("set_serial");
  const hex =
    serialOption === undefined
      ? stableHex(`openssl/serial/${process.host}/${process.clockMs}/${process.seed++}`, 40)
      : BigInt(serialOption).toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  const bytes = Uint8Array.from({ length: even.length / 2 }, (_, at) =>
    Number.parseInt(even.slice(at * 2, at * 2 + 2), 16),
  );
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return {
    serial: bytes,
    notBeforeMs: Math.floor(process.clockMs / 1000) * 1000,
    days: Number(parsedArgs.value("days") ?? 30),
  };
}

function requestIn(text: string): CertificationRequest | undefined {
  const block = pemBlocks(text).find(({ type }) => /^(NEW )?CERTIFICATE REQUEST$/.test(type));
  return block && readDer(block.bytes, CertificationRequest);
}

function* shownRequest(call: ProgramCall, parsedArgs: OpensslArguments): Task<number> {
  const name = parsedArgs.value("in");
  const text = (yield* textOf(call, name)) ?? "";
  const request = requestIn(text);
  if (!request) return notRead(call, "certificate request", name);
  const { subject, subjectPKInfo } = request.certificationRequestInfo;
  if (parsedArgs.has("verify")) call.err("Certificate request self-signature verify OK\n");
  if (parsedArgs.has("text")) call.out(requestText(request));
  if (parsedArgs.has("subject")) call.out(`subject=${subjectText(subject)}\n`);
  if (parsedArgs.has("pubkey")) call.out(pemText("PUBLIC KEY", derOf(subjectPKInfo)));
  if (!parsedArgs.has("noout")) write(call, parsedArgs.value("out"), pemText("CERTIFICATE REQUEST", derOf(request)));
  return 0;
}

function* x509(call: ProgramCall, parsedArgs: OpensslArguments): Task<number> {
  if (parsedArgs.has("req")) return yield* signRequest(call, parsedArgs);
  const name = parsedArgs.value("in");
  const parsedCertificate = certificateIn((yield* textOf(call, name)) ?? "");
  if (!parsedCertificate) return notRead(call, "certificate", name);
  const { certificate, der } = parsedCertificate;
  const { subject, issuer, validity, subjectPublicKeyInfo, extensions = [] } = certificate.tbsCertificate;
  const [fromMs, toMs] = [validity.notBefore.getTime().getTime(), validity.notAfter.getTime().getTime()];
  const digest =
    parsedArgs.has("sha1") || !parsedArgs.has("sha256") ? (["sha1", "SHA1"] as const) : (["sha256", "sha256"] as const);
  const ext = parsedArgs.value("ext");
  const tells: Readonly<Record<string, () => string>> = {
    text: () => certificateText(certificate),
    serial: () => `serial=${colons(serialOf(certificate), true).replaceAll(":", "")}\n`,
    subject: () => `subject=${subjectText(subject)}\n`,
    issuer: () => `issuer=${subjectText(issuer)}\n`,
    startdate: () => `notBefore=${dateText(fromMs)}\n`,
    enddate: () => `notAfter=${dateText(toMs)}\n`,
    dates: () => `notBefore=${dateText(fromMs)}\nnotAfter=${dateText(toMs)}\n`,
    fingerprint: () => `${digest[1]} Fingerprint=${fingerprintOf(der, digest[0])}\n`,
    pubkey: () => pemText("PUBLIC KEY", derOf(subjectPublicKeyInfo)),
    modulus: () =>
      `Modulus=${colons(rsaNumbersOf(derOf(subjectPublicKeyInfo))?.modulus ?? new Uint8Array(), true).replaceAll(":", "")}\n`,
    ext: () =>
      extensionsText(
        extensions.filter((candidate) => extensionNames[candidate.extnID] === ext),
        0,
      ),
  };
  // In the order of the options.
  for (const arg of call.args) {
    const tell = arg.startsWith("-") && Object.hasOwn(tells, arg.slice(1)) ? tells[arg.slice(1)] : undefined;
    if (tell) call.out(tell());
  }
  const check = parsedArgs.value("checkend");
  if (check !== undefined) {
    const expires = toMs <= call.process.clockMs + Number(check) * 1000;
    call.out(expires ? "Certificate will expire\n" : "Certificate will not expire\n");
    return expires ? 1 : 0;
  }
  if (!parsedArgs.has("noout")) write(call, parsedArgs.value("out"), pemText("CERTIFICATE", der));
  return 0;
}

const extensionNames: Readonly<Record<string, string>> = {
  "2.5.29.14": "subjectKeyIdentifier",
  "2.5.29.15": "keyUsage",
  "2.5.29.17": "subjectAltName",
  "2.5.29.19": "basicConstraints",
  "2.5.29.35": "authorityKeyIdentifier",
  "2.5.29.37": "extendedKeyUsage",
};

function* signRequest(call: ProgramCall, parsedArgs: OpensslArguments): Task<number> {
  const name = parsedArgs.value("in");
  const request = requestIn((yield* textOf(call, name)) ?? "");
  if (!request) return notRead(call, "certificate request", name);
  const { subject, subjectPKInfo } = request.certificationRequestInfo;
  call.err(`Certificate request self-signature ok\nsubject=${subjectText(subject)}\n`);
  const keyName = parsedArgs.value("CAkey") ?? parsedArgs.value("signkey") ?? parsedArgs.value("key");
  const pem = privateKeyIn(keyName === undefined ? "" : ((yield* textOf(call, keyName)) ?? ""));
  if (pem === undefined) return notRead(call, parsedArgs.has("CAkey") ? "CA private key" : "private key", keyName);
  const caName = parsedArgs.value("CA");
  const ca = caName === undefined ? undefined : certificateIn((yield* textOf(call, caName)) ?? "");
  if (caName !== undefined && !ca) return notRead(call, "CA certificate", caName);
  const file = parsedArgs.value("extfile");
  const sections = sectionsOf(file === undefined ? "" : ((yield* textOf(call, file)) ?? ""));
  const section = parsedArgs.value("extensions") ?? "";
  const copied =
    parsedArgs.has("copy_extensions") || call.args.includes("-copy_extensions") ? requestedExtensions(request) : [];
  charge(call.process, signWork);
  const publicKey = derOf(subjectPKInfo);
  const signedPem = certificatePem(
    {
      subject,
      issuer: ca ? ca.certificate.tbsCertificate.subject : subject,
      publicKey,
      issuerKey: ca ? derOf(ca.certificate.tbsCertificate.subjectPublicKeyInfo) : publicKey,
      extensions: [...extensionsOf(sections, section), ...copied],
      isAuthority: false,
      ...lifeOf(call, parsedArgs),
    },
    pem,
  );
  write(call, parsedArgs.value("out"), signedPem);
  return 0;
}

function* passwd(call: ProgramCall, parsedArgs: OpensslArguments): Task<number> {
  const { process, out } = call;
  const word =
    parsedArgs.rest[0] ??
    (parsedArgs.has("stdin") ? ((yield* takeAll(process, call.input)) ?? "").split("\n")[0] : undefined);
  if (word === undefined) {
    call.err("openssl: passwd without a password asks for one, which is not simulated in this sandbox\n");
    return 127;
  }
  charge(process, parsedArgs.has("6") || parsedArgs.has("5") ? roundsWork.sha : roundsWork.md5);
  process.version++;
  const randomSalt = stableHex(`openssl/salt/${process.host}/${process.clockMs}/${process.seed++}`, 16);
  const salt =
    parsedArgs.value("salt") ?? (parsedArgs.has("6") || parsedArgs.has("5") ? randomSalt : randomSalt.slice(0, 8));
  const isSha = parsedArgs.has("6") ? "6" : parsedArgs.has("5") ? "5" : undefined;
  out(`${isSha ? shaCrypt(word, salt, isSha) : md5Crypt(word, salt, parsedArgs.has("apr1") ? "apr1" : "1")}\n`);
  return 0;
}

/** Returns a fingerprint as `AB:CD:…`. */
function fingerprintOf(der: Uint8Array, algorithm: "sha1" | "sha256"): string {
  return colons(new Uint8Array(createHash(algorithm).update(der).digest()), true);
}
