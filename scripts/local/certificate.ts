// The certificate of the local https address, signed by an authority that is created once and never leaves this machine.
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";
import { mkdirSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { KeyUsageFlags, id_kp_serverAuth } from "@peculiar/asn1-x509";
import { noNames } from "../../shared/x509/alternative-names.ts";
import { authorityPem, certificatePem, type Issuer, readCertificate } from "../../shared/x509/certificate.ts";
import { derOf } from "../../shared/x509/der.ts";
import { commonName, nameOf, organization } from "../../shared/x509/name.ts";
import { pemBlocks } from "../../shared/x509/pem.ts";
import { readIfThere, readPrivate, writePrivate } from "./private-file.ts";
import { Refusal } from "./refusal.ts";

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

const dayMs = 24 * 3600 * 1000;
const authorityDays = 3650;
/** Browsers of some systems refuse server certificates that are valid for longer. */
const serverDays = 800;
const renewDays = 30;
const serialBytes = 16;

/**
 * Returns the stored certificate, or a new one if there is none or it expires soon. `names`: host names and addresses that it must cover,
 * beside `localhost`.
 */
/** `names`: host names and addresses that it must be good for, beside `localhost`. */
export function localCertificate(folder: string, nowMs: number, names: readonly string[] = []): Certificate {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const certificate = readIfThere(join(folder, "server.crt"));
  const key = readIfThere(join(folder, "server.key"));
  const ca = readPrivate(join(folder, "ca.crt"));
  const isGood =
    certificate && key && ca && endsAfter(certificate, nowMs + renewDays * dayMs) && isGoodFor(certificate, names);
  return isGood ? { certificate, key, ca } : makeCertificate(folder, nowMs, names);
}

function makeCertificate(folder: string, nowMs: number, names: readonly string[]): Certificate {
  const authority = openAuthority(folder, nowMs);
  const key = newKey();
  const certificate = certificatePem(
    {
      ...templateFor(key, nowMs, serverDays),
      subject: new Map([
        [commonName, ["localhost"]],
        [organization, ["Sandbar"]],
      ]),
      usages: { flags: KeyUsageFlags.digitalSignature, extended: [id_kp_serverAuth] },
      names: {
        ...noNames,
        dns: unique(["localhost", ...names.filter((name) => isIP(name) === 0)]),
        addresses: unique(["127.0.0.1", "::1", ...names.filter((name) => isIP(name) !== 0)]),
      },
    },
    authority.issuer,
  ).trimEnd();
  writePrivate(join(folder, "server.key"), key);
  writePrivate(join(folder, "server.crt"), certificate);
  return { certificate, key, ca: authority.certificate };
}

/** Opens the authority. It is stored, because kubeconfigs that were handed out trust it. */
function openAuthority(folder: string, nowMs: number): { readonly certificate: string; readonly issuer: Issuer } {
  const certificatePath = join(folder, "ca.crt");
  const keyPath = join(folder, "ca.key");
  const certificate = readPrivate(certificatePath);
  const key = readPrivate(keyPath);
  if (certificate && !key) {
    throw new Refusal(
      `The file ${keyPath} is not there, and ${certificatePath} is: put it back, or remove the folder ${folder}.`,
    );
  }
  if (certificate && key && endsAfter(certificate, nowMs + serverDays * dayMs)) {
    const parsed = readCertificate(pemBlocks(certificate)[0]?.bytes ?? new Uint8Array());
    if (parsed?.keyId) return { certificate, issuer: issuerOf(key, parsed.subject, parsed.keyId) };
  }
  const newAuthorityKey = newKey();
  const subject = derOf(nameOf(new Map([[commonName, ["Sandbar local authority"]]])));
  const keyId = createHash("sha256").update(publicKeyOf(newAuthorityKey)).digest().subarray(0, 20);
  const issuer = issuerOf(newAuthorityKey, subject, keyId);
  const pem = authorityPem(templateFor(newAuthorityKey, nowMs, authorityDays), issuer).trimEnd();
  writePrivate(keyPath, newAuthorityKey);
  writePrivate(certificatePath, pem);
  return { certificate: pem, issuer };
}

function issuerOf(key: string, subject: Uint8Array, keyId: Uint8Array): Issuer {
  return { subject, keyId, sign: (data) => sign("sha256", data, key) };
}

function templateFor(key: string, nowMs: number, days: number) {
  // Valid since a day ago, for clocks that differ.
  const times = { notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + days * dayMs };
  return { serial: randomBytes(serialBytes), publicKey: publicKeyOf(key), ...times };
}

/** Returns PEM of PKCS #8 in the form that `readPrivate` returns: without the end of its last line. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString().trimEnd();
}

function publicKeyOf(privatePem: string): Uint8Array {
  return createPublicKey(privatePem).export({ type: "spki", format: "der" });
}

function isGoodFor(pem: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  const isNamed = (name: string) => certificate.subjectAltName?.split(", ").includes(`DNS:${name}`) === true;
  return names.every((name) => (isIP(name) === 0 ? isNamed(name) : certificate.checkIP(name) !== undefined));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function endsAfter(pem: string, ms: number): boolean {
  return new X509Certificate(pem).validToDate.getTime() > ms;
}
