// Values in etcd are decrypted with the key of the configuration.
import { createDecipheriv } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bytesOfText } from "../../shared/base/byte-text.ts";
import { encryptedAtRest, type EncryptionKey } from "../../worker/containers/node/encryption-at-rest.ts";
import { secretbox } from "../../worker/containers/node/secretbox.ts";

const path = "/registry/secrets/default/a";
const value = `k8s\0\n{"kind":"Secret","data":"ä${"x".repeat(100)}"}`;

function bytesAfterPrefix(key: EncryptionKey): Uint8Array {
  const prefix = `k8s:enc:${key.provider}:v1:${key.name}:`;
  const text = encryptedAtRest(key, path, value);
  expect(text.startsWith(prefix)).toBe(true);
  expect(encryptedAtRest(key, path, value)).toBe(text);
  return bytesOfText(text).subarray(prefix.length);
}

const secretOf = (length: number) => btoa("0123456789abcdef0123456789abcdef".slice(0, length));
const rawOf = (length: number) => "0123456789abcdef0123456789abcdef".slice(0, length);

describe("the encryption of etcd's values", () => {
  test.each([16, 24, 32])("is AES-CBC after its initialization vector for aescbc with %i bytes", (length) => {
    const bytes = bytesAfterPrefix({ provider: "aescbc", name: "key1", secret: secretOf(length) });
    const decipher = createDecipheriv(`aes-${length * 8}-cbc`, rawOf(length), bytes.subarray(0, 16));
    expect(decipher.update(bytes.subarray(16), undefined, "utf8") + decipher.final("utf8")).toBe(value);
  });

  test("is AES-GCM with the key in etcd as authenticated data for aesgcm", () => {
    const bytes = bytesAfterPrefix({ provider: "aesgcm", name: "k", secret: secretOf(32) });
    const decipher = createDecipheriv("aes-256-gcm", rawOf(32), bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(path));
    decipher.setAuthTag(bytes.subarray(-16));
    expect(decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8")).toBe(value);
  });

  test("has the nonce, the tag and the ciphertext for secretbox", () => {
    expect(bytesAfterPrefix({ provider: "secretbox", name: "k", secret: secretOf(32) })).toHaveLength(
      24 + 16 + bytesOfText(value).length,
    );
  });

  test("equals NaCl's published test of secretbox", () => {
    const hex = (text: string) => new Uint8Array(Buffer.from(text.replace(/\s/g, ""), "hex"));
    const key = hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
    const nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
    const message = hex(`be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc
      e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057
      e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705`);
    const box = Buffer.from(secretbox(key, nonce, message)).toString("hex");
    expect(box).toBe(
      hexText(`f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a
      c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5`),
    );
  });
});

function hexText(text: string): string {
  return text.replace(/\s/g, "");
}
