// The certificate of the local https address, signed by an authority that is made once and stays on this machine.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
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
/** Browsers of some systems refuse server certificates that last longer. */
const serverDays = 800;
const renewDays = 30;
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

x509.cryptoProvider.set(webcrypto);

/** The kept one, or a new one where there is none or it soon ends. */
export async function localCertificate(folder: string, nowMs: number): Promise<Certificate> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const certificate = readIfThere(join(folder, "server.crt"));
  const key = readIfThere(join(folder, "server.key"));
  const ca = readPrivate(join(folder, "ca.crt"));
  const isGood = certificate && key && ca && endsAfter(certificate, nowMs + renewDays * dayMs);
  return isGood ? { certificate, key, ca } : makeCertificate(folder, nowMs);
}

async function makeCertificate(folder: string, nowMs: number): Promise<Certificate> {
  const authority = await openAuthority(folder, nowMs);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const server = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: "CN=localhost, O=Sandbar",
    issuer: authority.certificate.subject,
    ...validity(nowMs, serverDays),
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
        { type: "ip", value: "::1" },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const made = {
    certificate: server.toString("pem"),
    key: await exportKey(keys.privateKey),
    ca: authority.certificate.toString("pem"),
  };
  writePrivate(join(folder, "server.key"), made.key);
  writePrivate(join(folder, "server.crt"), made.certificate);
  return made;
}

interface Authority {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

/** Kept, because kubeconfigs that were given out trust it. */
async function openAuthority(folder: string, nowMs: number): Promise<Authority> {
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
    const bytes = x509.PemConverter.decodeFirst(key);
    return {
      certificate: new x509.X509Certificate(certificate),
      key: await webcrypto.subtle.importKey("pkcs8", bytes, algorithm, true, ["sign"]),
    };
  }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: "CN=Sandbar local authority",
    ...validity(nowMs, authorityDays),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  writePrivate(keyPath, await exportKey(keys.privateKey));
  writePrivate(certificatePath, made.toString("pem"));
  return { certificate: made, key: keys.privateKey };
}

function validity(nowMs: number, days: number): { notBefore: Date; notAfter: Date } {
  // A day back, for clocks that disagree.
  return { notBefore: new Date(nowMs - dayMs), notAfter: new Date(nowMs + days * dayMs) };
}

function endsAfter(pem: string, ms: number): boolean {
  return new x509.X509Certificate(pem).notAfter.getTime() > ms;
}

function serial(): string {
  return `00${Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString("hex")}`;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}
