// The paths of LTI 1.3.

export function isLti({ pathname }: URL): boolean {
  return pathname.startsWith("/lti/");
}

/** Returns a path without the ticket of a registration or a preview, which is a secret, for the log. */
export function withoutTicket(pathname: string): string {
  return pathname.replace(/^(\/lti\/[^/]*\/register\/|\/preview\/).+/, "$1...");
}
