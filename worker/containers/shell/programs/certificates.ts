// The lines that TLS clients print about a server's certificate: its content and its problems.
import type { ShownCertificate } from "../../../../shared/k8s/port-request.ts";

export interface CertificateProblem {
  /** The problem in curl's words, and OpenSSL's number of it. */
  readonly text: string;
  readonly result: string;
}

interface Trust {
  /** The text of the client's CA file; undefined if it uses those of its image. */
  readonly trusted: string | undefined;
  /** Whether the host is a name of the cluster, whose authority no image knows. */
  readonly isLocal: boolean;
  readonly nowMs: number;
}

/** Returns why a client rejects a certificate; undefined if it accepts it. An unknown server is trusted with the CA file that belongs to it. */
export function certificateProblem(
  certificate: ShownCertificate | undefined,
  host: string,
  { trusted, isLocal, nowMs }: Trust,
): CertificateProblem | undefined {
  if (!certificate)
    return isLocal && trusted === undefined ? failed("unable to get local issuer certificate", 20) : undefined;
  const isKnown =
    trusted !== undefined && certificate.pem !== "" && squeezed(trusted).includes(squeezed(certificate.pem));
  const isSelfSigned = certificate.subject === certificate.issuer;
  // A CA file is only checked for containing a certificate.
  const isIssued = trusted !== undefined && !isSelfSigned && /BEGIN CERTIFICATE/.test(trusted);
  if (!isKnown && !isIssued)
    return isSelfSigned ? failed("self-signed certificate", 18) : failed("unable to get local issuer certificate", 20);
  if (nowMs > certificate.notAfterMs) return failed("certificate has expired", 10);
  const wildcard = host.includes(".") ? `*${host.slice(host.indexOf("."))}` : host;
  if (certificate.names.includes(host) || certificate.names.includes(wildcard)) return undefined;
  const text = `SSL: no alternative certificate subject name matches target host name '${host}'`;
  return { text, result: "ok" };
}

function failed(why: string, number: number): CertificateProblem {
  return { text: `SSL certificate problem: ${why}`, result: `${why} (${number}), continuing anyway` };
}

function squeezed(pem: string): string {
  return pem.replace(/\s+/g, "");
}

/** Returns lines of `curl -v`, without their stars. */
export function handshake(certificate: ShownCertificate, problem: CertificateProblem | undefined): string[] {
  const date = (ms: number) => {
    const text = new Date(ms).toUTCString();
    return `${text.slice(8, 11)} ${text.slice(5, 7).replace(/^0/, " ")} ${text.slice(17, 25)} ${text.slice(12, 16)} GMT`;
  };
  return [
    "ALPN: curl offers h2,http/1.1",
    "SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384 / X25519 / RSASSA-PSS",
    "ALPN: server accepted http/1.1",
    "Server certificate:",
    ` subject: ${certificate.subject.replaceAll(", ", "; ")}`,
    ` start date: ${date(certificate.notBeforeMs)}`,
    ` expire date: ${date(certificate.notAfterMs)}`,
    ` issuer: ${certificate.issuer.replaceAll(", ", "; ")}`,
    ` SSL certificate ${problem ? `verify result: ${problem.result}.` : "verify ok."}`,
  ];
}
