// Keys of an OpenID Connect issuer: their number and the rate of requests are bounded.
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, test } from "vitest";
import { issuerKeys } from "../../../worker/api/authentication/issuer-keys.ts";

const issuerUrl = "https://i.example.org";

test("A8: at most 50 keys of an issuer are read, at most every ten seconds", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const key = await exportJWK(publicKey);
  let requestCount = 0;
  const nowMs = { value: 100_000 };
  const keysAt = (place: number) => {
    const otherKeys = (count: number) => Array.from({ length: count }, (_, at) => ({ ...key, kid: `other-${at}` }));
    const keys = [...otherKeys(place), { ...key, kid: "own" }, ...otherKeys(60)];
    return issuerKeys(
      { url: issuerUrl, audiences: ["a"] },
      async ({ to }) => {
        requestCount += 1;
        const isKeys = "url" in to && to.url.endsWith("/keys");
        const document = isKeys ? { keys } : { issuer: issuerUrl, jwks_uri: `${issuerUrl}/keys` };
        return { ok: true, status: 200, headers: [], body: JSON.stringify(document) };
      },
      () => nowMs.value,
    );
  };
  const token = await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: "own" }).sign(privateKey);
  await expect(keysAt(49).verify(token)).resolves.toBeUndefined();
  const late = keysAt(50);
  requestCount = 0;
  for (let round = 0; round < 5; round++) await expect(late.verify(token)).rejects.toThrow("failed to verify");
  expect(requestCount).toBe(2);
  nowMs.value += 10_000;
  await expect(late.verify(token)).rejects.toThrow("failed to verify");
  expect(requestCount).toBe(4);
});
