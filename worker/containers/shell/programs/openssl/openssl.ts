// openssl as courses use it: keys, requests, certificates and passwords.
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
import { type OpensslArguments, askedOf, certificateIn, notRead, textOf, write } from "./asked.ts";
import { extensionOf, extensionsOf, type Sections, sectionsOf } from "./config.ts";
import { plainCommand } from "./plain.ts";
import { privateKeyIn, publicKeyOf, rsaKeyOf, rsaNumbersOf } from "./rsa.ts";
import { certificatePem, requestPem } from "./sign.ts";
import { subjectOf, subjectText } from "./subjects.ts";
import {
  certificateText,
  colons,
  dateText,
  extensionsText,
  fingerprintOf,
  requestedExtensions,
  requestText,
  serialOf,
} from "./text.ts";
import { client, verify } from "./trust.ts";

export const opensslPrograms: Programs = { openssl };

function* openssl(call: ProgramCall): Task<number> {
  const plain = yield* plainCommand(call);
  if (plain !== undefined) return plain;
  const [command = "", ...args] = call.args;
  const asked = askedOf(args);
  const commands: Readonly<Record<string, (call: ProgramCall, asked: OpensslArguments) => number | Task<number>>> = {
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
  const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (found) return yield* finished(found(call, asked));
  call.err(`openssl: ${command === "" ? "its prompt" : command} is not simulated in this sandbox\n`);
  return 127;
}

/** What the rounds of a password cost. */
const roundsWork = { sha: 4000, md5: 1000 };
/** What making a key costs: longer ones much more. */
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

function genrsa(call: ProgramCall, asked: OpensslArguments): number {
  const made = newKey(call, Number(asked.rest[0] ?? 2048));
  if (made === undefined) return 127;
  write(call, asked.value("out"), made, 0o600);
  return 0;
}

function genpkey(call: ProgramCall, asked: OpensslArguments): number {
  const algorithm = asked.value("algorithm") ?? "";
  if (!/^rsa$/i.test(algorithm)) {
    call.err(`openssl: genpkey of ${algorithm === "" ? "nothing" : algorithm} is not simulated in this sandbox\n`);
    return 127;
  }
  const bits = asked
    .all("pkeyopt")
    .find((one) => one.startsWith("rsa_keygen_bits:"))
    ?.split(":")[1];
  const made = newKey(call, Number(bits ?? 2048));
  if (made === undefined) return 127;
  write(call, asked.value("out"), made, 0o600);
  return 0;
}

function* key(call: ProgramCall, asked: OpensslArguments): Task<number> {
  const name = asked.value("in");
  const pem = privateKeyIn((yield* textOf(call, name)) ?? "");
  const spki = pem && publicKeyOf(pem);
  if (pem === undefined || !spki) return notRead(call, "private key", name);
  if (asked.has("check")) call.out(call.args[0] === "rsa" ? "RSA key ok\n" : "Key is valid\n");
  const numbers = rsaNumbersOf(spki);
  if (asked.has("modulus") && numbers) call.out(`Modulus=${colons(numbers.modulus, true).replaceAll(":", "")}\n`);
  if (asked.has("noout")) return 0;
  if (call.args[0] === "rsa") call.err("writing RSA key\n");
  write(call, asked.value("out"), asked.has("pubout") ? pemText("PUBLIC KEY", spki) : pem, 0o600);
  return 0;
}

/** Who it is for, of `-subj` or of a configuration that asks nothing; else the exit code. */
function subjectFor(call: ProgramCall, asked: OpensslArguments, sections: Sections): Name | number {
  const given = asked.value("subj");
  const section = sections.get("req");
  const isTold = given === undefined && section?.get("prompt") === "no";
  const told = isTold
    ? [...(sections.get(section.get("distinguished_name") ?? "") ?? [])]
        .map(([name, value]) => `/${name.replace(/^\d+\./, "")}=${value}`)
        .join("")
    : given;
  if (told === undefined) {
    call.err("openssl: req without -subj asks questions, which is not simulated in this sandbox\n");
    return 127;
  }
  const subject = subjectOf(told);
  if (!subject) {
    call.err(
      `req: subject name is expected to be in the format /type0=value0/type1=value1/type2=... where characters may be escaped by \\. This name is not in that format: '${told}'\n`,
    );
    return 1;
  }
  if ("unknown" in subject) {
    call.err(`req: Skipping unknown subject name attribute "${subject.unknown}"\n`);
    return subjectOfRest(told, subject.unknown);
  }
  return subject;
}

function subjectOfRest(text: string, unknown: string): Name | number {
  const rest = subjectOf(
    text
      .split("/")
      .filter((one, at) => at === 0 || !one.startsWith(`${unknown}=`))
      .join("/"),
  );
  return rest && !("unknown" in rest) ? rest : 1;
}

function* req(call: ProgramCall, asked: OpensslArguments): Task<number> {
  const config = asked.value("config");
  const sections = sectionsOf(config === undefined ? "" : ((yield* textOf(call, config)) ?? ""));
  if (!asked.has("new") && !asked.has("newkey") && !asked.has("x509")) return yield* shownRequest(call, asked);
  const kind = asked.value("newkey");
  const keyName = asked.value("key");
  const pem =
    kind === undefined && keyName !== undefined
      ? privateKeyIn((yield* textOf(call, keyName)) ?? "")
      : newKey(call, Number(/^rsa:(\d+)$/i.exec(kind ?? "rsa:2048")?.[1] ?? Number.NaN));
  if (pem === undefined)
    return keyName === undefined || kind !== undefined ? 127 : notRead(call, "private key", keyName);
  if (kind !== undefined || keyName === undefined) {
    call.err("-----\n");
    write(call, asked.value("keyout") ?? "privkey.pem", pem, 0o600);
  }
  const subject = subjectFor(call, asked, sections);
  if (typeof subject === "number") return subject;
  const isCertificate = asked.has("x509");
  const section =
    asked.value("extensions") ??
    asked.value("reqexts") ??
    sections.get("req")?.get(isCertificate ? "x509_extensions" : "req_extensions");
  const extensions: Extension[] = [
    ...(section === undefined ? [] : extensionsOf(sections, section)),
    ...asked
      .all("addext")
      .flatMap((one) => extensionOf(one.split("=")[0]?.trim() ?? "", one.slice(one.indexOf("=") + 1).trim(), sections)),
  ];
  charge(call.process, signWork);
  if (!isCertificate) {
    write(call, asked.value("out"), requestPem(subject, pem, extensions));
    return 0;
  }
  const publicKey = publicKeyOf(pem) ?? new Uint8Array();
  const own = {
    subject,
    issuer: subject,
    publicKey,
    issuerKey: publicKey,
    extensions,
    isAuthority: !extensions.some(({ extnID }) => extnID === "2.5.29.19"),
  };
  write(call, asked.value("out"), certificatePem({ ...own, ...lifeOf(call, asked) }, pem));
  return 0;
}

const signWork = 1500;

function lifeOf({ process }: ProgramCall, asked: OpensslArguments) {
  const given = asked.value("set_serial");
  const hex =
    given === undefined
      ? stableHex(`openssl/serial/${process.host}/${process.clockMs}/${process.seed++}`, 40)
      : BigInt(given).toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  const bytes = Uint8Array.from({ length: even.length / 2 }, (_, at) =>
    Number.parseInt(even.slice(at * 2, at * 2 + 2), 16),
  );
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return {
    serial: bytes,
    notBeforeMs: Math.floor(process.clockMs / 1000) * 1000,
    days: Number(asked.value("days") ?? 30),
  };
}

function requestIn(text: string): CertificationRequest | undefined {
  const block = pemBlocks(text).find(({ type }) => /^(NEW )?CERTIFICATE REQUEST$/.test(type));
  return block && readDer(block.bytes, CertificationRequest);
}

function* shownRequest(call: ProgramCall, asked: OpensslArguments): Task<number> {
  const name = asked.value("in");
  const text = (yield* textOf(call, name)) ?? "";
  const found = requestIn(text);
  if (!found) return notRead(call, "certificate request", name);
  const { subject, subjectPKInfo } = found.certificationRequestInfo;
  if (asked.has("verify")) call.err("Certificate request self-signature verify OK\n");
  if (asked.has("text")) call.out(requestText(found));
  if (asked.has("subject")) call.out(`subject=${subjectText(subject)}\n`);
  if (asked.has("pubkey")) call.out(pemText("PUBLIC KEY", derOf(subjectPKInfo)));
  if (!asked.has("noout")) write(call, asked.value("out"), pemText("CERTIFICATE REQUEST", derOf(found)));
  return 0;
}

function* x509(call: ProgramCall, asked: OpensslArguments): Task<number> {
  if (asked.has("req")) return yield* signRequest(call, asked);
  const name = asked.value("in");
  const found = certificateIn((yield* textOf(call, name)) ?? "");
  if (!found) return notRead(call, "certificate", name);
  const { whole, der } = found;
  const { subject, issuer, validity, subjectPublicKeyInfo, extensions = [] } = whole.tbsCertificate;
  const [fromMs, toMs] = [validity.notBefore.getTime().getTime(), validity.notAfter.getTime().getTime()];
  const digest =
    asked.has("sha1") || !asked.has("sha256") ? (["sha1", "SHA1"] as const) : (["sha256", "sha256"] as const);
  const ext = asked.value("ext");
  const tells: Readonly<Record<string, () => string>> = {
    text: () => certificateText(whole),
    serial: () => `serial=${colons(serialOf(whole), true).replaceAll(":", "")}\n`,
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
        extensions.filter((one) => extensionNames[one.extnID] === ext),
        0,
      ),
  };
  // In the order in which they are asked for.
  for (const arg of call.args) {
    const tell = arg.startsWith("-") && Object.hasOwn(tells, arg.slice(1)) ? tells[arg.slice(1)] : undefined;
    if (tell) call.out(tell());
  }
  const check = asked.value("checkend");
  if (check !== undefined) {
    const expires = toMs <= call.process.clockMs + Number(check) * 1000;
    call.out(expires ? "Certificate will expire\n" : "Certificate will not expire\n");
    return expires ? 1 : 0;
  }
  if (!asked.has("noout")) write(call, asked.value("out"), pemText("CERTIFICATE", der));
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

function* signRequest(call: ProgramCall, asked: OpensslArguments): Task<number> {
  const name = asked.value("in");
  const request = requestIn((yield* textOf(call, name)) ?? "");
  if (!request) return notRead(call, "certificate request", name);
  const { subject, subjectPKInfo } = request.certificationRequestInfo;
  call.err(`Certificate request self-signature ok\nsubject=${subjectText(subject)}\n`);
  const keyName = asked.value("CAkey") ?? asked.value("signkey") ?? asked.value("key");
  const pem = privateKeyIn(keyName === undefined ? "" : ((yield* textOf(call, keyName)) ?? ""));
  if (pem === undefined) return notRead(call, asked.has("CAkey") ? "CA private key" : "private key", keyName);
  const caName = asked.value("CA");
  const ca = caName === undefined ? undefined : certificateIn((yield* textOf(call, caName)) ?? "");
  if (caName !== undefined && !ca) return notRead(call, "CA certificate", caName);
  const file = asked.value("extfile");
  const sections = sectionsOf(file === undefined ? "" : ((yield* textOf(call, file)) ?? ""));
  const section = asked.value("extensions") ?? "";
  const copied =
    asked.has("copy_extensions") || call.args.includes("-copy_extensions") ? requestedExtensions(request) : [];
  charge(call.process, signWork);
  const publicKey = derOf(subjectPKInfo);
  const made = certificatePem(
    {
      subject,
      issuer: ca ? ca.whole.tbsCertificate.subject : subject,
      publicKey,
      issuerKey: ca ? derOf(ca.whole.tbsCertificate.subjectPublicKeyInfo) : publicKey,
      extensions: [...extensionsOf(sections, section), ...copied],
      isAuthority: false,
      ...lifeOf(call, asked),
    },
    pem,
  );
  write(call, asked.value("out"), made);
  return 0;
}

function* passwd(call: ProgramCall, asked: OpensslArguments): Task<number> {
  const { process, out } = call;
  const word =
    asked.rest[0] ?? (asked.has("stdin") ? ((yield* takeAll(process, call.input)) ?? "").split("\n")[0] : undefined);
  if (word === undefined) {
    call.err("openssl: passwd without a password asks for one, which is not simulated in this sandbox\n");
    return 127;
  }
  charge(process, asked.has("6") || asked.has("5") ? roundsWork.sha : roundsWork.md5);
  process.version++;
  const made = stableHex(`openssl/salt/${process.host}/${process.clockMs}/${process.seed++}`, 16);
  const salt = asked.value("salt") ?? (asked.has("6") || asked.has("5") ? made : made.slice(0, 8));
  const isSha = asked.has("6") ? "6" : asked.has("5") ? "5" : undefined;
  out(`${isSha ? shaCrypt(word, salt, isSha) : md5Crypt(word, salt, asked.has("apr1") ? "apr1" : "1")}\n`);
  return 0;
}
