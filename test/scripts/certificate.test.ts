// The local certificate: contents, issuer, file modes and renewal.
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { localCertificate } from "../../scripts/local/certificate.ts";

const dayMs = 24 * 3600 * 1000;
const nowMs = Date.UTC(2026, 0, 1);
const folders: string[] = [];

function newFolder(): string {
  const folder = join(mkdtempSync(join(tmpdir(), "sandbar-")), "tls");
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("the certificate is for localhost and both loopback addresses, signed by the authority", () => {
  const { certificate, ca } = localCertificate(newFolder(), nowMs);
  const [server, authority] = [new X509Certificate(certificate), new X509Certificate(ca)];
  expect(server.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  expect([server.checkIssued(authority), server.verify(authority.publicKey)]).toEqual([true, true]);
  expect([server.ca, authority.ca]).toEqual([false, true]);
});

test("the keys are readable only by the owner", () => {
  const folder = newFolder();
  localCertificate(folder, nowMs);
  for (const name of ["server.key", "ca.key"]) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test("the certificate is reused after restarts, and renewed in time by the same authority", () => {
  const folder = newFolder();
  const first = localCertificate(folder, nowMs);
  expect(localCertificate(folder, nowMs + 700 * dayMs)).toEqual(first);
  const renewed = localCertificate(folder, nowMs + 780 * dayMs);
  expect(renewed.certificate).not.toBe(first.certificate);
  expect(renewed.ca).toBe(first.ca);
  const authority = new X509Certificate(renewed.ca);
  expect(new X509Certificate(renewed.certificate).verify(authority.publicKey)).toBe(true);
});

test("an authority that would end before the certificate is replaced", () => {
  const folder = newFolder();
  const first = localCertificate(folder, nowMs);
  const later = localCertificate(folder, nowMs + 3000 * dayMs);
  expect(later.ca).not.toBe(first.ca);
});

test("the certificate covers the requested names, and is created again if it did not", () => {
  const folder = newFolder();
  const first = localCertificate(folder, nowMs);
  const names = ["192.0.2.7", "sandbar.example.org", "*.sandbar.example.org"];
  const second = localCertificate(folder, nowMs, names);
  const server = new X509Certificate(second.certificate);
  expect(second.ca).toBe(first.ca);
  expect(server.checkHost("abc.sandbar.example.org")).toBeDefined();
  expect(server.checkHost("localhost")).toBeDefined();
  expect(server.checkIP("192.0.2.7")).toBeDefined();
  expect(localCertificate(folder, nowMs, names)).toEqual(second);
  expect(localCertificate(folder, nowMs, ["127.0.0.1"])).toEqual(second);
});
