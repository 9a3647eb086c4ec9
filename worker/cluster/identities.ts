// Who the sandbox lets in beside the holders of its own tokens, as its settings say.
import type { Clock } from "../../shared/base/clock.ts";
import { authenticatorOf } from "../../shared/contract/jwt-authenticator.ts";
import type { SandboxSettings } from "../../shared/contract/sandbox-settings.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { duplicate, type FieldError, path } from "../../shared/k8s/field.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { authenticatorErrors } from "../api/authentication/claim-rules.ts";
import { newIssuers } from "../api/authentication/issuers.ts";
import type { ApiServer } from "../api/api-server.ts";
import type { Sql } from "../store/sql.ts";
import { clusterAuthority } from "./certificates/authority.ts";
import { holderOf, refusedCertificatesMs } from "./certificates/client-certificate.ts";
import { identify } from "./tokens.ts";

type Options = Pick<SandboxSettings, "anonymousAccess" | "oidcIssuers" | "jwtAuthenticators">;

/** What is wrong with the issuers beside their form, and where; undefined where nothing is. */
export function issuersProblem({ oidcIssuers, jwtAuthenticators }: Options): FieldError | undefined {
  const at = path("jwtAuthenticators");
  const errors = jwtAuthenticators.flatMap((one, index) => authenticatorErrors(one, at.index(index)));
  const urls = [...oidcIssuers.map(({ issuerUrl }) => issuerUrl), ...jwtAuthenticators.map(({ issuer }) => issuer.url)];
  const again = urls.findIndex((url, index) => urls.indexOf(url) < index) - oidcIssuers.length;
  if (again >= 0) errors.push(duplicate(at.index(again).child("issuer", "url"), urls[again + oidcIssuers.length]));
  return errors[0];
}

/**
 * All that the API asks about who someone is. The sandbox's own tokens and those of issuers live by the machine's clock, certificates that
 * the cluster signed by the cluster's.
 */
export function identitiesOf(
  { anonymousAccess, oidcIssuers, jwtAuthenticators }: Options,
  sql: Sql,
  clock: Clock,
  ask: (call: OutboundCall) => Promise<OutboundAnswer>,
  meter: WorkMeter,
  clusterClock: Clock = clock,
): Pick<ApiServer, "authenticate" | "holderOf" | "issuers" | "letsAnonymous"> {
  const authority = clusterAuthority(sql, clock);
  const nowMs = () => clock.nowMs();
  return {
    authenticate: (token) => identify(sql, token, nowMs()),
    holderOf: (certificate) => holderOf(authority, certificate, clusterClock.nowMs(), refusedCertificatesMs(sql)),
    issuers: newIssuers([...oidcIssuers.map(authenticatorOf), ...jwtAuthenticators], ask, nowMs, meter),
    letsAnonymous: anonymousAccess,
  };
}
