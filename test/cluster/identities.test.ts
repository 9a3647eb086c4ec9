// Tokens and client certificates of a cluster: creation, lists, revocation and expiry.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { RenewedTokens } from "../../shared/contract/cluster-object.ts";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { authorityOf, makeAuthority } from "../../worker/cluster/certificates/authority.ts";
import {
  holderOf,
  refuseCertificates,
  refusedCertificatesMs,
} from "../../worker/cluster/certificates/client-certificate.ts";
import { identitiesOf } from "../../worker/cluster/identities.ts";
import {
  addToken,
  adminToken,
  identify,
  listTokens,
  removeToken,
  renewTokens,
  storeToken,
} from "../../worker/cluster/tokens.ts";
import { certificateSigningRequests } from "../../worker/kinds/certificates/certificate-signing-request.ts";
import { createTables } from "../../worker/store/tables.ts";
import { testAuthority } from "../authority.ts";
import { certificateRequest } from "../certificate-request.ts";
import { newCluster } from "../cluster.ts";
import { nodeSql } from "../sqlite.ts";

const startMs = Date.UTC(2026, 0, 1);
const hash = (token: string) => createHash("sha256").update(token).digest("hex");

function newToken(token: string, expiresAtMs: number | undefined = startMs + 1000) {
  return { hash: hash(token), user: "ada", groups: ["devs"], expiresAtMs, readOnly: false, frameOrigins: [] };
}

function tables() {
  const sql = nodeSql();
  createTables(sql);
  return sql;
}

describe("tokens", () => {
  test("a token authenticates its user until it expires, as a member of system:authenticated", () => {
    const sql = tables();
    expect(addToken(sql, newToken("a"), startMs)).toBe(true);
    const user = { name: "ada", groups: ["devs", "system:authenticated"] };
    const credential = { id: hash("a").slice(0, 20), endsMs: startMs + 1000 };
    expect(identify(sql, "a", startMs)).toEqual({ user, readOnly: false, credential });
    expect(identify(sql, "a", startMs + 1000)).toBeUndefined();
    expect(identify(sql, "b", startMs)).toBeUndefined();
  });

  test("a revoked token is refused at once; the administrator's is neither listed nor revoked", () => {
    const sql = tables();
    storeToken(sql, adminToken(hash("root")));
    addToken(sql, newToken("a"), startMs);
    identify(sql, "a", startMs);
    const { hash: _, ...tokenFacts } = newToken("a");
    const id = hash("a").slice(0, 20);
    expect(listTokens(sql, startMs)).toEqual([{ ...tokenFacts, id }]);
    expect([removeToken(sql, id), removeToken(sql, id), removeToken(sql, "")]).toEqual([true, false, false]);
    expect(identify(sql, "a", startMs)).toBeUndefined();
    expect(removeToken(sql, hash("root").slice(0, 20))).toBe(false);
    expect(identify(sql, "root", startMs)?.user.name).toBe("kubernetes-admin");
  });

  test("renewing the administrator's token revokes the previous one, and other tokens only by name or all together", () => {
    const names = ["new", "root", "a", "b"];
    const left = (revoke: RenewedTokens["revoke"], renewed = "new") => {
      const sql = tables();
      storeToken(sql, adminToken(hash("root")));
      for (const tokenName of ["a", "b"]) addToken(sql, newToken(tokenName), startMs);
      for (const name of names) identify(sql, name, startMs);
      const ended = renewTokens(sql, { adminTokenHash: hash(renewed), revoke });
      const identified = names.filter((name) => identify(sql, name, startMs) !== undefined);
      const endedTokens = names.filter((name) => ended.includes(hash(name).slice(0, 20)));
      return [identified.join(), endedTokens.join()];
    };
    expect(left([])).toEqual(["new,a,b", "root"]);
    expect(left([hash("b")])).toEqual(["new,a", "root,b"]);
    expect(left("all")).toEqual(["new", "root,a,b"]);
    expect(left("none")).toEqual(["new,root,a,b", ""]);
    // The same again ends nothing.
    expect(left([], "root")).toEqual(["root,a,b", ""]);
  });

  test("the number of tokens is bounded, and expired tokens make room", () => {
    const sql = tables();
    for (let round = 0; round < limits.sandboxTokens; round++)
      expect(addToken(sql, newToken(`${round}`), startMs)).toBe(true);
    expect(addToken(sql, newToken("more"), startMs)).toBe(false);
    // One that is there takes no other place.
    expect(addToken(sql, { ...newToken("0"), groups: ["others"] }, startMs)).toBe(true);
    expect(identify(sql, "0", startMs)?.user.groups).toContain("others");
    expect(addToken(sql, newToken("more", startMs + 9000), startMs + 1000)).toBe(true);
    expect(listTokens(sql, startMs + 1000).map(({ id }) => id)).toEqual([hash("more").slice(0, 20)]);
  });
});

