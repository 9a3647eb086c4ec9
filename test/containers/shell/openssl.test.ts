// openssl in images that have it: keys, requests and certificates that other tools read, and its output.
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { parseRequest } from "../../../shared/x509/request.ts";
import { md5Crypt, shaCrypt } from "../../../worker/containers/shell/programs/copying/crypt.ts";
import { certificateRequest } from "../../certificate-request.ts";
import { inImage, startMs } from "./in-image.ts";

const runScript = (script: string, files: Record<string, string> = {}) => {
  const { all, exit, run } = inImage("nginx:1.27", ["sh", "-c", script], {
    files,
    world: { service: () => undefined },
  });
  const written = (path: string) => run.edits.findLast((edit) => edit.path === path)?.text ?? "";
  return { all, exit, written };
};

const authority =
  "openssl req -x509 -newkey rsa:1024 -nodes -keyout /ca.key -out /ca.crt -subj /CN=own-ca -days 365 2>/dev/null; ";
const user = "openssl genrsa -out /ann.key 1024; openssl req -new -key /ann.key -out /ann.csr -subj /O=devs/CN=ann; ";

test("N17: the API accepts a key and a request for a user, and both are equal when they are recomputed", () => {
  const { all, exit, written } = runScript(user);
  expect([all, exit]).toEqual(["", 0]);
  expect(createPrivateKey(written("/ann.key")).asymmetricKeyDetails?.modulusLength).toBe(1024);
  const request = parseRequest(btoa(written("/ann.csr")));
  expect(request).toMatchObject({ commonName: "ann", organizations: ["devs"] });
  expect(runScript(user).written("/ann.csr")).toBe(written("/ann.csr"));
  const both = runScript("openssl genrsa -out /a 1024; openssl genrsa -out /b 1024");
  expect(both.written("/a")).not.toBe(both.written("/b"));
});

test("N17: openssl verifies a certificate of a private authority if the authority is trusted", () => {
  const script = `${authority}${user}openssl x509 -req -in /ann.csr -CA /ca.crt -CAkey /ca.key -CAcreateserial -days 10 -out /ann.crt; openssl verify -CAfile /ca.crt /ann.crt; openssl verify /ann.crt`;
  const { all, exit, written } = runScript(script);
  expect(all).toBe(
    "Certificate request self-signature ok\nsubject=O=devs, CN=ann\n/ann.crt: OK\nO=devs, CN=ann\nerror 20 at 0 depth lookup: unable to get local issuer certificate\nerror /ann.crt: verification failed\n",
  );
  expect(exit).toBe(2);
  const [ca, ownCertificate] = [new X509Certificate(written("/ca.crt")), new X509Certificate(written("/ann.crt"))];
  expect(ownCertificate.verify(createPublicKey(written("/ca.crt")))).toBe(true);
  expect([ownCertificate.checkIssued(ca), ca.ca, ownCertificate.subject, ownCertificate.validTo]).toEqual([
    true,
    true,
    "O=devs\nCN=ann",
    "Jan 11 00:00:00 2026 GMT",
  ]);
});

const certificateText = `${authority}openssl req -x509 -newkey rsa:1024 -nodes -keyout /k -out /c -subj /C=DE/O=Acme/CN=web -days 30 -set_serial 4660 -addext "subjectAltName=DNS:web.example,IP:10.0.0.1" 2>/dev/null; `;

