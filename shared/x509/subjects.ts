// Parses and formats names of certificates as openssl does: `/O=devs/CN=ada`, `O=devs, CN=ada`.
import {
  AttributeTypeAndValue,
  AttributeValue,
  type Name,
  Name as NewName,
  RelativeDistinguishedName,
} from "@peculiar/asn1-x509";

const types: Readonly<Record<string, string>> = {
  CN: "2.5.4.3",
  SN: "2.5.4.4",
  serialNumber: "2.5.4.5",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  street: "2.5.4.9",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  emailAddress: "1.2.840.113549.1.9.1",
  DC: "0.9.2342.19200300.100.1.25",
};
const shortNames = new Map(Object.entries(types).map(([name, type]) => [type, name]));

/** Parses a name. Returns the type that is not known, or undefined for a text that does not begin with a slash. */
export function subjectOf(text: string): Name | { readonly unknown: string } | undefined {
  if (!text.startsWith("/")) return undefined;
  const attributes: RelativeDistinguishedName[] = [];
  for (const segment of text.slice(1).split(/(?<!\\)\//)) {
    if (segment === "") continue;
    const [, name = "", value = ""] = /^([^=]*)=([^]*)$/.exec(segment) ?? [undefined, segment, ""];
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) return { unknown: name };
    const attributeValue = new AttributeValue({ utf8String: value.replace(/\\(.)/g, "$1") });
    attributes.push(new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value: attributeValue })]));
  }
  return new NewName(attributes);
}

export function subjectText(name: Name): string {
  return [...name]
    .map((set) => [...set].map(({ type, value }) => `${shortNames.get(type) ?? type}=${value.toString()}`).join(" + "))
    .join(", ");
}
