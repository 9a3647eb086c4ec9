// The certificate controllers with real keys: approval of kubelets' requests, the four signers, and the cleaner.
import "reflect-metadata";
import { X509Certificate } from "node:crypto";
import { KeyUsageFlags, KeyUsagesExtension, X509Certificate as PeculiarCertificate } from "@peculiar/x509";
import { describe, expect, test } from "vitest";
import type { CertificateSigningRequest } from "../../../shared/k8s/api/certificates-v1.ts";
import { certificateSigningRequests } from "../../../worker/kinds/certificates/certificate-signing-request.ts";
import { localClient } from "../../../worker/registry/local-client.ts";
import { testAuthority } from "../../authority.ts";
import { certificateRequest, type KeyKind } from "../../certificate-request.ts";
import { type TestCluster, newCluster } from "../../cluster.ts";

const hourMs = 3_600_000;
const client = "kubernetes.io/kube-apiserver-client";
const kubeletClient = "kubernetes.io/kube-apiserver-client-kubelet";
const kubeletServing = "kubernetes.io/kubelet-serving";

interface Asked {
  readonly subject: string;
  readonly names?: string;
  readonly signerName?: string;
  readonly usages?: CertificateSigningRequest["spec"]["usages"];
  readonly expirationSeconds?: number;
  readonly key?: KeyKind;
  /** The requester. Default: an administrator. */
  readonly user?: string;
  readonly groups?: readonly string[];
}

function ask(cluster: TestCluster, requestOptions: Asked): CertificateSigningRequest {
  const { signerName = client, usages = ["client auth"], expirationSeconds, user, groups = [] } = requestOptions;
  const actor = user === undefined ? undefined : { user: { name: user, groups }, origin: "test", manager: "test" };
  const writer = actor ? localClient(cluster.registry, { actor: () => actor }) : cluster.client;
  const created = writer.create(certificateSigningRequests, {
    metadata: { generateName: "csr-" },
    spec: {
      request: btoa(certificateRequest(requestOptions.subject, requestOptions.names, requestOptions.key).request),
      signerName,
      usages,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    },
  });
  cluster.step(0);
  return now(cluster, created);
}

function now(cluster: TestCluster, { metadata }: CertificateSigningRequest): CertificateSigningRequest {
  return cluster.get(certificateSigningRequests, "", metadata.name ?? "");
}

function decide(cluster: TestCluster, csr: CertificateSigningRequest, type: "Approved" | "Denied") {
  const status = { ...csr.status, conditions: [{ type, status: "True", reason: "Test" }] };
  cluster.client.updateSubresource(certificateSigningRequests, "approval", { ...csr, status });
  cluster.step(0);
  return now(cluster, csr);
}

function certificateOf({ status }: CertificateSigningRequest): X509Certificate {
  return new X509Certificate(atob(status.certificate ?? ""));
}

function conditionsOf({ status }: CertificateSigningRequest): string[] {
  return (status.conditions ?? []).map(({ type, reason = "", message = "" }) => `${type} ${reason}: ${message}`);
}

function keyUsages({ status }: CertificateSigningRequest): number | undefined {
  const certificate = new PeculiarCertificate(atob(status.certificate ?? ""));
  return certificate.getExtension(KeyUsagesExtension)?.usages;
}

