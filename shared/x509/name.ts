// The name of a certificate's subject or issuer, as values by attribute type: `2.5.4.3` is the common name.
import { AttributeTypeAndValue, AttributeValue, Name, RelativeDistinguishedName } from "@peculiar/asn1-x509";
import { derOf } from "./der.ts";

export type NameValues = ReadonlyMap<string, readonly string[]>;

export const commonName = "2.5.4.3";
export const organization = "2.5.4.10";

/** The object identifiers of attributes in the order in which Go writes them: country, province, locality, street, postal code, organization, unit, common name, serial number. */
const attributeOrder = ["6", "8", "7", "9", "17", "10", "11", "3", "5"].map((last) => `2.5.4.${last}`);

export function valuesOf(name: Name): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const set of name) {
    for (const { type, value } of set) values.set(type, [...(values.get(type) ?? []), value.toString()]);
  }
  return values;
}

/** Returns the name with these values. Attributes that Go's `pkix.Name` has no field for are left out. */
export function nameOf(values: NameValues): Name {
  return new Name(attributeOrder.flatMap((type) => relativeName(type, values.get(type) ?? [])));
}

function relativeName(type: string, values: readonly string[]): RelativeDistinguishedName[] {
  if (values.length === 0) return [];
  const attributes = values.map((text) => new AttributeTypeAndValue({ type, value: attributeValue(text) }));
  return [new RelativeDistinguishedName(attributes.sort((a, b) => compareBytes(derOf(a), derOf(b))))];
}

function attributeValue(text: string): AttributeValue {
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text);
  return new AttributeValue(isPrintable ? { printableString: text } : { utf8String: text });
}

/** Compares the encodings of two members of a set, which DER sorts. */
function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const at = left.findIndex((byte, index) => byte !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}
