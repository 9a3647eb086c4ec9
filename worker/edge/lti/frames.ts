// Which origins may frame what a launch opens: those of the platform, as it says of itself.
import type { Launch } from "../../lti/id-token.ts";
import type { LtiPlatformRow } from "../db/lti-tables.ts";
import { originOf } from "./page.ts";

/** Canvas' issuer is one for all of its customers, whose pages are at names of their own. */
const canvasPages = "https://*.instructure.com";

export function framesOf(
  { issuer, authorizationUrl }: Pick<LtiPlatformRow, "issuer" | "authorizationUrl">,
  { returnUrl, deepLinking, isCanvas }: Pick<Launch, "returnUrl" | "deepLinking" | "isCanvas">,
): string[] {
  const said = [issuer, authorizationUrl, returnUrl, deepLinking?.returnUrl ?? ""];
  const origins = said.map(originOf).filter((one) => one !== undefined);
  return [...new Set([...origins, ...(isCanvas ? [canvasPages] : [])])];
}
