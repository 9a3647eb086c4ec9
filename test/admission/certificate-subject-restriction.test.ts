import { describe, expect, test } from "vitest";
import { certificateSubjectRestriction } from "../../worker/admission/certificate-subject-restriction.ts";
import { certificateSigningRequests } from "../../worker/kinds/certificates/certificate-signing-request.ts";
import { parseRequest } from "../../shared/x509/request.ts";
import { admit, objectOf, requestOf } from "./request.ts";

/** A request with the subject O=devs, O=system:masters, CN=root; RSA. */
const ofMasters = `-----BEGIN CERTIFICATE REQUEST-----
MIICfDCCAWQCAQAwNzENMAsGA1UECgwEZGV2czEXMBUGA1UECgwOc3lzdGVtOm1h
c3RlcnMxDTALBgNVBAMMBHJvb3QwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK
AoIBAQDeK0aOZ4RGx+a+UtN5v5EJ7wMznGEYMLFV214mEEA1qs/2VU51ejHz7x86
lkx2S5oJm2xp0D109lUm9jywLxfBAEDUPcAnc1JJz44aKtgTcOzLGeeJC/FKWgxQ
Lx50AM8QHgFQan6n+b0c8ww8L0g6s7n2YTD/1EzDl/W+TY9rvP2RvU//RqzsefA4
QYpyTstEyxPInZsLRO+w6+/2Mv+6KFIgJDoQFE9+q/v5zWjh3JSTBLcedaNoW5PQ
diCiyty2AHoc+roglU+4SHNPO7OiP8p/IU1aQ3T+TytS4MxdF0/ryzkZZgLGzA0e
6w/RxXJQThuS2umT4dVrrsrzq3b1AgMBAAGgADANBgkqhkiG9w0BAQsFAAOCAQEA
Wwh+KYGw6ymNcjjDznSv55FCLjLkFdLlWQBCK6pC/00oGgSsfmdpyAu2hfQzUOhl
GJVZT7v9/brvglqyiaMDNSHtLHk+1jhFq+f8TSFWKeUQaPFIagO2xJodOSLa9S4s
49FHlRvrD8w2VJP/DMYqPfVAGftb/lXjCp/qyFUn8G7PJaNyp2g8tMXV8PreRkWy
59op6wjdYIQBAxyuc4kZcw52PvZLytdP4THB6BH+NQqHC+ipiEVd+gT2xF785o2A
Hgg1qg32YQA2oTzzaMF08aYeD2skGMScqtRGAUpfaxw1259dteNDxYOu0w/NLKe6
8gn5wV6xEYoQWKDVYxhXww==
-----END CERTIFICATE REQUEST-----
`;
/** A request with the subject O=devs, CN=ann; P-256. */
const ofDevs = `-----BEGIN CERTIFICATE REQUEST-----
MIHXMH8CAQAwHTENMAsGA1UECgwEZGV2czEMMAoGA1UEAwwDYW5uMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEIfyz/ltXSZzL09YF8l61TTOaU746j/7YnCbWI5fX
HyLPrMQ6qnevW63XA/H0b8GuQzFbw1M+EkP/SPEgXGeH3KAAMAoGCCqGSM49BAMC
A0gAMEUCIBSNKtAFbYlflG19+FEb3DbiAZ0lf1TiJePd+LbMBCDMAiEA8LP4lszG
IcbVO9p3BeNg6bHswq7GKNDG6WmA1oQD9pE=
-----END CERTIFICATE REQUEST-----
`;
const client = "kubernetes.io/kube-apiserver-client";

const create = (pem: string, signerName: string) => {
  const object = objectOf(certificateSigningRequests, {
    metadata: { name: "csr" },
    spec: { request: btoa(pem), signerName, usages: ["client auth"] },
  });
  admit(certificateSubjectRestriction, requestOf(certificateSigningRequests, "CREATE", { object }));
};

describe("CertificateSubjectRestriction", () => {
  test("rejects a client certificate of system:masters", () => {
    expect(() => create(ofMasters, client)).toThrow(
      'certificatesigningrequests.certificates.k8s.io "csr" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
  });

  test("allows other groups and other signers", () => {
    expect(() => create(ofDevs, client)).not.toThrow();
    expect(() => create(ofMasters, "example.com/signer")).not.toThrow();
  });
});

describe("a request in PEM", () => {
  test("has the organizations of its subject", () => {
    const masters = { organizations: ["devs", "system:masters"] };
    expect(parseRequest(btoa(ofMasters))).toMatchObject(masters);
    expect(parseRequest(btoa(`text before\n${ofDevs}text after`))).toMatchObject({ organizations: ["devs"] });
  });

  test.each([
    ["", "PEM block type must be CERTIFICATE REQUEST"],
    [ofDevs.replaceAll("CERTIFICATE REQUEST", "CERTIFICATE"), "PEM block type must be CERTIFICATE REQUEST"],
    [
      "-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n",
      "asn1: syntax error: sequence truncated",
    ],
    [
      "-----BEGIN CERTIFICATE REQUEST-----\nMAU=\n-----END CERTIFICATE REQUEST-----\n",
      "asn1: syntax error: data truncated",
    ],
  ])("reports an invalid one: %j", (text, problem) => {
    expect(parseRequest(btoa(text))).toBe(problem);
  });
});
