// Names of certificates as openssl reads and writes them: `/O=devs/CN=ada`, `O=devs, CN=ada`.
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

/** The name, or the type that is not known; undefined for a text that does not begin with a slash. */
export function subjectOf(text: string): Name | { readonly unknown: string } | undefined {
  if (!text.startsWith("/")) return undefined;
  const parts: RelativeDistinguishedName[] = [];
  for (const part of text.slice(1).split(/(?<!\\)\//)) {
    if (part === "") continue;
    const [, name = "", value = ""] = /^([^=]*)=([^]*)$/.exec(part) ?? [undefined, part, ""];
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) return { unknown: name };
    const said = new AttributeValue({ utf8String: value.replace(/\\(.)/g, "$1") });
    parts.push(new RelativeDistinguishedName([new AttributeTypeAndValue({ type, value: said })]));
  }
  return new NewName(parts);
}

export function subjectText(name: Name): string {
  return [...name]
    .map((set) => [...set].map(({ type, value }) => `${shortNames.get(type) ?? type}=${value.toString()}`).join(" + "))
    .join(", ");
}
