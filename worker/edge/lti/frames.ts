// The origins that can frame the pages of a launch: those of the platform.
import type { Launch } from "../../lti/id-token.ts";
import type { LtiPlatformRow } from "../db/lti-tables.ts";
import { originOf } from "./page.ts";

/** Canvas has one issuer for all customers, whose pages are on subdomains. */
const canvasPages = "https://*.instructure.com";

export function frameOriginsOf(
  { issuer, authorizationUrl }: Pick<LtiPlatformRow, "issuer" | "authorizationUrl">,
  { returnUrl, deepLinking, isCanvas }: Pick<Launch, "returnUrl" | "deepLinking" | "isCanvas">,
): string[] {
  const platformUrls = [issuer, authorizationUrl, returnUrl, deepLinking?.returnUrl ?? ""];
  const origins = platformUrls.map(originOf).filter((origin) => origin !== undefined);
  return [...new Set([...origins, ...(isCanvas ? [canvasPages] : [])])];
}
