// Golden timelines of certificates: every event and every step, in order.
import { expect, test } from "vitest";
import { certificateSigningRequests } from "../../../worker/kinds/certificates/certificate-signing-request.ts";
import { newCluster } from "../../cluster.ts";
import { timeline } from "../timeline.ts";

/** `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -subj /CN=anna` */
const anna = `-----BEGIN CERTIFICATE REQUEST-----
MIHIMHECAQAwDzENMAsGA1UEAwwEYW5uYTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABFjoTuDa1kx2yPT2CquDUtPpRZRUNCDVBfE9qgY2mgA3UIPd9Kx5+Dt5Swr+
FIEAvEyEvbgY9rT3HeED9FlDy/GgADAKBggqhkjOPQQDAgNHADBEAiBJ2p+KFLUn
6kL7XnkKSD1cy+2hdyGvMMSrp+4QOGRr3gIgWEPjG9Uy4Mj/ewgoQFESEizd1+zA
PbO9HyD3RYswBAA=
-----END CERTIFICATE REQUEST-----
`;

test("a certificate request is approved, signed and later deleted", () => {
  const cluster = newCluster({ nodes: 0 });
  const from = cluster.registry.store.revision;
  const created = cluster.apply(certificateSigningRequests, {
    metadata: { name: "anna" },
    spec: { request: btoa(anna), signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] },
  });
  cluster.step(0);
  const conditions = [{ type: "Approved", status: "True", reason: "KubectlApprove", message: "" }];
  const approved = { ...created, status: { ...created.status, conditions } };
  cluster.client.updateSubresource(certificateSigningRequests, "approval", approved);
  cluster.runUntilQuiet(7_200_000);
  const lines = timeline(cluster, from, [""]).filter((line) => line.startsWith("CertificateSigningRequest"));
  expect(lines.map((line) => line.replace(/certificate \S+/, "certificate issued"))).toMatchInlineSnapshot(`
    [
      "CertificateSigningRequest anna made",
      "CertificateSigningRequest anna: conditions [Approved=True/KubectlApprove]",
      "CertificateSigningRequest anna: certificate issued",
      "CertificateSigningRequest anna gone",
    ]
  `);
});
