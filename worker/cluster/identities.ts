// Who the sandbox lets in beside the holders of its own tokens: what it was told when it was made, kept with it.
import type { Clock } from "../../shared/base/clock.ts";
import type { InitializeOptions } from "../../shared/contract/cluster-object.ts";
import type { OidcIssuer } from "../../shared/contract/issuer.ts";
import type { Answer, Question } from "../../shared/k8s/question.ts";
import { newIssuers } from "../api/accounts/issuers.ts";
import type { Service } from "../api/service.ts";
import type { Sql } from "../store/sql.ts";
import { readMeta, writeMeta } from "../store/tables.ts";
import { clusterAuthority } from "./authority.ts";
import { holderOf } from "./client-certificate.ts";
import { identify } from "./tokens.ts";

const anonymousKey = "anonymousAccess";
const issuersKey = "oidcIssuers";

type Options = Pick<InitializeOptions, "anonymousAccess" | "oidcIssuers">;

export function keepIdentities(sql: Sql, { anonymousAccess, oidcIssuers }: Options): void {
  if (anonymousAccess) writeMeta(sql, anonymousKey, "true");
  if (oidcIssuers.length > 0) writeMeta(sql, issuersKey, JSON.stringify(oidcIssuers));
}

/** All that the API asks about who someone is; time is the machine's. */
export function identitiesOf(
  sql: Sql,
  clock: Clock,
  ask: (question: Question) => Promise<Answer>,
): Pick<Service, "authenticate" | "holderOf" | "issuers" | "letsAnonymous"> {
  const authority = clusterAuthority(sql, clock);
  const nowMs = () => clock.nowMs();
  // Only the function above writes them.
  const issuers = JSON.parse(readMeta(sql, issuersKey) ?? "[]") as OidcIssuer[];
  return {
    authenticate: (token) => identify(sql, token, nowMs()),
    holderOf: (certificate) => holderOf(authority, certificate, nowMs()),
    issuers: newIssuers(issuers, ask, nowMs),
    letsAnonymous: readMeta(sql, anonymousKey) === "true",
  };
}