describe("the signer", () => {
  test("issues a certificate of its authority for an approved client", () => {
    const cluster = newCluster({ nodes: 0 });
    const request = ask(cluster, { subject: "/O=developers/CN=anna" });
    expect(request.status.certificate).toBeUndefined();
    const csr = decide(cluster, request, "Approved");
    const authority = new X509Certificate(testAuthority.certificate);
    const certificate = certificateOf(csr);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.subject).toBe("O=developers\nCN=anna");
    // For clients.
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.ca).toBe(false);
    expect(certificateOf(csr).validFrom).toBe("Dec 31 23:55:00 2025 GMT");
    expect(certificateOf(csr).validTo).toBe("Dec 31 23:55:00 2026 GMT");
  });

  test.each(["ec", "rsa", "ed25519"] as const)("signs a key of the kind %s", (key) => {
    const cluster = newCluster({ nodes: 0 });
    const csr = decide(cluster, ask(cluster, { subject: "/CN=anna", key }), "Approved");
    expect(certificateOf(csr).publicKey.asymmetricKeyType).toBe(key);
    expect(certificateOf(csr).verify(new X509Certificate(testAuthority.certificate).publicKey)).toBe(true);
  });

  test("sets the requested lifetime, at least ten minutes, without shortening short ones by the backdate", () => {
    const cluster = newCluster({ nodes: 0 });
    const lasting = (expirationSeconds: number) =>
      certificateOf(decide(cluster, ask(cluster, { subject: "/CN=anna", expirationSeconds }), "Approved")).validTo;
    expect(lasting(3600)).toBe("Jan  1 01:00:00 2026 GMT");
    expect(lasting(600)).toBe("Jan  1 00:10:00 2026 GMT");
    expect(lasting(24 * 3600)).toBe("Jan  1 23:55:00 2026 GMT");
    expect(lasting(2 ** 31 - 1)).toBe("Dec 31 23:55:00 2026 GMT");
  });

  test("keeps names in order, and orders the subject", () => {
    const cluster = newCluster({ nodes: 0 });
    const names = "URI:spiffe://a/b,IP:10.0.0.1,DNS:web.default,email:a@b.c,IP:fd00::1,DNS:web";
    const csr = decide(cluster, ask(cluster, { subject: "/CN=x/OU=u/O=b/O=a/C=DE", names }), "Approved");
    expect(certificateOf(csr).subjectAltName).toBe(
      "DNS:web.default, DNS:web, email:a@b.c, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, URI:spiffe://a/b",
    );
    expect(certificateOf(csr).subject.split("\n")).toEqual(["C=DE", "O=a + O=b", "OU=u", "CN=x"]);
  });

  test("sets Failed with the reason for a request that its signer does not allow", () => {
    const cluster = newCluster({ nodes: 0 });
    const why = (requestOptions: Asked) => conditionsOf(decide(cluster, ask(cluster, requestOptions), "Approved"))[1];
    const serving: Partial<Asked> = { signerName: kubeletServing, usages: ["digital signature", "server auth"] };
    const node = "/O=system:nodes/CN=system:node:n1";
    const failed = (message: string) => `Failed SignerValidationFailure: ${message}`;
    expect(why({ subject: "/CN=a", usages: ["server auth"] })).toBe(
      failed("invalid usage for client certificate: server auth"),
    );
    expect(why({ subject: "/CN=a", usages: ["digital signature"] })).toBe(
      failed("missing required usage for client certificate: client auth"),
    );
    expect(why({ ...serving, subject: "/CN=a" })).toBe(failed("subject organization is not system:nodes"));
    expect(why({ ...serving, subject: node })).toBe(failed("DNS or IP subjectAltName is required"));
    expect(why({ ...serving, subject: node, names: "DNS:a,email:a@b.c" })).toBe(
      failed("Email subjectAltNames are not allowed"),
    );
    expect(why({ ...serving, subject: node, names: "DNS:a,URI:a://b" })).toBe(
      failed("URI subjectAltNames are not allowed"),
    );
    expect(why({ ...serving, subject: node, names: "DNS:a", usages: ["client auth"] })).toBe(
      failed("usages did not match [digital signature key encipherment server auth]"),
    );
    expect(why({ ...serving, subject: "/O=system:nodes/CN=a", names: "DNS:a" })).toBe(
      failed("subject common name does not begin with system:node:"),
    );
    const kubelet: Partial<Asked> = { signerName: kubeletClient, usages: ["digital signature", "client auth"] };
    expect(why({ ...kubelet, subject: node, names: "DNS:a" })).toBe(failed("DNS subjectAltNames are not allowed"));
    expect(why({ ...kubelet, subject: node, names: "IP:10.0.0.1" })).toBe(failed("IP subjectAltNames are not allowed"));
  });

  test("signs a kubelet's serving certificate", () => {
    const cluster = newCluster({ nodes: 0 });
    const usages: Asked["usages"] = ["digital signature", "key encipherment", "server auth"];
    const subject = "/O=system:nodes/CN=system:node:n1";
    const csr = ask(cluster, { subject, names: "DNS:n1,IP:10.0.0.1", signerName: kubeletServing, usages });
    expect(csr.status.conditions).toBeUndefined();
    const both = KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment;
    expect(keyUsages(decide(cluster, csr, "Approved"))).toBe(both);
  });

  test("ignores denied requests, and requests for other signers", () => {
    const cluster = newCluster({ nodes: 0 });
    expect(decide(cluster, ask(cluster, { subject: "/CN=a" }), "Denied").status.certificate).toBeUndefined();
    const foreignRequest = ask(cluster, { subject: "/CN=a", signerName: "example.com/mine" });
    expect(decide(cluster, foreignRequest, "Approved").status.certificate).toBeUndefined();
  });
});

