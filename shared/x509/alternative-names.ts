// Subject alternative names, of requests and of certificates.
import { type Extension, GeneralName, SubjectAlternativeName, id_ce_subjectAltName } from "@peculiar/asn1-x509";
import { parseDer } from "./der.ts";

export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  /** As text: `10.0.0.1`, `fd00::1`. */
  readonly addresses: readonly string[];
  readonly uris: readonly string[];
}

export const noNames: AlternativeNames = { dns: [], emails: [], addresses: [], uris: [] };

/** Throws `DerError` where the extension is malformed. */
export function alternativeNamesOf(extensions: readonly Extension[]): AlternativeNames {
  const extension = extensions.find(({ extnID }) => extnID === id_ce_subjectAltName);
  const names = extension ? [...parseDer(new Uint8Array(extension.extnValue.buffer), SubjectAlternativeName)] : [];
  return {
    dns: names.flatMap(({ dNSName }) => dNSName ?? []),
    emails: names.flatMap(({ rfc822Name }) => rfc822Name ?? []),
    addresses: names.flatMap(({ iPAddress }) => iPAddress ?? []),
    uris: names.flatMap(({ uniformResourceIdentifier }) => uniformResourceIdentifier ?? []),
  };
}

export function generalNames({ dns, emails, addresses, uris }: AlternativeNames): GeneralName[] {
  return [
    ...dns.map((dNSName) => new GeneralName({ dNSName })),
    ...emails.map((rfc822Name) => new GeneralName({ rfc822Name })),
    ...addresses.map((iPAddress) => new GeneralName({ iPAddress })),
    ...uris.map((uniformResourceIdentifier) => new GeneralName({ uniformResourceIdentifier })),
  ];
}
