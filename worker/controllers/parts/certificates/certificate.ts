// An X.509 certificate, built as Go's `x509.CreateCertificate` builds one: the same extensions in the same order.
import {
  der,
  derInteger,
  derOid,
  derText,
  derTime,
  tags,
} from "../../../kinds/certificates/certificate-signing-request/der.ts";
import type { Authority } from "./authority.ts";
import { type AlternativeNames, nameTags } from "./request.ts";
import type { Usages } from "./usages.ts";

export interface Template {
  /** 16 bytes. */
  readonly serial: Uint8Array;
  readonly subject: ReadonlyMap<string, readonly string[]>;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly publicKey: Uint8Array;
  readonly usages: Usages;
  readonly names: AlternativeNames;
}

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";
/** Country, province, locality, street, postal code, organization, unit, common name, serial number: no others are kept. */
const attributes = ["6", "8", "7", "9", "17", "10", "11", "3", "5"].map((last) => `2.5.4.${last}`);

type Issuer = Pick<Authority, "subject" | "keyId" | "sign">;

/** As PEM. */
export function certificatePem(template: Template, issuer: Issuer): string {
  const extensions = [
    ...keyUsage(template.usages.bits),
    ...extendedUsage(template.usages.extended),
    extension("2.5.29.19", true, der(tags.sequence)),
    extension("2.5.29.35", false, der(tags.sequence, der(0x80, issuer.keyId))),
    ...alternativeNames(template.names, template.subject.size === 0),
  ];
  return signedPem(template, nameDer(template.subject), extensions, issuer);
}

/** The certificate of an authority, signed by itself. */
export function authorityPem(template: Omit<Template, "usages" | "names">, issuer: Issuer): string {
  const isAuthority = der(tags.sequence, der(tags.boolean, Uint8Array.of(0xff)));
  const extensions = [
    // Digital signature, key encipherment, signing of certificates.
    ...keyUsage(Uint8Array.of(0b1010_0100)),
    extension("2.5.29.19", true, isAuthority),
    extension("2.5.29.14", false, der(tags.octetString, issuer.keyId)),
  ];
  return signedPem(template, issuer.subject, extensions, issuer);
}

export function nameDer(subject: ReadonlyMap<string, readonly string[]>): Uint8Array {
  const sets = attributes.flatMap((oid) => {
    const values = subject.get(oid) ?? [];
    if (values.length === 0) return [];
    const encoded = values.map((value) => der(tags.sequence, derOid(oid), derText(value)));
    return [der(tags.set, ...encoded.sort(compareBytes))];
  });
  return der(tags.sequence, ...sets);
}

export function pem(type: string, bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return `-----BEGIN ${type}-----\n${base64.replaceAll(/.{64}(?=.)/g, "$&\n")}\n-----END ${type}-----\n`;
}

function signedPem(
  template: Omit<Template, "usages" | "names">,
  subject: Uint8Array,
  extensions: readonly Uint8Array[],
  issuer: Issuer,
): string {
  const algorithm = der(tags.sequence, derOid(ecdsaWithSha256));
  const content = der(
    tags.sequence,
    // Version 3.
    der(0xa0, derInteger(Uint8Array.of(2))),
    derInteger(template.serial),
    algorithm,
    issuer.subject,
    der(tags.sequence, derTime(template.notBeforeMs), derTime(template.notAfterMs)),
    subject,
    template.publicKey,
    der(0xa3, der(tags.sequence, ...extensions)),
  );
  return pem("CERTIFICATE", der(tags.sequence, content, algorithm, bitString(issuer.sign(content))));
}

/** The order of the members of a set. */
function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}

function extension(oid: string, critical: boolean, content: Uint8Array): Uint8Array {
  const mark = critical ? [der(tags.boolean, Uint8Array.of(0xff))] : [];
  return der(tags.sequence, derOid(oid), ...mark, der(tags.octetString, content));
}

function keyUsage(bits: Uint8Array): Uint8Array[] {
  const last = bits.at(-1);
  if (last === undefined) return [];
  // Zeros at its end are no part of it.
  const unused = Math.log2(last & -last);
  return [extension("2.5.29.15", true, bitString(bits, unused))];
}

function extendedUsage(oids: readonly string[]): Uint8Array[] {
  return oids.length === 0 ? [] : [extension("2.5.29.37", false, der(tags.sequence, ...oids.map(derOid)))];
}

function alternativeNames({ dns, emails, addresses, uris }: AlternativeNames, critical: boolean): Uint8Array[] {
  const texts = (tag: number, values: readonly string[]) =>
    values.map((value) => der(tag, new TextEncoder().encode(value)));
  const names = [
    ...texts(nameTags.dns, dns),
    ...texts(nameTags.email, emails),
    ...addresses.map((bytes) => der(nameTags.address, bytes)),
    ...texts(nameTags.uri, uris),
  ];
  return names.length === 0 ? [] : [extension("2.5.29.17", critical, der(tags.sequence, ...names))];
}

function bitString(bytes: Uint8Array, unused = 0): Uint8Array {
  return der(tags.bitString, Uint8Array.of(unused), bytes);
}
