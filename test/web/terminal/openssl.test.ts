// openssl in the page's shell: what it makes is read by Node's own X.509.
import { X509Certificate, createPublicKey } from "node:crypto";
import { expect, test } from "vitest";
import { parseRequest } from "../../../shared/x509/request.ts";
import { base64OfText } from "../../../shared/base/base64.ts";
import { home } from "../../../web/terminal/shell/shell.ts";
import { shellWith } from "./shell.ts";

test("a key and a request are made as a CertificateSigningRequest takes them", async () => {
  const { run, files } = shellWith();
  expect(
    await run(
      'openssl genrsa -out jane.key 2048 && openssl req -new -key jane.key -subj "/CN=jane/O=dev" -out jane.csr',
    ),
  ).toMatchObject({ code: 0, err: "" });
  const request = parseRequest(base64OfText(files.read(`${home}/jane.csr`) ?? ""));
  expect(request).toMatchObject({ commonName: "jane", organizations: ["dev"] });
  expect((await run("openssl req -in jane.csr -noout -subject")).out).toBe("subject=CN=jane, O=dev\n");
  expect((await run("openssl rsa -in jane.key -check -noout")).out).toBe("RSA key ok\n");
});

test("a self-signed certificate and one of an authority are valid", async () => {
  const { run, files } = shellWith();
  await run('openssl req -x509 -nodes -days 365 -newkey rsa:2048 -keyout ca.key -out ca.crt -subj "/CN=my-ca"');
  await run("openssl genrsa -out a.key 2048; openssl req -new -key a.key -subj /CN=a -out a.csr");
  expect(
    (await run("openssl x509 -req -in a.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 10 -out a.crt")).code,
  ).toBe(0);
  const [authority, leaf] = ["ca.crt", "a.crt"].map((name) => new X509Certificate(files.read(`${home}/${name}`) ?? ""));
  if (!authority || !leaf) throw new Error("there are no certificates");
  expect([leaf.verify(authority.publicKey), authority.verify(authority.publicKey), authority.ca]).toEqual([
    true,
    true,
    true,
  ]);
  expect(leaf.checkPrivateKey).toBeDefined();
  expect(createPublicKey(files.read(`${home}/a.key`) ?? "").equals(leaf.publicKey)).toBe(true);
  expect((await run("openssl x509 -in a.crt -noout -subject -issuer -enddate")).out).toMatch(
    /^subject=CN=a\nissuer=CN=my-ca\nnotAfter=\w{3} [ \d]\d [\d:]{8} \d{4} GMT\n$/,
  );
});

test("a request and a certificate are printed as openssl prints them", async () => {
  const { run } = shellWith();
  await run('openssl req -x509 -nodes -days 365 -newkey rsa:2048 -keyout ca.key -out ca.crt -subj "/CN=my-ca"');
  expect((await run("openssl x509 -in ca.crt -noout -text")).out).toMatch(
    /^Certificate:\n    Data:\n        Version: 3 \(0x2\)\n[^]*Subject: CN=my-ca\n[^]*Public-Key: \(2048 bit\)\n {16}Modulus:\n {20}00:[^]*Exponent: 65537 \(0x10001\)\n[^]*CA:TRUE\n/,
  );
  await run("openssl req -new -key ca.key -subj /CN=jane/O=dev -out jane.csr");
  expect((await run("openssl req -in jane.csr -noout -text")).out).toMatch(
    /^Certificate Request:\n    Data:\n        Version: 1 \(0x0\)\n        Subject: CN=jane, O=dev\n/,
  );
  for (const option of ["-addext subjectAltName=DNS:a", "-config a.cnf"])
    expect(await run(`openssl req -new -key ca.key -subj /CN=a ${option}`)).toMatchObject({
      code: 1,
      err: `openssl: Unknown option: ${option.split(" ")[0]}\n`,
    });
});

test("unreadable files, unknown commands and too long keys are errors", async () => {
  const { run } = shellWith({ x: "nothing" });
  expect((await run("openssl x509 -in x -noout")).err).toContain("Could not find certificate from x");
  expect((await run("openssl genrsa 16384")).code).toBe(1);
  expect((await run("openssl speed")).code).toBe(127);
  expect((await run("openssl req -new -key x -subj /CN=a")).err).toContain("Could not find private key from x");
});
