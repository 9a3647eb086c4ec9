// The certificates by which a kubelet knows the API server at the end of a tunnel. They are made for one machine and are of no use at the
// sandbox, so a machine never holds a key that opens more than its own kubelet.
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { KeyUsageFlags } from "@peculiar/asn1-x509";
import { noNames } from "../../shared/x509/alternative-names.ts";
import { authorityPem, certificatePem, type Issuer } from "../../shared/x509/certificate.ts";
import { derOf } from "../../shared/x509/der.ts";
import { commonName, nameOf, organization } from "../../shared/x509/name.ts";

/** The client of a kubelet: its certificate and key in PEM, and the authority that the kubelet trusts. */
export interface KubeletClient {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** The user that kubeadm's API servers are for kubelets. The kubelet asks the sandbox what the group may do. */
const user = { name: "kube-apiserver-kubelet-client", group: "kubeadm:cluster-admins" } as const;
const lifetimeMs = 3_650 * 24 * 3_600_000;
const backdateMs = 24 * 3_600_000;
const clientAuthentication = "1.3.6.1.5.5.7.3.2";

export function newKubeletClient(nowMs: number): KubeletClient {
  const [authorityKey, key] = [newKey(), newKey()];
  const issuer: Issuer = {
    subject: derOf(nameOf(new Map([[commonName, ["sandbar-node"]]]))),
    keyId: createHash("sha256").update(publicKeyOf(authorityKey)).digest().subarray(0, 20),
    sign: (data) => sign("sha256", data, authorityKey),
  };
  const template = (ofKey: string) => ({
    serial: randomBytes(8),
    publicKey: publicKeyOf(ofKey),
    notBeforeMs: nowMs - backdateMs,
    notAfterMs: nowMs + lifetimeMs,
  });
  const certificate = certificatePem(
    {
      ...template(key),
      subject: new Map([
        [commonName, [user.name]],
        [organization, [user.group]],
      ]),
      usages: { flags: KeyUsageFlags.digitalSignature, extended: [clientAuthentication] },
      names: noNames,
    },
    issuer,
  );
  return { authority: authorityPem(template(authorityKey), issuer), certificate, key };
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function publicKeyOf(privatePem: string): Uint8Array {
  return createPublicKey(privatePem).export({ type: "spki", format: "der" });
}
