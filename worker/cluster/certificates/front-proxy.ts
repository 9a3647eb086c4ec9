// Who a cluster is to the servers of its aggregated APIs: a client certificate, and the authority by which they know it (upstream:
// `--proxy-client-cert-file` and `--requestheader-client-ca-file`). Made at first use and kept with the cluster.
import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import type { Clock } from "../../../shared/base/clock.ts";
import { noNames } from "../../../shared/x509/alternative-names.ts";
import { certificatePem } from "../../../shared/x509/certificate.ts";
import { commonName } from "../../../shared/x509/name.ts";
import type { FrontProxy } from "../../controllers/authentication-trust.ts";
import { usagesOf } from "../../controllers/common/certificate-usages.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";
import { authorityOf, makeAuthority } from "./authority.ts";

const metaKey = "frontProxy";
/** As kubeadm names them. */
const authorityName = "front-proxy-ca";
const clientName = "front-proxy-client";

export function frontProxy(sql: Sql, clock: Clock): () => FrontProxy {
  let known: FrontProxy | undefined;
  return () => (known ??= kept(sql, clock.nowMs()));
}

function kept(sql: Sql, nowMs: number): FrontProxy {
  const text = readMeta(sql, metaKey);
  // Only this function writes it.
  if (text !== undefined) return JSON.parse(text) as FrontProxy;
  const made = makeFrontProxy(nowMs);
  writeMeta(sql, metaKey, JSON.stringify(made));
  return made;
}

export function makeFrontProxy(nowMs: number): FrontProxy {
  const made = makeAuthority(nowMs, authorityName);
  const authority = authorityOf(() => made, authorityName);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const certificate = certificatePem(
    {
      serial: randomBytes(8),
      subject: new Map([[commonName, [clientName]]]),
      notBeforeMs: nowMs,
      notAfterMs: made.notAfterMs,
      publicKey: createPublicKey(key).export({ type: "spki", format: "der" }),
      usages: usagesOf(["digital signature", "key encipherment", "client auth"]),
      names: noNames,
    },
    authority,
  );
  return { authority: made.certificate, name: clientName, certificate, key };
}
