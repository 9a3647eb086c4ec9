// Fuzz targets of references and foreign answers: images, archives, indexes, continue tokens, links, webhook answers.
import { bytesOfText } from "../../../shared/base/byte-text.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { readResponse } from "../../../worker/admission/webhooks/call.ts";
import { ErrCallingWebhook } from "../../../worker/admission/webhooks/failure.ts";
import { withLinks } from "../../../worker/api/connect/links.ts";
import { withMomentInQuery } from "../../../worker/api/moment.ts";
import { decodeContinue, encodeContinue } from "../../../worker/api/verbs/continue-token.ts";
import { parseImage } from "../../../worker/containers/images/reference.ts";
import { readArchive, writeArchive } from "../../../worker/containers/shell/programs/copying/tar-archive.ts";
import { intervalsText, parseIndexesFromString } from "../../../worker/controllers/job/intervals.ts";
import { parseGoDuration } from "../../../worker/kubelet/duration.ts";
import { apiResultOf, binaryText, bytesIn, holds, resultOf, sameJson, type Target } from "../target.ts";

const words = (text: string) => text.split(" ");

const images: Target = {
  name: "image reference",
  corpus: words(
    "nginx nginx:1.27 docker.io/library/nginx ghcr.io/a/b-c/d__e.f:v1@sha256:0123456789abcdef0123456789abcdef localhost:5000/x LOCAL/x",
  ),
  words: words("/ : @ . - -- _ __ sha256: latest localhost docker.io index.docker.io :5000 A 0"),
  run: (input) => {
    const image = parseImage(input);
    if ("error" in image) return;
    sameJson(parseImage(image.text), image, "an image reference that is written out");
  },
};

const blockBytes = 512;

/** Corrects the checksum of each block, without which hardly any mutation would be read. */
function summed(bytes: Uint8Array): Uint8Array {
  for (let at = 0; at + blockBytes <= bytes.length; at += blockBytes) {
    const head = bytes.subarray(at, at + blockBytes);
    if (head.every((byte) => byte === 0)) continue;
    head.fill(32, 148, 156);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.set(bytesOfText(`${sum.toString(8).padStart(6, "0")}\0`), 148);
  }
  return bytes;
}

const archives: Target = {
  name: "tar archive",
  corpus: [
    writeArchive([
      { name: "a", mode: 0o755, changedMs: 0, bytes: undefined },
      { name: "a/b", mode: 0o644, changedMs: 1_700_000_000_000, bytes: bytesOfText("text") },
      { name: "long/".repeat(30), mode: 0o644, changedMs: 0, bytes: bytesOfText("x".repeat(600)) },
    ]),
  ].map(binaryText),
  words: ["\0", "ustar\0", "0000644\0", "7777777\0", "././@LongLink", "27 path=abc\n", "-0000777\0"],
  share: 300,
  run: (input) => {
    const members = readArchive(summed(bytesIn(input)));
    if (!members) return;
    for (const { name, bytes } of members) holds(name.length + (bytes?.length ?? 0) <= input.length, "a member fits");
  },
};

const indexes: Target = {
  name: "completion indexes",
  corpus: ["1,3-5,7", "0-99999", "5,4,3,2,1", "", "3-1,,x", "00-007"],
  words: words("- , 0 1 99 100000 999999999999999999999"),
  run: (input) => {
    const text = intervalsText(parseIndexesFromString(input, 100));
    holds(intervalsText(parseIndexesFromString(text, 100)) === text, `${text} is not read as it is written`);
  },
};

const continuations: Target = {
  name: "continue token",
  corpus: [
    encodeContinue({ revision: 12, after: { namespace: "default", name: "a" }, beganMs: 1 }),
    encodeContinue({ revision: -1, after: { namespace: "", name: "b" } }),
    btoa('{"v":"meta.k8s.io/v1","rv":1e3,"start":"/"}'),
    btoa('{"v":"meta.k8s.io/v2","rv":"1","start":[]}'),
  ],
  words: ["-", "_", "=", "e30", "bnVsbA", "W10", "eyJ2Ijo"],
  run: (input) => {
    const read = apiResultOf(() => decodeContinue(input));
    if (read) sameJson(decodeContinue(encodeContinue(read)), read, "a token that is written again");
  },
};

const links: Target = {
  name: "links of a proxied page",
  corpus: [
    '<a href="/x">x</a><img src=/y usemap="#m"><form action=\'//h:80/z?a=1&amp;b\'>',
    "<base href=http://h:80/a/><script src='https://other/x'></script><!-- <a href=/no> -->",
    "<a  href = /a  class=b /><video poster=/p><a href>",
  ],
  words: ["<a ", "href=", "src=", '"', "'", ">", "/>", "<!--", "-->", "//h:80/", "http://h:80", "&amp;", "="],
  run: (input) => {
    const page = withLinks(input, { host: "h:80", prefix: "/proxy" });
    holds(page.length >= input.length - 100 && page.length <= input.length * 10 + 100, "a page keeps its size");
  },
};

const moments: Target = {
  name: "moment and duration",
  corpus: ["/at/12/api/v1", "/at/2026-01-01T00%3A00%3A00Z/apis", "/at/%E0%A4%A/x", "1h2m3.5s", "5m0s"],
  words: ["/at/", "%", "%2F", "%zz", "..", "h", "m", "s", ".", "0", "?at=1", "#"],
  run: (input) => {
    const url = resultOf(() => new URL(`http://h/${input}`), TypeError);
    if (url) withMomentInQuery(url);
    const ms = parseGoDuration(input);
    holds(ms === undefined || ms >= 0 || Number.isNaN(ms), `${input} lasts ${String(ms)} ms`);
  },
};

const review = (response: object) =>
  JSON.stringify({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response: { uid: "u", ...response } });
const patch = btoa('[{"op":"add","path":"/metadata/labels","value":{}}]');

const webhookAnswers: Target = {
  name: "answer of a webhook",
  corpus: [
    review({ allowed: true, warnings: ["w"], auditAnnotations: { a: "b" } }),
    review({ allowed: true, patchType: "JSONPatch", patch }),
    review({ allowed: false, status: { message: "no", code: 418, reason: "Teapot", details: { causes: [{}] } } }),
    "allowed: true",
    "[]",
  ],
  words: ['"patch":', '"patchType":', '"status":', '"code":', '"uid":', "null", "true", "{}", "[]", ",", "-1", "1e99"],
  share: 300,
  run: (input) => {
    const answer = { ok: true, status: 200, body: input, contentType: "application/json" } as const;
    for (const isMutating of [true, false]) {
      resultOf(
        (meter) => {
          const request = { context: { meter }, warn: () => undefined, annotations: new Map() };
          readResponse(
            { name: "w.example.com" } as Parameters<typeof readResponse>[0],
            { apiVersion: "admission.k8s.io/v1", uid: "u" } as unknown as Parameters<typeof readResponse>[1],
            answer,
            request as unknown as Parameters<typeof readResponse>[3],
            { isMutating },
          );
        },
        ErrCallingWebhook,
        ApiError,
      );
    }
  },
};

export const referenceTargets: readonly Target[] = [
  ...[images, archives, indexes, continuations, links, moments, webhookAnswers],
];
