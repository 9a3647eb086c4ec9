// Who the sandbox lets in beside the holders of its own tokens: what it was told when it was made, kept with it.
import type { Clock } from "../../shared/base/clock.ts";
import type { InitializeOptions } from "../../shared/contract/cluster-object.ts";
import type { OidcIssuer } from "../../shared/contract/issuer.ts";
import { authenticatorOf, type JwtAuthenticator } from "../../shared/contract/jwt-authenticator.ts";
import { duplicate, type FieldError, path } from "../../shared/k8s/field.ts";
import type { Answer, Question } from "../../shared/k8s/outbound-call.ts";
import { authenticatorErrors } from "../api/authentication/claim-rules.ts";
import { newIssuers } from "../api/authentication/issuers.ts";
import type { Service } from "../api/api-server.ts";
import type { Sql } from "../store/sql.ts";
import { readMeta, writeMeta } from "../store/tables.ts";
import { clusterAuthority } from "./authority.ts";
import { holderOf } from "./client-certificate.ts";
import { identify } from "./tokens.ts";

const anonymousKey = "anonymousAccess";
const issuersKey = "oidcIssuers";
const authenticatorsKey = "jwtAuthenticators";

type Options = Pick<InitializeOptions, "anonymousAccess" | "oidcIssuers" | "jwtAuthenticators">;

/** What is wrong with the issuers beside their form, and where; undefined where nothing is. */
export function issuersProblem({ oidcIssuers, jwtAuthenticators }: Options): FieldError | undefined {
  const at = path(authenticatorsKey);
  const errors = jwtAuthenticators.flatMap((one, index) => authenticatorErrors(one, at.index(index)));
  const urls = [...oidcIssuers.map(({ issuerUrl }) => issuerUrl), ...jwtAuthenticators.map(({ issuer }) => issuer.url)];
  const again = urls.findIndex((url, index) => urls.indexOf(url) < index) - oidcIssuers.length;
  if (again >= 0) errors.push(duplicate(at.index(again).child("issuer", "url"), urls[again + oidcIssuers.length]));
  return errors[0];
}

export function keepIdentities(sql: Sql, { anonymousAccess, oidcIssuers, jwtAuthenticators }: Options): void {
  if (anonymousAccess) writeMeta(sql, anonymousKey, "true");
  if (oidcIssuers.length > 0) writeMeta(sql, issuersKey, JSON.stringify(oidcIssuers));
  if (jwtAuthenticators.length > 0) writeMeta(sql, authenticatorsKey, JSON.stringify(jwtAuthenticators));
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
  const authenticators = JSON.parse(readMeta(sql, authenticatorsKey) ?? "[]") as JwtAuthenticator[];
  return {
    authenticate: (token) => identify(sql, token, nowMs()),
    holderOf: (certificate) => holderOf(authority, certificate, nowMs()),
    issuers: newIssuers([...issuers.map(authenticatorOf), ...authenticators], ask, nowMs),
    letsAnonymous: readMeta(sql, anonymousKey) === "true",
  };
}
