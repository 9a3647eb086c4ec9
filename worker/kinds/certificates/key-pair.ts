// What Go's TLS says of a certificate and its key in PEM, as far as their blocks tell; what is in them is not looked at.
import { binaryOf, pemBlocks } from "./pem.ts";

/** `certificate` and `key`: base64 of the PEM text. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  return ofCertificate(typesOf(certificate)) ?? ofKey(typesOf(key));
}

function typesOf(base64: string): string[] {
  return pemBlocks(binaryOf(base64)).map(({ type }) => type);
}

function ofCertificate(types: readonly string[]): string | undefined {
  if (types.includes("CERTIFICATE")) return undefined;
  const [first] = types;
  if (first === undefined) return "tls: failed to find any PEM data in certificate input";
  if (types.length === 1 && first.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function ofKey(types: readonly string[]): string | undefined {
  if (types.some((type) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"))) return undefined;
  const [first] = types;
  if (first === undefined) return "tls: failed to find any PEM data in key input";
  if (types.length === 1 && first === "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}