test.each([
  ["openssl x509 -in /c -noout -subject", "subject=C=DE, O=Acme, CN=web\n", 0],
  ["openssl x509 -in /c -noout -issuer -serial", "issuer=C=DE, O=Acme, CN=web\nserial=1234\n", 0],
  ["openssl x509 -in /c -noout -dates", "notBefore=Jan  1 00:00:00 2026 GMT\nnotAfter=Jan 31 00:00:00 2026 GMT\n", 0],
  ["openssl x509 -in /c -noout -enddate", "notAfter=Jan 31 00:00:00 2026 GMT\n", 0],
  ["cat /c | openssl x509 -noout -subject", "subject=C=DE, O=Acme, CN=web\n", 0],
  [
    "openssl x509 -in /c -noout -ext subjectAltName",
    "X509v3 Subject Alternative Name: \n    DNS:web.example, IP Address:10.0.0.1\n",
    0,
  ],
  ["openssl x509 -in /c -noout -checkend 86400", "Certificate will not expire\n", 0],
  ["openssl x509 -in /c -noout -checkend 9999999", "Certificate will expire\n", 1],
  [
    "openssl x509 -in /nope -noout -text",
    "Could not open file or uri for loading certificate from /nope: No such file or directory\n",
    1,
  ],
  ["openssl x509 -in /k -noout", "Could not find certificate from /k\n", 1],
  ["openssl rsa -in /k -check -noout", "RSA key ok\n", 0],
  [
    "openssl passwd -6 -salt saltstring 'Hello world!'",
    "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1\n",
    0,
  ],
  ["openssl passwd -apr1 -salt salt secret", "$apr1$salt$VEpBc9VHGUKwI9.yg13Iu0\n", 0],
  [
    "printf abc | openssl dgst -sha256",
    "SHA2-256(stdin)= ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
    0,
  ],
  ["printf abc | openssl enc -base64", "YWJj\n", 0],
  ["openssl rand -hex 4 | wc -c", "9\n", 0],
  ["openssl ca -in /c", "openssl: ca is not simulated in this sandbox\n", 127],
  ["openssl ecparam -genkey -name prime256v1", "openssl: ecparam is not simulated in this sandbox\n", 127],
  [
    "openssl req -new -key /k",
    "openssl: req without -subj asks questions, which is not simulated in this sandbox\n",
    127,
  ],
  ["openssl genrsa 100000", "openssl: keys of 100000 bits are not simulated in this sandbox\n", 127],
])("N17: %s", (script, all, exit) => {
  expect(runScript(certificateText + script)).toMatchObject({ all, exit });
});

test("N17: openssl x509 -text prints a certificate in openssl's format", () => {
  const { all, written } = runScript(`${certificateText}openssl x509 -in /c -noout -text -fingerprint -sha256`);
  const ownCertificate = new X509Certificate(written("/c"));
  expect(all).toContain(
    "Certificate:\n    Data:\n        Version: 3 (0x2)\n        Serial Number: 4660 (0x1234)\n        Signature Algorithm: sha256WithRSAEncryption\n        Issuer: C=DE, O=Acme, CN=web\n        Validity\n            Not Before: Jan  1 00:00:00 2026 GMT\n            Not After : Jan 31 00:00:00 2026 GMT\n        Subject: C=DE, O=Acme, CN=web\n        Subject Public Key Info:\n            Public Key Algorithm: rsaEncryption\n                Public-Key: (1024 bit)\n                Modulus:\n                    00:",
  );
  expect(all).toContain(
    "                Exponent: 65537 (0x10001)\n        X509v3 extensions:\n            X509v3 Subject Alternative Name: \n                DNS:web.example, IP Address:10.0.0.1\n",
  );
  expect(all).toContain(
    "            X509v3 Basic Constraints: critical\n                CA:TRUE\n    Signature Algorithm: sha256WithRSAEncryption\n    Signature Value:\n        ",
  );
  expect(all.endsWith(`sha256 Fingerprint=${ownCertificate.fingerprint256}\n`)).toBe(true);
});

test("N17: a configuration file sets a request's subject and alternative names", () => {
  const config =
    "[req]\nprompt = no\ndistinguished_name = dn\nreq_extensions = ext\n[dn]\nCN = web\nO = Acme\n[ext]\nsubjectAltName = @names\n[names]\nDNS.1 = web.default.svc\nIP.1 = 10.0.0.1\n";
  const { all, written } = runScript(
    "openssl req -new -newkey rsa:1024 -nodes -keyout /k -out /r -config /c.cnf; openssl req -in /r -noout -text",
    { "/c.cnf": config },
  );
  expect(parseRequest(btoa(written("/r")))).toMatchObject({
    commonName: "web",
    names: { dns: ["web.default.svc"], addresses: ["10.0.0.1"] },
  });
  expect(all).toContain(
    "            Requested Extensions:\n                X509v3 Subject Alternative Name: \n                    DNS:web.default.svc, IP Address:10.0.0.1\n",
  );
});

