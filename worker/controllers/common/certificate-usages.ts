// The usages of a CertificateSigningRequest as key usage flags and extended key usages.
import { KeyUsageFlags } from "@peculiar/asn1-x509";
import type { Usages } from "../../../shared/x509/certificate.ts";

const flags: Readonly<Record<string, KeyUsageFlags>> = {
  signing: KeyUsageFlags.digitalSignature,
  "digital signature": KeyUsageFlags.digitalSignature,
  "content commitment": KeyUsageFlags.nonRepudiation,
  "key encipherment": KeyUsageFlags.keyEncipherment,
  "data encipherment": KeyUsageFlags.dataEncipherment,
  "key agreement": KeyUsageFlags.keyAgreement,
  "cert sign": KeyUsageFlags.keyCertSign,
  "crl sign": KeyUsageFlags.cRLSign,
  "encipher only": KeyUsageFlags.encipherOnly,
  "decipher only": KeyUsageFlags.decipherOnly,
};

/** Extended usages in the order in which Go writes them. */
const extended: readonly (readonly [usage: string, oid: string])[] = [
  ["any", "2.5.29.37.0"],
  ["server auth", "1.3.6.1.5.5.7.3.1"],
  ["client auth", "1.3.6.1.5.5.7.3.2"],
  ["code signing", "1.3.6.1.5.5.7.3.3"],
  ["email protection", "1.3.6.1.5.5.7.3.4"],
  ["s/mime", "1.3.6.1.5.5.7.3.4"],
  ["ipsec end system", "1.3.6.1.5.5.7.3.5"],
  ["ipsec tunnel", "1.3.6.1.5.5.7.3.6"],
  ["ipsec user", "1.3.6.1.5.5.7.3.7"],
  ["timestamping", "1.3.6.1.5.5.7.3.8"],
  ["ocsp signing", "1.3.6.1.5.5.7.3.9"],
  ["microsoft sgc", "1.3.6.1.4.1.311.10.3.3"],
  ["netscape sgc", "2.16.840.1.113730.4.1"],
];

export function usagesOf(names: readonly string[]): Usages {
  const oids = extended.filter(([usage]) => names.includes(usage)).map(([, oid]) => oid);
  return {
    flags: names.reduce((sum, name) => sum | (Object.hasOwn(flags, name) ? (flags[name] ?? 0) : 0), 0),
    extended: [...new Set(oids)],
  };
}
