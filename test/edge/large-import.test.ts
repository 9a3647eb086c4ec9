// Imports that are longer than other bodies may be.
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { initialStateKey } from "../../worker/edge/files.ts";
import { keys, newService } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

const yaml = { "content-type": "application/yaml" };

function listOf(count: number, characters: number): string {
  const item = (at: number) =>
    `- {apiVersion: v1, kind: ConfigMap, metadata: {name: c${at}}, data: {a: ${"x".repeat(characters)}}}\n`;
  return `apiVersion: v1\nitems:\n${Array.from({ length: count }, (_, at) => item(at)).join("")}kind: List\n`;
}

const longText = listOf(500, 10_000);

function streamOf(passages: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await passages.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** Sends a body that arrives in passages. */
async function sendStream({ service }: Harness, passages: AsyncIterator<Uint8Array>, headers: object = {}) {
  const request = new Request("http://localhost:8787/v1/sandboxes", {
    method: "POST",
    headers: { ...yaml, authorization: `Bearer ${keys.ada}`, ...headers },
    body: streamOf(passages),
    duplex: "half",
  } as RequestInit);
  return controlApiApp.fetch(request, { controlApi: service });
}

async function* zeros(count: number): AsyncGenerator<Uint8Array> {
  const megabyte = new TextEncoder().encode("#".repeat(1024 * 1024 - 1) + "\n");
  for (let at = 0; at < count; at++) yield megabyte;
}

async function refusalOf(answer: Response | Promise<Response>) {
  const { error } = errorBody.parse(await (await answer).json());
  return [(await answer).status, error.code];
}

async function expectNothingLeft({ send, clusters, files }: Harness): Promise<void> {
  const { sandboxes } = sandboxList.parse(await (await send("GET", "/v1/sandboxes")).json());
  expect(sandboxes).toEqual([]);
  expect([...clusters.values()].every(({ destroyed }) => destroyed)).toBe(true);
  expect(files.stored.size).toBe(0);
}

afterEach(() => void vi.useRealTimers());

describe("F7: an import of more than 3 MB", () => {
  test.each([
    ["plain", (text: string) => new TextEncoder().encode(text), {}],
    ["compressed", (text: string) => new Uint8Array(gzipSync(text)), { "content-encoding": "gzip" }],
  ])("is sent to the cluster in batches if it is %s", async (_, encode, headers) => {
    const harness = await newService();
    const path = `/v1/sandboxes?name=copy&nodes=2&settings=${encodeURIComponent('{"labels":{"a":"b"},"seed":5}')}`;
    const answer = await harness.send("POST", path, { body: encode(longText), headers: { ...yaml, ...headers } });
    const sandbox = sandboxWithToken.parse(await answer.json());
    expect([answer.status, sandbox.name, sandbox.nodes, sandbox.labels]).toEqual([201, "copy", 2, { a: "b" }]);
    expect([sandbox.phase, sandbox.notImported, sandbox.notImportedCount]).toEqual(["Running", [], 7]);
    const { received, initializeOptions } = harness.clusters.get(sandbox.id) ?? {};
    const pieces = (received ?? []).flat();
    expect(received?.length).toBeGreaterThan(1);
    expect(Math.max(...(received ?? []).map((batch) => batch.length))).toBeLessThanOrEqual(limits.importBatchObjects);
    expect(pieces.filter(({ item }) => item !== undefined).map(({ line }) => line)).toEqual(
      Array.from({ length: 500 }, (__, at) => at + 3),
    );
    expect(initializeOptions).toMatchObject({ isImportReceived: true, nodes: 2, settings: { seed: 5 } });
  });

  test("is reset to the state that was saved after the import, and its file is deleted with the sandbox", async () => {
    const harness = await newService();
    const answer = await harness.send("POST", "/v1/sandboxes?nodes=1", { body: longText, headers: yaml });
    const { id } = sandboxWithToken.parse(await answer.json());
    const file = harness.files.stored.get(initialStateKey({ tenantId: "ada", id }));
    expect(file).toBeDefined();
    expect((await harness.send("POST", `/v1/sandboxes/${id}/reset`)).status).toBe(200);
    expect(harness.clusters.get(id)?.restored).toEqual([{ file: file?.bytes }]);
    const after = sandboxWithToken.parse(await (await harness.send("GET", `/v1/sandboxes/${id}`)).json());
    expect(after.nodes).toBe(1);
    await harness.send("DELETE", `/v1/sandboxes/${id}`);
    await expectNothingLeft(harness);
  });

  test("is repeated with its Idempotency-Key, unless it begins with another text or has another length", async () => {
    const { send, clusters } = await newService();
    const headers = { ...yaml, "idempotency-key": "k", "content-length": String(longText.length) };
    const first = await (await send("POST", "/v1/sandboxes", { body: longText, headers })).text();
    const again = await send("POST", "/v1/sandboxes", { body: longText, headers });
    expect([await again.text(), clusters.size]).toEqual([first, 1]);
    const longer = { ...headers, "content-length": String(longText.length + 1) };
    expect(await refusalOf(send("POST", "/v1/sandboxes", { body: `${longText}#`, headers: longer }))).toEqual([
      422,
      "idempotency_key_reused",
    ]);
  });

  test.each<[string, () => Promise<[Harness, Response]>, [number, string]]>([
    [
      "has more than 64 MiB",
      async () => {
        const harness = await newService();
        return [harness, await sendStream(harness, zeros(70))];
      },
      [413, "body_too_large"],
    ],
    [
      "announces more than 64 MiB",
      async () => {
        const harness = await newService();
        const headers = { "content-length": String(limits.importBytes + 1) };
        return [harness, await sendStream(harness, zeros(1), headers)];
      },
      [413, "body_too_large"],
    ],
    [
      "expands beyond 64 MiB when it is decompressed",
      async () => {
        const harness = await newService();
        const body = new Uint8Array(gzipSync(Buffer.alloc(limits.importBytes * 4, "# x\n")));
        expect(body.length).toBeLessThan(limits.importBytes / 50);
        const headers = { ...yaml, "content-encoding": "gzip" };
        return [harness, await harness.send("POST", "/v1/sandboxes", { body, headers })];
      },
      [413, "body_too_large"],
    ],
    [
      "is cut within its compressed bytes",
      async () => {
        const harness = await newService();
        const body = new Uint8Array(gzipSync(longText)).subarray(0, 5_000);
        const headers = { ...yaml, "content-encoding": "gzip" };
        return [harness, await harness.send("POST", "/v1/sandboxes", { body, headers })];
      },
      [400, "incomplete_body"],
    ],
    [
      "has an unknown compression",
      async () => {
        const harness = await newService();
        const headers = { ...yaml, "content-encoding": "br" };
        return [harness, await harness.send("POST", "/v1/sandboxes", { body: longText, headers })];
      },
      [415, "unsupported_media_type"],
    ],
    [
      "breaks off after some batches",
      async () => {
        const harness = await newService();
        const passages = async function* () {
          yield new TextEncoder().encode(longText);
          throw new Error("the client is gone");
        };
        const answer = await sendStream(harness, passages());
        expect([...harness.clusters.values()].some(({ received }) => received.length > 0)).toBe(true);
        return [harness, answer];
      },
      [400, "incomplete_body"],
    ],
    [
      "has an object that is too long",
      async () => {
        const harness = await newService();
        const body = `${longText}---\na: ${"x".repeat(limits.importedObjectCharacters)}\n`;
        const answer = await harness.send("POST", "/v1/sandboxes", { body, headers: yaml });
        const { error } = errorBody.parse(await answer.clone().json());
        expect([error.field, error.problems?.[0]]).toMatchObject(["import", { document: 2, line: 505 }]);
        return [harness, answer];
      },
      [400, "invalid_manifests"],
    ],
    [
      "has too many objects",
      async () => {
        const harness = await newService();
        const body = `items:\n${"- {a: aaaaaaaaaaaaaaaaaaaaaaaaaa}\n".repeat(limits.importObjects + 1)}`;
        return [harness, await harness.send("POST", "/v1/sandboxes", { body, headers: yaml })];
      },
      [413, "too_large"],
    ],
    [
      "takes too long to write",
      async () => {
        const harness = await newService();
        const { cluster } = harness.service;
        const receiveImport = async () => {
          harness.time.nowMs += limits.importMs;
          return { ok: true } as const;
        };
        harness.service.cluster = (id) => Object.assign(cluster(id), { receiveImport });
        return [harness, await harness.send("POST", "/v1/sandboxes", { body: longText, headers: yaml })];
      },
      [413, "too_large"],
    ],
  ])("is refused if it %s, and leaves nothing", async (_, sendIt, expected) => {
    const [harness, answer] = await sendIt();
    expect(await refusalOf(answer)).toEqual(expected);
    await expectNothingLeft(harness);
    expect(harness.errors).toEqual([]);
  });

  test("is refused by the cluster with the problem's place, and leaves nothing", async () => {
    const harness = await newService();
    const { cluster } = harness.service;
    harness.service.cluster = (id) => {
      const problems = [{ document: 1, line: 6, message: "no such kind" }];
      const refusal = { ok: false, code: "invalid_manifests", message: "document 1, line 6", field: "import" } as const;
      return Object.assign(cluster(id), { importRefusal: { ...refusal, problems } });
    };
    const answer = await harness.send("POST", "/v1/sandboxes", { body: longText, headers: yaml });
    const { error } = errorBody.parse(await answer.clone().json());
    expect(error.problems).toEqual([{ document: 1, line: 6, message: "no such kind" }]);
    expect(await refusalOf(answer)).toEqual([400, "invalid_manifests"]);
    await expectNothingLeft(harness);
  });

  test("is refused if no byte arrives for 30 seconds", async () => {
    const harness = await newService();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const passages = async function* () {
      yield new TextEncoder().encode(longText);
      await new Promise(() => undefined);
    };
    const pendingAnswer = sendStream(harness, passages());
    for (let turn = 0; turn < 200; turn++) await new Promise((done) => void setImmediate(done));
    await vi.advanceTimersByTimeAsync(limits.importSilenceMs);
    expect(await refusalOf(pendingAnswer)).toEqual([408, "body_too_slow"]);
    await expectNothingLeft(harness);
  });

  test.each([
    ['{"manifests":"a"}', "manifests"],
    ['{"snapshot":"a"}', "snapshot"],
    ['{"seed":-1}', "seed"],
    ["{", "settings"],
    ["[]", undefined],
  ])("is refused with the settings %s", async (settings, field) => {
    const harness = await newService();
    const path = `/v1/sandboxes?settings=${encodeURIComponent(settings)}`;
    const answer = await harness.send("POST", path, { body: longText, headers: yaml });
    const { error } = errorBody.parse(await answer.json());
    expect([answer.status, error.code, error.field]).toEqual([400, "invalid_field", field]);
  });
});
