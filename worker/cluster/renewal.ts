// The renewal of the administrator's credentials: another token in place of the ones before, and no certificate of before.
import type { RenewedTokens } from "../../shared/contract/cluster-object.ts";
import { certificateCredential } from "../api/filters/authentication.ts";
import type { Sql } from "../store/sql.ts";
import { refuseCertificates } from "./client-certificate.ts";
import { renewTokens } from "./tokens.ts";

/** Returns the ids of the credentials that end. */
export function renewCredentials(sql: Sql, renewed: RenewedTokens, nowMs: number): string[] {
  const ended = renewTokens(sql, renewed);
  if (renewed.revoke === "none") return ended;
  refuseCertificates(sql, nowMs);
  return [...ended, certificateCredential];
}
