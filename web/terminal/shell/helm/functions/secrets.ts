// Functions of sprig on random values, digests, keys and certificates.
import { base64Of, textOfBase64 } from "../../../../../shared/base/base64.ts";
import { bytesOfText } from "../../../../../shared/base/byte-text.ts";
import type { Random } from "../../../../../shared/base/random.ts";
import { nameOf, type NameValues } from "../../../../../shared/x509/name.ts";
import { sha256Hex } from "../../../../kubectl/resources/sha256.ts";
import { certificatePem, readCertificate } from "../../openssl/certificates.ts";
import { newKeyPem, readKeyPair } from "../../openssl/keys.ts";
import { define, type Functions } from "../template/builtins.ts";
import { CallError, TemplateLimit } from "../template/errors.ts";
import { Struct } from "../template/values.ts";
import type { Effects } from "./effects.ts";
import { textsOf } from "./text.ts";

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const digits = "0123456789";
const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join("");
const maxLength = 100_000;
const keyBits = 2048;

interface Issued {
  readonly cert: string;
  readonly key: string;
}

interface CertificateRequest {
  readonly name: string;
  readonly days: bigint;
  readonly addresses: readonly string[];
  readonly hosts: readonly string[];
  readonly isAuthority: boolean;
  readonly issuer?: Issued;
  readonly key?: string;
}

async function issue(request: CertificateRequest, nowMs: number): Promise<Issued> {
  const key = request.key ?? (await newKeyPem(keyBits)).replaceAll("\r", "");
  const pair = await readKeyPair(key);
  const issuerPair = request.issuer ? await readKeyPair(request.issuer.key) : pair;
  if (!pair || !issuerPair) throw new CallError("only RSA keys in PKCS #8 are simulated in this terminal");
  const values: NameValues = new Map([["2.5.4.3", [request.name]]]);
  const authority = request.issuer && readCertificate(request.issuer.cert);
  if (request.issuer && !authority) throw new CallError("unable to parse certificate");
  const subject = nameOf(values);
  const cert = await certificatePem(
    {
      subject,
      issuer: authority?.tbsCertificate.subject ?? subject,
      publicKey: pair.publicKey,
      notBeforeMs: nowMs,
      days: Number(request.days),
      isAuthority: request.isAuthority,
      names: { dns: [...request.hosts], emails: [], addresses: [...request.addresses], uris: [] },
    },
    issuerPair,
  );
  return { cert, key };
}

function structOf({ cert, key }: Issued): Struct {
  return new Struct("sprig.certificate", { Cert: cert, Key: key });
}

function issuedOf(value: unknown): Issued {
  if (value instanceof Struct && value.type === "sprig.certificate")
    return { cert: String(value.fields.get("Cert")), key: String(value.fields.get("Key")) };
  throw new CallError("wrong type for value; expected sprig.certificate");
}

/** Throws CallError with sprig's words. */
function decoded(base64: string, noun: string): string {
  try {
    return textOfBase64(base64);
  } catch {
    throw new CallError(`unable to decode base64 ${noun}`);
  }
}

async function digest(algorithm: string, text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest(algorithm, bytesOfText(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function certificateFunctions(effects: Effects, nowMs: () => number): Functions {
  const certify = (request: CertificateRequest) => {
    const result = effects.result(effects.nextKey("certificate"), () => issue(request, nowMs()));
    return structOf(result as Issued); // The line above started it.
  };
  const authority = (name: string, days: bigint, key?: string) =>
    certify({ name, days, addresses: [], hosts: [], isAuthority: true, ...(key ? { key } : {}) });
  const leaf = (name: string, addresses: unknown, hosts: unknown, days: bigint, issuer?: unknown, key?: string) =>
    certify({
      name,
      days,
      addresses: textsOf(addresses),
      hosts: textsOf(hosts),
      isAuthority: false,
      ...(issuer === undefined ? {} : { issuer: issuedOf(issuer) }),
      ...(key ? { key } : {}),
    });
  return {
    genCA: define("si", (name: string, days: bigint) => authority(name, days)),
    genCAWithKey: define("sis", authority),
    genSelfSignedCert: define("saai", (name: string, ips: unknown, hosts: unknown, days: bigint) =>
      leaf(name, ips, hosts, days),
    ),
    genSelfSignedCertWithKey: define("saais", (name: string, ips: unknown, hosts: unknown, days: bigint, key: string) =>
      leaf(name, ips, hosts, days, undefined, key),
    ),
    genSignedCert: define("saaia", leaf),
    genSignedCertWithKey: define("saaias", leaf),
    buildCustomCert: define("ss", (cert: string, key: string) =>
      structOf({ cert: decoded(cert, "certificate"), key: decoded(key, "private key") }),
    ),
    genPrivateKey: define("s", (kind: string) => {
      if (kind !== "rsa") throw new CallError(`a key of type ${kind} is not simulated in this terminal`);
      return effects.result(effects.nextKey("key"), () => newKeyPem(keyBits));
    }),
  };
}

/** Creates the functions of one rendering. `random` starts anew in each attempt, so that all attempts agree. */
export function secretFunctions(effects: Effects, random: Random, nowMs: () => number): Functions {
  const sizeOf = (count: bigint) => {
    if (count > BigInt(maxLength))
      throw new TemplateLimit(`a random text of more than ${maxLength} characters cannot be held`);
    return Math.max(0, Number(count));
  };
  const pick = (alphabet: string, count: bigint) =>
    Array.from({ length: sizeOf(count) }, () => alphabet.charAt(Math.floor(random.next() * alphabet.length))).join("");
  const unsupported = (name: string) =>
    define("a*", () => {
      throw new CallError(`${name} is not simulated in this terminal`);
    });
  const hex = (count: bigint) => pick("0123456789abcdef", count);
  return {
    ...certificateFunctions(effects, nowMs),
    randAlphaNum: define("i", (count: bigint) => pick(letters + digits, count)),
    randAlpha: define("i", (count: bigint) => pick(letters, count)),
    randNumeric: define("i", (count: bigint) => pick(digits, count)),
    randAscii: define("i", (count: bigint) => pick(printable, count)),
    randBytes: define("i", (count: bigint) =>
      base64Of(Uint8Array.from({ length: sizeOf(count) }, () => Math.floor(random.next() * 256))),
    ),
    randInt: define("ii", (low: bigint, high: bigint) => {
      if (high <= low) throw new CallError("invalid argument to Intn");
      return low + BigInt(Math.floor(random.next() * Number(high - low)));
    }),
    shuffle: define("s", (text: string) =>
      [...text]
        .map((letter) => ({ letter, at: random.next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ letter }) => letter)
        .join(""),
    ),
    uuidv4: define("", () => `${hex(8n)}-${hex(4n)}-4${hex(3n)}-${pick("89ab", 1n)}${hex(3n)}-${hex(12n)}`),
    sha256sum: define("s", (text: string) => sha256Hex(bytesOfText(text))),
    sha1sum: define("s", (text: string) => effects.result(`SHA-1 ${text}`, () => digest("SHA-1", text))),
    sha512sum: define("s", (text: string) => effects.result(`SHA-512 ${text}`, () => digest("SHA-512", text))),
    ...Object.fromEntries(
      ["bcrypt", "htpasswd", "derivePassword", "encryptAES", "decryptAES", "fromToml", "urlParse", "urlJoin"].map(
        (name) => [name, unsupported(name)],
      ),
    ),
    getHostByName: define("s", () => ""),
  };
}