describe("the approver", () => {
  const usages: Asked["usages"] = ["digital signature", "client auth"];
  const subject = "/O=system:nodes/CN=system:node:n1";

  test("approves a node's request for itself, which is then signed", () => {
    const cluster = newCluster({ nodes: 0 });
    const user = "system:node:n1";
    const csr = ask(cluster, { subject, signerName: kubeletClient, usages, user, groups: ["system:nodes"] });
    expect(conditionsOf(csr)).toEqual([
      "Approved AutoApproved: Auto approving self kubelet client certificate after SubjectAccessReview.",
    ]);
    expect(certificateOf(csr).subject).toBe("O=system:nodes\nCN=system:node:n1");
  });

  test("approves a bootstrapper's request for a node", () => {
    const cluster = newCluster({ nodes: 0 });
    const groups = ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token"];
    const csr = ask(cluster, { subject, signerName: kubeletClient, usages, user: "system:bootstrap:abcdef", groups });
    expect(conditionsOf(csr)).toEqual([
      "Approved AutoApproved: Auto approving kubelet client certificate after SubjectAccessReview.",
    ]);
  });

  test("ignores requests without permission, and requests that are not a kubelet's", () => {
    const cluster = newCluster({ nodes: 0 });
    const stranger = { user: "anna", groups: ["system:authenticated"] };
    const conditions = (requestOptions: Asked) => ask(cluster, requestOptions).status.conditions;
    expect(conditions({ subject, signerName: kubeletClient, usages, ...stranger })).toBeUndefined();
    expect(conditions({ subject: "/CN=a", signerName: kubeletClient, usages })).toBeUndefined();
    expect(conditions({ subject, usages: ["client auth"] })).toBeUndefined();
  });
});

describe("the cleaner", () => {
  test("deletes an issued or denied request after an hour, a pending one after a day", () => {
    const cluster = newCluster({ nodes: 0 });
    const issued = decide(cluster, ask(cluster, { subject: "/CN=a" }), "Approved");
    const denied = decide(cluster, ask(cluster, { subject: "/CN=a" }), "Denied");
    const waiting = ask(cluster, { subject: "/CN=a" });
    const foreign = decide(cluster, ask(cluster, { subject: "/CN=a", signerName: "example.com/mine" }), "Approved");
    const requestNames = () => cluster.client.list(certificateSigningRequests).map(({ metadata }) => metadata.name);
    expect(requestNames()).toHaveLength(4);
    cluster.step(hourMs);
    expect(requestNames()).toHaveLength(4);
    cluster.step(1);
    expect(requestNames()).not.toContain(issued.metadata.name);
    expect(requestNames()).not.toContain(denied.metadata.name);
    expect(requestNames()).toHaveLength(2);
    cluster.step(23 * hourMs);
    expect(requestNames()).toEqual([]);
    expect([waiting.metadata.name, foreign.metadata.name]).not.toContain(undefined);
    cluster.runUntilQuiet();
  });

  test("deletes a request whose certificate has expired", () => {
    const cluster = newCluster({ nodes: 0 });
    decide(cluster, ask(cluster, { subject: "/CN=a", expirationSeconds: 600 }), "Approved");
    cluster.step(600_000);
    expect(cluster.client.list(certificateSigningRequests)).toHaveLength(1);
    cluster.step(1);
    expect(cluster.client.list(certificateSigningRequests)).toEqual([]);
  });
});

test("a subject is encoded in Go's order, with several values of an attribute as a set", () => {
  const cluster = newCluster({ nodes: 0 });
  const subject = "/CN=ada/O=longer/O=b/OU=unit/L=town/ST=land/C=DE";
  const { subject: written } = certificateOf(decide(cluster, ask(cluster, { subject }), "Approved"));
  expect(written).toBe("C=DE\nST=land\nL=town\nO=b + O=longer\nOU=unit\nCN=ada");
});
