// A PKCS#10 request read as a signer needs it: who asks, for which names, with which key. Pure.
import { type DerValue, oidText, readDer, tags } from "../../../kinds/certificates/certificate-signing-request/der.ts";
import { binaryOf, pemBlocks } from "../../../kinds/certificates/certificate-signing-request/pem.ts";

export interface CertificateRequest {
  /** Values of the subject by attribute: `2.5.4.3` is the common name. */
  readonly subject: ReadonlyMap<string, readonly string[]>;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly names: AlternativeNames;
  /** DER, as in a certificate. */
  readonly publicKey: Uint8Array;
  /** What was signed, and how. */
  readonly signed: Uint8Array;
  readonly algorithm: string;
  readonly signature: Uint8Array;
}

/** Subject alternative names; addresses are 4 or 16 bytes. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  readonly addresses: readonly Uint8Array[];
  readonly uris: readonly string[];
}

const extensionRequest = "1.2.840.113549.1.9.14";
const alternativeName = "2.5.29.17";
export const commonName = "2.5.4.3";
export const organization = "2.5.4.10";

/** The request in `spec.request`, whose form validation has seen to; undefined if it cannot be read all the same. */
export function readRequest(base64: string): CertificateRequest | undefined {
  const block = pemBlocks(binaryOf(base64))[0];
  const [info, algorithm, signature] = (block && readDer(block.bytes)?.[0]?.parts) ?? [];
  const [, name, publicKey, attributes] = info?.parts ?? [];
  const oid = algorithm?.parts[0];
  if (!info || !name || !publicKey || !oid || !signature) return undefined;
  const subject = readName(name);
  return {
    subject,
    commonName: subject.get(commonName)?.at(-1) ?? "",
    organizations: subject.get(organization) ?? [],
    names: readAlternativeNames(extensionsOf(attributes)),
    publicKey: publicKey.whole,
    signed: info.whole,
    algorithm: oidText(oid.bytes),
    // The first byte counts unused bits.
    signature: signature.bytes.subarray(1),
  };
}

/** The values of a name by attribute. */
export function readName(name: DerValue): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const set of name.parts) {
    for (const { parts } of set.parts) {
      const [type, value] = parts;
      if (!type || !value) continue;
      const key = oidText(type.bytes);
      values.set(key, [...(values.get(key) ?? []), new TextDecoder().decode(value.bytes)]);
    }
  }
  return values;
}

function extensionsOf(attributes: DerValue | undefined): readonly DerValue[] {
  const found = attributes?.parts.find(({ parts: [type] }) => type && oidText(type.bytes) === extensionRequest);
  // A set of one list of extensions.
  return found?.parts[1]?.parts[0]?.parts ?? [];
}

function readAlternativeNames(extensions: readonly DerValue[]): AlternativeNames {
  const found = extensions.find(({ parts: [type] }) => type && oidText(type.bytes) === alternativeName);
  const content = found?.parts.find(({ tag }) => tag === tags.octetString);
  const names = (content && readDer(content.bytes)?.[0]?.parts) ?? [];
  const texts = (tag: number) =>
    names.filter((name) => name.tag === tag).map(({ bytes }) => new TextDecoder().decode(bytes));
  const addresses = names.filter(({ tag }) => tag === nameTags.address).map(({ bytes }) => bytes);
  return { dns: texts(nameTags.dns), emails: texts(nameTags.email), addresses, uris: texts(nameTags.uri) };
}

/** The forms of a name, by their tags. */
export const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, address: 0x87 } as const;
