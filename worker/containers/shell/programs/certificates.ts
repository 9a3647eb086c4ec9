// What a client of TLS says of a server's certificate: what stands in it, and what is wrong with it.
import type { ShownCertificate } from "../../../../shared/k8s/port-request.ts";

export interface CertificateProblem {
  /** In curl's words, and with OpenSSL's number. */
  readonly text: string;
  readonly result: string;
}

interface Trust {
  /** The text of the file of authorities that the client was given; undefined for those of its image. */
  readonly trusted: string | undefined;
  /** It is a name of the cluster, whose authority no image knows. */
  readonly isLocal: boolean;
  readonly nowMs: number;
}

/** Undefined where the client is content. A server of which nothing is known is trusted with the file that goes with it. */
export function certificateProblem(
  shown: ShownCertificate | undefined,
  host: string,
  { trusted, isLocal, nowMs }: Trust,
): CertificateProblem | undefined {
  if (!shown)
    return isLocal && trusted === undefined ? failed("unable to get local issuer certificate", 20) : undefined;
  const isKnown = trusted !== undefined && shown.pem !== "" && squeezed(trusted).includes(squeezed(shown.pem));
  const isSelfSigned = shown.subject === shown.issuer;
  // Of an authority's certificate in a file no more is read than that there is one.
  const isIssued = trusted !== undefined && !isSelfSigned && /BEGIN CERTIFICATE/.test(trusted);
  if (!isKnown && !isIssued)
    return isSelfSigned ? failed("self-signed certificate", 18) : failed("unable to get local issuer certificate", 20);
  if (nowMs > shown.notAfterMs) return failed("certificate has expired", 10);
  const wildcard = host.includes(".") ? `*${host.slice(host.indexOf("."))}` : host;
  if (shown.names.includes(host) || shown.names.includes(wildcard)) return undefined;
  const text = `SSL: no alternative certificate subject name matches target host name '${host}'`;
  return { text, result: "ok" };
}

function failed(why: string, number: number): CertificateProblem {
  return { text: `SSL certificate problem: ${why}`, result: `${why} (${number}), continuing anyway` };
}

function squeezed(pem: string): string {
  return pem.replace(/\s+/g, "");
}

/** Lines of `curl -v`, without their stars. */
export function handshake(shown: ShownCertificate, problem: CertificateProblem | undefined): string[] {
  const date = (ms: number) => {
    const text = new Date(ms).toUTCString();
    return `${text.slice(8, 11)} ${text.slice(5, 7).replace(/^0/, " ")} ${text.slice(17, 25)} ${text.slice(12, 16)} GMT`;
  };
  return [
    "ALPN: curl offers h2,http/1.1",
    "SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384 / X25519 / RSASSA-PSS",
    "ALPN: server accepted http/1.1",
    "Server certificate:",
    ` subject: ${shown.subject.replaceAll(", ", "; ")}`,
    ` start date: ${date(shown.notBeforeMs)}`,
    ` expire date: ${date(shown.notAfterMs)}`,
    ` issuer: ${shown.issuer.replaceAll(", ", "; ")}`,
    ` SSL certificate ${problem ? `verify result: ${problem.result}.` : "verify ok."}`,
  ];
}
