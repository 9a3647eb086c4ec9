// Private keys on P-256, by the platform's cryptography.
import { createHash, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { Keys, PrivateKey } from "../controllers/certificates/keys.ts";

export const platformKeys: Keys = {
  make: () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return opened(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  },
  read: (pem) => {
    try {
      const key = opened(pem);
      // One of another kind cannot sign what names this one.
      return createPublicKey(pem).asymmetricKeyType === "ec" ? key : undefined;
    } catch {
      return undefined;
    }
  },
};

function opened(pem: string): PrivateKey {
  const publicKey = createPublicKey(pem).export({ type: "spki", format: "der" });
  // RFC 7093: of a point of this curve, which is the last 65 bytes.
  const keyId = createHash("sha256").update(publicKey.subarray(-65)).digest().subarray(0, 20);
  return { pem, publicKey, keyId, sign: (data) => sign("sha256", data, pem) };
}
