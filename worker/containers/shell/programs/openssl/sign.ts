// Creates certificates and requests as openssl does, signed with an RSA or P-256 key from a file.
import { createHash, sign } from "node:crypto";
import { Attributes, CertificationRequest, CertificationRequestInfo } from "@peculiar/asn1-csr";
import { OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  Attribute,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  KeyIdentifier,
  type Name,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { must } from "../../../../../shared/base/assert.ts";
import { generalNames } from "../../../../../shared/x509/alternative-names.ts";
import { derOf, parseDer } from "../../../../../shared/x509/der.ts";
import { pemText } from "../../../../../shared/x509/pem.ts";
import { rsaNumbersOf } from "../../../../../shared/x509/public-key.ts";
import { publicKeyOf } from "./rsa.ts";

function algorithmOf(key: string): AlgorithmIdentifier {
  return rsaNumbersOf(spkiOf(key))
    ? new AlgorithmIdentifier({ algorithm: "1.2.840.113549.1.1.11", parameters: null })
    : new AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" });
}

function spkiOf(key: string): Uint8Array {
  return must(publicKeyOf(key), "a key that was read");
}

function signatureOf(data: Uint8Array, key: string): ArrayBuffer {
  return Uint8Array.from(sign("sha256", data, key)).buffer;
}

/** Parses `DNS:a.example,IP:10.0.0.1` into an extension. */
export function alternativeNames(text: string): Extension {
  const entries = text.split(",").map((entry) => entry.trim().split(/:(.*)/s));
  const of = (kind: string) => entries.filter(([name]) => name === kind).map(([, value = ""]) => value.trim());
  const names = generalNames({ dns: of("DNS"), emails: of("email"), addresses: of("IP"), uris: of("URI") });
  return extension("2.5.29.17", false, new SubjectAlternativeName(names));
}

function extension(extnID: string, critical: boolean, content: unknown): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(derOf(content)) });
}

export function requestPem(subject: Name, key: string, extensions: readonly Extension[]): string {
  const requestAttribute = new Attribute({
    type: "1.2.840.113549.1.9.14",
    values: [derOf(new Extensions([...extensions])).buffer],
  });
  const info = new CertificationRequestInfo({
    subject,
    subjectPKInfo: parseDer(spkiOf(key), SubjectPublicKeyInfo),
    attributes: new Attributes(extensions.length > 0 ? [requestAttribute] : []),
  });
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: algorithmOf(key),
    signature: signatureOf(derOf(info), key),
  });
  return pemText("CERTIFICATE REQUEST", derOf(request));
}

export interface CertificateContents {
  readonly subject: Name;
  readonly issuer: Name;
  /** The subject's SubjectPublicKeyInfo as DER. */
  readonly publicKey: Uint8Array;
  /** The issuer's SubjectPublicKeyInfo as DER. */
  readonly issuerKey: Uint8Array;
  readonly serial: Uint8Array;
  readonly notBeforeMs: number;
  readonly days: number;
  readonly isAuthority: boolean;
  readonly extensions: readonly Extension[];
}

const dayMs = 86_400_000;

/** Creates a certificate. `key`: the issuer's key as PEM. */
export function certificatePem(contents: CertificateContents, key: string): string {
  const { subject, issuer, publicKey, issuerKey, serial, notBeforeMs, days } = contents;
  const algorithm = algorithmOf(key);
  const extensions = [
    ...contents.extensions,
    extension("2.5.29.14", false, new SubjectKeyIdentifier(keyId(publicKey))),
    extension("2.5.29.35", false, new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyId(issuerKey)) })),
    ...(contents.isAuthority ? [extension("2.5.29.19", true, new BasicConstraints({ cA: true }))] : []),
  ];
  const content = new TBSCertificate({
    version: Version.v3,
    serialNumber: Uint8Array.from(serial).buffer,
    signature: algorithm,
    issuer,
    validity: new Validity({ notBefore: new Date(notBeforeMs), notAfter: new Date(notBeforeMs + days * dayMs) }),
    subject,
    subjectPublicKeyInfo: parseDer(publicKey, SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const certificate = new Certificate({
    tbsCertificate: content,
    signatureAlgorithm: algorithm,
    signatureValue: signatureOf(derOf(content), key),
  });
  return pemText("CERTIFICATE", derOf(certificate));
}

/** Returns the hash of the key itself, without the algorithm. */
function keyId(publicKey: Uint8Array): Uint8Array {
  const { subjectPublicKey } = parseDer(publicKey, SubjectPublicKeyInfo);
  return new Uint8Array(createHash("sha1").update(new Uint8Array(subjectPublicKey)).digest());
}