const certificateOnP384 = `-----BEGIN CERTIFICATE-----
MIIBzDCCAVKgAwIBAgIUHvDZBk7Gltnq0vcF/Ql3SEuiZ3wwCgYIKoZIzj0EAwIw
HTENMAsGA1UECgwEZGV2czEMMAoGA1UEAwwDYWRhMB4XDTI2MTEyOTAyMjQxNloX
DTM2MTEyNjAyMjQxNlowHTENMAsGA1UECgwEZGV2czEMMAoGA1UEAwwDYWRhMHYw
EAYHKoZIzj0CAQYFK4EEACIDYgAESuSGyFxpJG7xBu9CywtjOFY/wjaXFRLsC+Wf
nDAp3bgc42/oAdZdWlez4NqHdHrRV2z9YcFys48fJWv90L+fR1dJbKXiKs08gjBy
QY5NrVmQch8uP/qS+buP4ZaUHaquo1MwUTAdBgNVHQ4EFgQU/tDPNbDZZzFECbx5
rM0BPj5TI8MwHwYDVR0jBBgwFoAU/tDPNbDZZzFECbx5rM0BPj5TI8MwDwYDVR0T
AQH/BAUwAwEB/zAKBggqhkjOPQQDAgNoADBlAjB+PIyWzc5XzEjs0BaUBQ8TJJ0G
ajt26xRHB5Yo/f0vuhagUirXnm7JjK8WI1BTQx8CMQCZUbR+EIDDzSZKdQ0bf6AC
ADg94z0/KBYZsfPFJLeI9th80Jfy++9FYst1as0e5w8=
-----END CERTIFICATE-----
`;

test("N17: openssl req reads a request of another tool", () => {
  const { request } = certificateRequest("/O=devs/CN=ada", "DNS:a.example");
  expect(
    runScript("openssl req -in /r -noout -subject; openssl req -in /r -noout -text | grep ASN1", { "/r": request }).all,
  ).toBe("subject=O=devs, CN=ada\n                ASN1 OID: prime256v1\n");
});

test("a key on another curve than P-256 is printed with its curve and size", () => {
  const { all } = runScript("openssl x509 -in /c -noout -text", { "/c": certificateOnP384 });
  expect(all).toMatch(
    /^ {16}Public-Key: \(384 bit\)\n {16}pub:\n {20}04:4a:e4:86:.*\n(?: {20}.*\n){6} {16}ASN1 OID: secp384r1\n {16}NIST CURVE: P-384\n/m,
  );
});

test("N17: s_client prints a server's certificate, and whether it is trusted", () => {
  const created = runScript(authority);
  const pem = created.written("/ca.crt");
  const shownBy = {
    subject: "CN=own-ca",
    issuer: "CN=own-ca",
    notBeforeMs: startMs,
    notAfterMs: startMs + 1,
    names: [],
    pem,
  };
  const reach = () => ({
    kind: "answered" as const,
    answer: { status: 200, contentType: "text/html", body: "", certificate: shownBy },
  });
  const run = (script: string) =>
    inImage("nginx:1.27", ["sh", "-c", script], {
      files: { "/ca.crt": pem },
      world: { service: () => undefined, reach },
    });
  const { all, exit } = run("openssl s_client -connect 10.0.0.7:443 </dev/null");
  expect(exit).toBe(0);
  for (const fragment of [
    "CONNECTED(00000003)\n",
    "verify error:num=18:self-signed certificate\n",
    " 0 s:CN=own-ca\n   i:CN=own-ca\n",
    "subject=CN=own-ca\n",
    "Verify return code: 18 (self-signed certificate)\n",
  ])
    expect(all).toContain(fragment);
  expect(run("openssl s_client -connect 10.0.0.7:443 -CAfile /ca.crt </dev/null 2>/dev/null").all).toContain(
    "Verify return code: 0 (ok)\n",
  );
  expect(run("openssl s_client -connect 10.0.0.7:443 </dev/null 2>/dev/null | openssl x509 -noout -subject").all).toBe(
    "subject=CN=own-ca\n",
  );
});

test("N17: openssl passwd computes crypt's hashes, with random salts", () => {
  expect(shaCrypt("Hello world!", "saltstring", "5")).toBe("$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5");
  expect(md5Crypt("secret", "salt", "apr1")).toBe("$apr1$salt$VEpBc9VHGUKwI9.yg13Iu0");
  const [firstHash, secondHash] = runScript("openssl passwd -6 a; openssl passwd -6 a").all.split("\n");
  expect(firstHash).toMatch(/^\$6\$[0-9a-f]{16}\$[./0-9A-Za-z]{86}$/);
  expect(firstHash).not.toBe(secondHash);
});
