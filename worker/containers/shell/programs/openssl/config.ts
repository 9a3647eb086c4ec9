// Parses openssl's configuration files, as far as requests and certificates need them: sections of `name = value`.
import { OctetString } from "@peculiar/asn1-schema";
import { BasicConstraints, ExtendedKeyUsage, Extension, KeyUsage, KeyUsageFlags } from "@peculiar/asn1-x509";
import { derOf } from "../../../../../shared/x509/der.ts";
import { alternativeNames } from "./sign.ts";

export type Sections = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Returns the sections of a file. Lines before the first section are in the section "". */
export function sectionsOf(text: string): Sections {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  sections.set("", section);
  for (const rawLine of text.split("\n")) {
    const comment = rawLine.search(/(?<!\S)#/);
    const line = (comment < 0 ? rawLine : rawLine.slice(0, comment)).trim();
    const name = line.startsWith("[") && line.endsWith("]") ? line.slice(1, -1).trim() : undefined;
    if (name !== undefined) {
      section = sections.get(name) ?? new Map<string, string>();
      sections.set(name, section);
      continue;
    }
    const equals = line.indexOf("=");
    if (equals > 0) section.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
  }
  return sections;
}

const flags: Readonly<Record<string, number>> = {
  digitalSignature: KeyUsageFlags.digitalSignature,
  nonRepudiation: KeyUsageFlags.nonRepudiation,
  keyEncipherment: KeyUsageFlags.keyEncipherment,
  dataEncipherment: KeyUsageFlags.dataEncipherment,
  keyAgreement: KeyUsageFlags.keyAgreement,
  keyCertSign: KeyUsageFlags.keyCertSign,
  cRLSign: KeyUsageFlags.cRLSign,
};
const purposes: Readonly<Record<string, string>> = {
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
  codeSigning: "1.3.6.1.5.5.7.3.3",
  emailProtection: "1.3.6.1.5.5.7.3.4",
};

/** Returns the extensions of one section. openssl computes the identifiers of keys itself. */
export function extensionsOf(sections: Sections, name: string): readonly Extension[] {
  return [...(sections.get(name) ?? [])].flatMap(([key, value]) => extensionOf(key, value, sections));
}

export function extensionOf(key: string, extensionValue: string, sections: Sections): readonly Extension[] {
  const words = extensionValue.split(",").map((word) => word.trim());
  const critical = words[0] === "critical";
  const values = critical ? words.slice(1) : words;
  const of = (extnID: string, content: unknown) => [
    new Extension({ extnID, critical, extnValue: new OctetString(derOf(content)) }),
  ];
  switch (key) {
    case "subjectAltName": {
      const section = values[0]?.startsWith("@") ? sections.get(values[0].slice(1)) : undefined;
      const named = section && [...section].map(([name, value]) => `${name.replace(/\.\d+$/, "")}:${value}`);
      return [alternativeNames((named ?? values).join(","))];
    }
    case "basicConstraints":
      return of("2.5.29.19", new BasicConstraints({ cA: values.some((value) => /^CA:\s*TRUE$/i.test(value)) }));
    case "keyUsage":
      return of("2.5.29.15", new KeyUsage(values.reduce((sum, value) => sum | (flags[value] ?? 0), 0)));
    case "extendedKeyUsage":
      return of("2.5.29.37", new ExtendedKeyUsage(values.map((value) => purposes[value] ?? value)));
    default:
      return [];
  }
}
