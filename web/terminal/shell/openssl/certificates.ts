// Certificate requests and certificates, signed with an RSA key.
import { Attributes, CertificationRequest, CertificationRequestInfo } from "@peculiar/asn1-csr";
import { OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  type Name,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
  id_ce_basicConstraints,
  id_ce_subjectAltName,
} from "@peculiar/asn1-x509";
import { type AlternativeNames, generalNames, noNames } from "../../../../shared/x509/alternative-names.ts";
import { derOf, parseDer, readDer } from "../../../../shared/x509/der.ts";
import { pemBlocks, pemText } from "../../../../shared/x509/pem.ts";
import { type KeyPair, signed } from "./keys.ts";

const rsaWithSha256 = new AlgorithmIdentifier({ algorithm: "1.2.840.113549.1.1.11", parameters: null });
const dayMs = 86_400_000;
const serialBytes = 16;

export async function requestPem(subject: Name, key: KeyPair): Promise<string> {
  const info = new CertificationRequestInfo({
    subject,
    subjectPKInfo: parseDer(key.publicKey, SubjectPublicKeyInfo),
    attributes: new Attributes([]),
  });
  const signature = await signed(derOf(info), key);
  const request = new CertificationRequest({
    certificationRequestInfo: info,
    signatureAlgorithm: rsaWithSha256,
    signature,
  });
  return pemText("CERTIFICATE REQUEST", derOf(request));
}

export interface CertificateContents {
  readonly subject: Name;
  readonly issuer: Name;
  /** The subject's SubjectPublicKeyInfo as DER. */
  readonly publicKey: Uint8Array;
  readonly notBeforeMs: number;
  readonly days: number;
  readonly isAuthority: boolean;
  /** The alternative names of the subject. */
  readonly names?: AlternativeNames;
}

/** Creates a certificate that the issuer's key signs. */
export async function certificatePem(contents: CertificateContents, issuerKey: KeyPair): Promise<string> {
  const { subject, issuer, publicKey, notBeforeMs, days, isAuthority } = contents;
  const constraint = new OctetString(derOf(new BasicConstraints({ cA: true })));
  const constraints = new Extension({ extnID: id_ce_basicConstraints, critical: true, extnValue: constraint });
  const names = generalNames(contents.names ?? noNames);
  const alternatives = new OctetString(derOf(new SubjectAlternativeName(names)));
  const extensions = [
    ...(isAuthority ? [constraints] : []),
    ...(names.length > 0 ? [new Extension({ extnID: id_ce_subjectAltName, extnValue: alternatives })] : []),
  ];
  const serial = crypto.getRandomValues(new Uint8Array(serialBytes));
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
  const content = new TBSCertificate({
    version: Version.v3,
    serialNumber: serial.buffer,
    signature: rsaWithSha256,
    issuer,
    validity: new Validity({ notBefore: new Date(notBeforeMs), notAfter: new Date(notBeforeMs + days * dayMs) }),
    subject,
    subjectPublicKeyInfo: parseDer(publicKey, SubjectPublicKeyInfo),
    ...(extensions.length > 0 ? { extensions: new Extensions(extensions) } : {}),
  });
  const signatureValue = await signed(derOf(content), issuerKey);
  const certificate = new Certificate({ tbsCertificate: content, signatureAlgorithm: rsaWithSha256, signatureValue });
  return pemText("CERTIFICATE", derOf(certificate));
}

export function readRequest(pem: string): CertificationRequest | undefined {
  const block = pemBlocks(pem).find(({ type }) => type === "CERTIFICATE REQUEST");
  return block && readDer(block.bytes, CertificationRequest);
}

export function readCertificate(pem: string): Certificate | undefined {
  const block = pemBlocks(pem).find(({ type }) => type === "CERTIFICATE");
  return block && readDer(block.bytes, Certificate);
}
