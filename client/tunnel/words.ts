// Words Node's errors like Go's HTTP client, because people search for those when a webhook fails.

/** Returns the message. `host` includes its port. */
export function wordsOf(error: unknown, host: string): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError" || error.name === "AbortError") return "context deadline exceeded";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const name = host.replace(/:\d+$/, "");
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${host}: connect: connection refused`;
    case "EHOSTUNREACH":
      return `dial tcp ${host}: connect: no route to host`;
    case "ENETUNREACH":
      return `dial tcp ${host}: connect: network is unreachable`;
    case "ETIMEDOUT":
      return `dial tcp ${host}: i/o timeout`;
    case "ENOTFOUND":
      return `dial tcp: lookup ${name}: no such host`;
    case "EAI_AGAIN":
      return `dial tcp: lookup ${name}: server misbehaving`;
    case "ECONNRESET":
      return "EOF";
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return "http: server gave HTTP response to HTTPS client";
    default:
      return certificateWords(code, error.message) ?? error.message;
  }
}

function certificateWords(code: string, message: string): string | undefined {
  const failed = (why: string) => `tls: failed to verify certificate: x509: ${why}`;
  switch (code) {
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "CERT_SIGNATURE_FAILURE":
      return failed("certificate signed by unknown authority");
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return failed("certificate has expired or is not yet valid");
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return failed(nameWords(message));
    default:
      return undefined;
  }
}

/** Rewords `Host: x. is not in the cert's altnames: DNS:a, DNS:b` in Go's order. */
function nameWords(message: string): string {
  const [, host = "", altNames = ""] = /Host: (.*?)\. is not .*?altnames: (.*)$/.exec(message) ?? [];
  if (altNames === "") return message;
  const names = altNames.split(", ").map((altName) => altName.replace(/^(DNS|IP Address):/, ""));
  return `certificate is valid for ${names.join(", ")}, not ${host}`;
}
