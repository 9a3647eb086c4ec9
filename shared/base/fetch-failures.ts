// Converts failures of the platform's fetch to the messages of Go's HTTP client.

export const deadlineExceeded = "context deadline exceeded";
const whileReading = "unexpected error when reading response body. Please retry. Original error: ";

/** Returns client-go's message for a response that was interrupted. */
export function bodyFailure(why: string): string {
  return whileReading + (why === "EOF" ? "unexpected EOF" : why);
}

/** Reports whether the response had begun. Only earlier failures are reported with the request's method and URL. */
export function isBodyFailure(message: string): boolean {
  return message.startsWith(whileReading);
}

const unknownAuthority = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
const onlyPublic =
  "the hosted service knows public authorities only: open a tunnel, whose end honours others; see docs/WEBHOOKS.md";

/**
 * Returns the message for a status with which Cloudflare answers for an unreachable server; undefined for any other. `hasOwnTrust`: whether
 * the caller brings its own authorities, or accepts any certificate, which the platform's fetch does not support.
 */
export function platformFailure(
  status: number,
  { hasOwnTrust }: { readonly hasOwnTrust: boolean },
): string | undefined {
  switch (status) {
    case 521:
      return "connect: connection refused";
    case 522:
    case 524:
      return "i/o timeout";
    case 523:
      return "connect: no route to host";
    case 525:
      return "remote error: tls: handshake failure";
    case 526:
      return hasOwnTrust ? `${unknownAuthority} (${onlyPublic})` : unknownAuthority;
    case 530:
      return "no such host";
    default:
      return undefined;
  }
}

export function fetchFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === "TimeoutError" || error.name === "AbortError" ? deadlineExceeded : error.message;
}