describe("the sandbox's settings are stored at its creation", () => {
  const ask = () => Promise.reject(new Error("nobody is asked"));

  test("requests without credentials are refused unless the settings allow them", () => {
    for (const anonymousAccess of [false, true]) {
      const settings = { anonymousAccess, oidcIssuers: [], jwtAuthenticators: [] };
      expect(identitiesOf(settings, tables(), { nowMs: () => startMs }, ask, new WorkMeter()).letsAnonymous).toBe(
        anonymousAccess,
      );
    }
  });
});

describe("client certificates", () => {
  /** DER as base64, as the edge passes it on. */
  function issued(
    subject: string,
    signerName = "kubernetes.io/kube-apiserver-client",
    usage: "client auth" | "server auth" = "client auth",
  ) {
    const cluster = newCluster({ nodes: 0 });
    const { request } = certificateRequest(subject, usage === "server auth" ? "DNS:node-1" : "");
    const usages = ["digital signature", usage] as const;
    const certificateSigningRequest = cluster.client.create(certificateSigningRequests, {
      metadata: { name: "csr" },
      spec: { request: btoa(request), signerName, usages },
    });
    const approved = { type: "Approved", status: "True", reason: "Test", message: "" };
    const decided = { ...certificateSigningRequest, status: { conditions: [approved] } };
    cluster.client.updateSubresource(certificateSigningRequests, "approval", decided);
    cluster.step(1000);
    const { certificate = "" } = cluster.get(certificateSigningRequests, "", "csr").status;
    return atob(certificate)
      .split("\n")
      .filter((line) => !line.startsWith("-----"))
      .join("");
  }

  test("a certificate that the cluster signed authenticates its common name, with its organizations as groups", () => {
    const certificate = issued("/O=devs/O=ops/CN=ada");
    const id = `X509SHA256=${createHash("sha256").update(Buffer.from(certificate, "base64")).digest("hex")}`;
    expect(holderOf(testAuthority, certificate, startMs + 1000)).toEqual({
      name: "ada",
      groups: ["ops", "devs"],
      extra: { "authentication.kubernetes.io/credential-id": [id] },
    });
  });

  test("a certificate outside its validity, of another authority, for servers, or changed is refused", () => {
    const certificate = issued("/CN=ada");
    const dayMs = 24 * 3_600_000;
    expect(holderOf(testAuthority, certificate, startMs - dayMs)).toBeUndefined();
    expect(holderOf(testAuthority, certificate, startMs + 364 * dayMs)?.name).toBe("ada");
    expect(holderOf(testAuthority, certificate, startMs + 366 * dayMs)).toBeUndefined();
    const otherAuthority = makeAuthority(startMs);
    expect(
      holderOf(
        authorityOf(() => otherAuthority),
        certificate,
        startMs,
      ),
    ).toBeUndefined();
    const renamed = btoa(atob(certificate).replace("ada", "bob"));
    expect(renamed).not.toBe(certificate);
    expect(holderOf(testAuthority, renamed, startMs)).toBeUndefined();
    const serving = issued("/O=system:nodes/CN=system:node:node-1", "kubernetes.io/kubelet-serving", "server auth");
    expect(serving.length).toBeGreaterThan(100);
    expect(holderOf(testAuthority, serving, startMs + 1000)).toBeUndefined();
  });

  test("a certificate from before a rotation is refused, and one from after it is accepted", () => {
    // It was issued at the first second, though it says five minutes before.
    const certificate = issued("/CN=ada");
    const holder = (refusedMs: number) => holderOf(testAuthority, certificate, startMs + 600_000, refusedMs)?.name;
    const sql = tables();
    expect(holder(refusedCertificatesMs(sql))).toBe("ada");
    refuseCertificates(sql, startMs - 1000);
    expect(holder(refusedCertificatesMs(sql))).toBe("ada");
    refuseCertificates(sql, startMs + 1999);
    expect(holder(refusedCertificatesMs(sql))).toBeUndefined();
  });

  test("bytes that are not a certificate are refused without an error", () => {
    const certificate = issued("/CN=ada");
    for (const text of [
      "",
      "AAAA",
      "MAA=",
      "not base64!",
      certificate.slice(0, 400),
      `${certificate.slice(0, -8)}AAAAAAA=`,
    ]) {
      expect(holderOf(testAuthority, text, startMs)).toBeUndefined();
    }
  });
});
