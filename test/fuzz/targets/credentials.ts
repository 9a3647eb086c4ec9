// Fuzz targets of authentication: PEM and DER, certificates and requests, tokens, and issuers' configurations.
import { base64Of } from "../../../shared/base/base64.ts";
import { jwtAuthenticators } from "../../../shared/contract/jwt-authenticator.ts";
import { rootPath } from "../../../shared/k8s/field.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { countCertificates, readCertificate } from "../../../shared/x509/certificate.ts";
import { pemBlocks, pemText } from "../../../shared/x509/pem.ts";
import { parseRequest } from "../../../shared/x509/request.ts";
import { authenticatorErrors, claimRules } from "../../../worker/api/authentication/claim-rules.ts";
import { claimsOf } from "../../../worker/api/authentication/claims.ts";
import { userOfClaims } from "../../../worker/api/authentication/claims-user.ts";
import { runProgram } from "../../containers/programs/program-run.ts";
import { apiResultOf, holds, plainResultOf, resultOf, sameJson, type Target, binaryText, bytesIn } from "../target.ts";

const script =
  "openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/k -subj '/CN=a/O=b' -addext 'subjectAltName=DNS:x.example,IP:1.2.3.4' -out /tmp/c; openssl req -new -key /tmp/k -subj '/CN=jane/O=dev' -addext 'subjectAltName=DNS:y' -out /tmp/r; cat /tmp/c /tmp/r";
const [certificate, request] = pemBlocks(runProgram(["bash", "-c", script], { image: "alpine/openssl" }).out);
if (!certificate || !request) throw new Error("openssl made no certificate and no request");
const derWords = [
  "0\x82\x01\0",
  "0\x80",
  "\x02\x01\x01",
  "\x06\x03U\x04\x03",
  "\x13\x01a",
  "\x0c\x02\xc3\xa9",
  "\x03\x02\0\x01",
  "\xa0\x03",
  "\xa3",
  "\0\0",
  "\x17\r260101000000Z",
  "1\0",
  "\x30\x84\xff\xff\xff\xff",
  "\x1f\xff\xff\xff\x7f",
];
const derNests: Target["nests"] = [
  ["0\x80", "\0\0"],
  ["\xa0\x80", "\0\0"],
  ["\x24\x80", "\0\0"],
];

const certificates: Target = {
  name: "certificate",
  corpus: [binaryText(certificate.bytes)],
  words: derWords,
  nests: derNests,
  share: 400,
  run: (input) => {
    const bytes = bytesIn(input);
    resultOf(() => readCertificate(bytes));
    resultOf(() => countCertificates(bytes));
  },
};

const requests: Target = {
  name: "certificate request",
  corpus: [binaryText(request.bytes)],
  words: derWords,
  nests: derNests,
  share: 400,
  run: (input) => {
    const bytes = bytesIn(input);
    resultOf(() => parseRequest(base64Of(new TextEncoder().encode(pemText("CERTIFICATE REQUEST", bytes)))));
  },
};

const pem: Target = {
  name: "PEM",
  corpus: [
    pemText("CERTIFICATE REQUEST", request.bytes),
    `x\n${pemText("A", bytesIn("abc"))}${pemText("B", bytesIn(""))}`,
  ],
  words: ["-----BEGIN ", "-----END ", "-----", "\n", "\r\n", "A: b\n", "=", "==", "CERTIFICATE"],
  run: (input) => {
    for (const { type, bytes } of resultOf(() => pemBlocks(input)) ?? []) {
      const [again] = pemBlocks(pemText(type, bytes));
      // A type of several lines, or one with dashes, cannot be written.
      if (!/^[ -~]*$/.test(type) || type !== type.trim() || type.includes("--")) continue;
      holds(again !== undefined && again.type === type, `the block ${type} is lost`);
      sameJson(base64Of(again?.bytes ?? new Uint8Array()), base64Of(bytes), "a block that is written and read");
    }
    resultOf(() => parseRequest(input));
  },
};

const encoded = (value: unknown) =>
  base64Of(new TextEncoder().encode(JSON.stringify(value)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const tokens: Target = {
  name: "JWT",
  corpus: [
    `${encoded({ alg: "RS256", kid: "k" })}.${encoded({ iss: "x", sub: "s", aud: ["a"], exp: 1 })}.c2ln`,
    "a.b.c",
    `e30.${encoded([1])}.`,
  ],
  words: [".", "e30", "-", "_", "=", encoded({ alg: "none" }), encoded("x"), encoded({ iss: null })],
  run: (input) => void resultOf(() => claimsOf(input)),
};

const authenticator = [
  {
    issuer: { url: "https://issuer.example", audiences: ["a"] },
    claimValidationRules: [
      { expression: "claims.hd == 'x'", message: "m" },
      { claim: "c", requiredValue: "v" },
    ],
    claimMappings: {
      username: { expression: "claims.email" },
      groups: { claim: "groups", prefix: "g:" },
      uid: { claim: "sub" },
      extra: [{ key: "a.example/b", valueExpression: "claims.x.y" }],
    },
    userValidationRules: [{ expression: "!user.username.startsWith('system:')" }],
  },
];
const claims = '{"email":"a@b","email_verified":true,"hd":"x","c":"v","groups":["g",1],"sub":"7","x":{"y":["z"]}}';

const issuers: Target = {
  name: "issuer configuration and claims",
  corpus: [`${JSON.stringify(authenticator)}\n${claims}`],
  words: [
    '"expression":',
    '"claim":',
    '"claims.x"',
    '"claims.?x.orValue([])"',
    '"prefix":',
    '""',
    "null",
    "{}",
    "[]",
    ",",
    '"groups"',
    '"[claims.x]"',
    "\n",
    '"user.groups.all(g, g)"',
  ],
  share: 300,
  run: (input) => {
    const [config = "", claimText = "{}"] = input.split("\n");
    const json = apiResultOf(() => parseJson(config).value);
    const parsed = resultOf(() => jwtAuthenticators.safeParse(json));
    const held = apiResultOf(() => parseJson(claimText).value);
    if (!parsed?.success || typeof held !== "object" || held === null) return;
    for (const parsedItem of parsed.data) {
      const errors = resultOf(() => authenticatorErrors(parsedItem, rootPath));
      if (!errors || errors.length > 0) continue;
      plainResultOf((meter) => userOfClaims(parsedItem, claimRules(parsedItem), { ...held }, meter));
    }
  },
};

export const credentialTargets: readonly Target[] = [certificates, requests, pem, tokens, issuers];
