// The state file: a written state is read back, and other files are refused.
import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { StateFileError, type StateMeta } from "../../shared/state/format.ts";
import { readStateFile } from "../../shared/state/read-state.ts";
import { type StateObject, StateWriter, withSignature, writeStateFile } from "../../shared/state/write-state.ts";

const certificates = {
  rootCA:
    "-----BEGIN CERTIFICATE-----\nserver\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nclient\n-----END CERTIFICATE-----\n",
  clientCA: "-----BEGIN CERTIFICATE-----\nclient\n-----END CERTIFICATE-----\n",
  frontProxyCA: "-----BEGIN CERTIFICATE-----\nfront\n-----END CERTIFICATE-----\n",
};
const meta: StateMeta = { settings: { anonymousAccess: true }, certificates, rows: [["edits:u/c", "[]"]] };
const state = { revision: 900, madeMs: 5, meta };

const objects = Array.from({ length: 300 }, (_, at) => objectOf("configmaps", `ns-${at % 3}`, `n-${at}`, at + 1));

describe("F1: a state file", () => {
  test("has the written objects in the order of their keys, with any texts", () => {
    const any = fc.array(
      fc.record({
        resource: fc.constantFrom("pods", "secrets", "deployments.apps"),
        namespace: fc.constantFrom("", "a", "b"),
        name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }),
        owners: fc.array(fc.constantFrom("u1", "!u2"), { maxLength: 2 }),
        indexValue: fc.constantFrom("", "node-1"),
        text: fc
          .array(
            fc.oneof(
              fc.string({ unit: "binary" }),
              fc.constantFrom(...Object.values(certificates), "$rootCA$", "\u0001"),
            ),
          )
          .map((pieces) => JSON.stringify({ value: pieces.join("") })),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(any, (drawn) => {
        const all = [...new Map(drawn.map((stateObject) => [keyOf(stateObject), stateObject])).values()];
        const written = all.map((stateObject, at) => ({ ...stateObject, revision: at * 3 + 1 }));
        const file = readStateFile(writeStateFile(written, state));
        const read = [...file.entries()].map(({ characters: bytes, ...entry }) => {
          expect(file.find(entry)).toMatchObject(entry);
          const text = file.text(entry);
          expect(bytes).toBe(text.length);
          const { resource, namespace, name, revision, owners, indexValue } = entry;
          return { resource, namespace, name, owners, indexValue, text, revision };
        });
        const inOrder = [...written].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
        expect(read).toEqual(inOrder);
        expect(file.header).toMatchObject({
          revision: 900,
          madeMs: 5,
          objects: all.length,
          bytes: all.reduce((sum, { text }) => sum + text.length, 0),
        });
        expect(file.meta).toEqual(meta);
      }),
    );
  });

  test("has blocks of a bounded size, and finds no absent object", () => {
    const text = JSON.stringify({ value: "x".repeat(limits.objectBytes) });
    const large = ["a", "b"].map((name, at) => ({ ...objectOf("secrets", "ns", name, 400 + at), text }));
    const file = readStateFile(writeStateFile([...objects, ...large], state));
    for (const object of [...large, ...objects].reverse()) expect(file.text(object)).toBe(object.text);
    expect(file.find({ resource: "configmaps", namespace: "ns-0", name: "none" })).toBeUndefined();
    expect(() => file.text({ resource: "z", namespace: "", name: "none" })).toThrow("z//none is not in the file");
  });

  test("has its cluster's certificates only beside the objects", () => {
    const certificateMap = {
      ...objectOf("configmaps", "ns", "kube-root-ca.crt", 3),
      text: JSON.stringify(certificates),
    };
    const otherCertificates = { rootCA: "R".repeat(300), clientCA: "C".repeat(300), frontProxyCA: "F".repeat(300) };
    const [ownFile, otherFile] = [certificates, otherCertificates].map((certificateSet) => {
      const text = JSON.stringify(certificateSet);
      return writeStateFile([{ ...certificateMap, text }], {
        ...state,
        meta: { ...meta, certificates: certificateSet },
      });
    });
    expect(readStateFile(ownFile ?? new Uint8Array()).text(certificateMap)).toBe(certificateMap.text);
    // The block is the end of the file.
    expect(ownFile?.slice(-30)).toEqual(otherFile?.slice(-30));
  });

  test("is refused if it was cut, altered, has a newer version, or is another file", () => {
    const file = writeStateFile(objects, state);
    for (const length of [0, 1, 50]) expect(faultOf(file.slice(0, length))).toBe("not_a_state");
    for (const left of [1, 100, 2000]) expect(faultOf(file.slice(0, -left))).toBe("cut");
    const afterLead = file.indexOf(10) + 1;
    for (let at = afterLead; at < file.length; at += 97) {
      const altered = file.slice();
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(faultOf(altered)).toBe("altered");
    }
    expect(faultOf(new Uint8Array([...file, 0]))).toBe("altered");
    expect(faultOf(rewritten(file, (lead) => ({ ...lead, version: 2 })))).toBe("newer");
    expect(faultOf(rewritten(file, (lead) => ({ ...lead, format: "other" })))).toBe("not_a_state");
    expect(faultOf(new TextEncoder().encode("apiVersion: v1\n"))).toBe("not_a_state");
    expect(faultOf(rewritten(file, (lead) => lead))).toBe("none");
  });

  test("may be signed, which alters nothing else", () => {
    const file = writeStateFile(objects, state);
    const { lead } = readStateFile(file);
    expect(lead.signature).toBeUndefined();
    const signed = withSignature(withSignature(file, lead, "another"), lead, "a signature");
    expect(readStateFile(signed).lead).toEqual({ ...lead, signature: "a signature" });
    expect(signed.slice(-lead.size)).toEqual(file.slice(-lead.size));
  });

  test("is refused before it is decompressed too far if its parts are inconsistent", () => {
    const bomb = deflateRawSync(new Uint8Array(64 * 1024 * 1024));
    const sections = partsOf(writeStateFile(objects.slice(0, 2), state));
    const { header, index, meta: beside, blocks } = sections;
    const index1 = { ...header, index: { bytes: 1000, packed: bomb.length } };
    expect(faultOf(fileOf({ ...sections, header: index1, index: bomb }))).toBe("damaged");
    const huge = { ...header, index: { bytes: limits.stateIndexBytes + 1, packed: index.length } };
    expect(faultOf(fileOf({ ...sections, header: huge }))).toBe("damaged");
    const besideBomb = { ...header, meta: { bytes: 1000, packed: bomb.length } };
    expect(faultOf(fileOf({ ...sections, header: besideBomb, meta: bomb }))).toBe("damaged");
    expect(faultOf(fileOf({ ...sections, blocks: new Uint8Array(blocks.length + 1) }))).toBe("damaged");
    expect(faultOf(fileOf({ ...sections, header: { ...header, objects: 3 } }))).toBe("damaged");
    expect(faultOf(fileOf({ ...sections, header: { ...header, revision: 1 } }))).toBe("damaged");
    expect(faultOf(fileOf({ ...sections, header: { ...header, meta: undefined } }))).toBe("damaged");
    // A block is read when it is asked for.
    const file = readStateFile(fileOf({ ...sections, blocks: new Uint8Array(blocks.length) }));
    expect(faultIn(() => file.text(objects[0] ?? fail()))).toBe("damaged");
    expect(beside.length).toBeGreaterThan(0);
  });

  test.each([
    [
      "in another order",
      [
        ["b", 1],
        ["a", 2],
      ],
    ],
    [
      "twice in it",
      [
        ["a", 1],
        ["a", 2],
      ],
    ],
    [
      "with equal revisions",
      [
        ["a", 1],
        ["b", 1],
      ],
    ],
    [
      "without a revision",
      [
        ["a", 0],
        ["b", 1],
      ],
    ],
  ] as const)("is refused with an index that has objects %s", (_, names) => {
    const sections = partsOf(writeStateFile(objects.slice(0, 2), state));
    const rows = names.map(([name, revision]) => ["ns", name, revision, 10]);
    const index = packedJson({ resources: [["configmaps", rows]], blocks: [[2, 20, sections.blocks.length]] });
    const header = { ...sections.header, index: { bytes: index.bytes, packed: index.packed.length } };
    expect(faultOf(fileOf({ ...sections, header, index: index.packed }))).toBe("damaged");
  });

  test("is not written past its size limit", () => {
    const writer = new StateWriter(certificates, 1000);
    const all = () => {
      for (let at = 0; at < 9; at++) {
        const text = JSON.stringify(Array.from({ length: 9_000 }, (_, index) => (index * 7919 * at) % 10_007));
        writer.add({ ...objectOf("pods", "ns", `n-${at}`, at + 1), text });
      }
    };
    expect(faultIn(all)).toBe("too_large");
    expect(() => new StateWriter(certificates, 10).finish(state)).toThrow("more than 10 bytes");
  });
});

function objectOf(resource: string, namespace: string, name: string, revision: number): StateObject {
  const text = JSON.stringify({ metadata: { namespace, name, resourceVersion: String(revision) }, data: { ä: "ö" } });
  return { resource, namespace, name, revision, owners: [], indexValue: "", text };
}

function keyOf({ resource, namespace, name }: { resource: string; namespace: string; name: string }): string {
  return `${resource}\u0000${namespace}\u0000${name}`;
}

function faultOf(file: Uint8Array): string {
  return faultIn(() => readStateFile(file));
}

function faultIn(body: () => unknown): string {
  try {
    body();
    return "none";
  } catch (error) {
    if (error instanceof StateFileError) return error.fault;
    throw error;
  }
}

function rewritten(file: Uint8Array, change: (lead: object) => object): Uint8Array {
  const end = file.indexOf(10);
  const lead = JSON.parse(Buffer.from(file.slice(0, end)).toString()) as object;
  return Buffer.concat([Buffer.from(`${JSON.stringify(change(lead))}\n`), file.slice(end + 1)]);
}

interface Parts {
  readonly header: object;
  readonly index: Uint8Array;
  readonly meta: Uint8Array;
  readonly blocks: Uint8Array;
}

function partsOf(file: Uint8Array) {
  const start = file.indexOf(10) + 1;
  const end = file.indexOf(10, start) + 1;
  const { header } = readStateFile(file);
  const [metaAt, blocksAt] = [end + header.index.packed, end + header.index.packed + header.meta.packed];
  return { header, index: file.slice(end, metaAt), meta: file.slice(metaAt, blocksAt), blocks: file.slice(blocksAt) };
}

/** With the digest that it should have. */
function fileOf({ header, index, meta: beside, blocks }: Parts): Uint8Array {
  const rest = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), index, beside, blocks]);
  const digest = createHash("sha256").update(rest).digest("hex");
  const lead = { format: "sandbar-state", version: 1, size: rest.length, digest };
  return Buffer.concat([Buffer.from(`${JSON.stringify(lead)}\n`), rest]);
}

function packedJson(value: object): { bytes: number; packed: Uint8Array } {
  const text = Buffer.from(JSON.stringify(value));
  return { bytes: text.length, packed: deflateRawSync(text) };
}

function fail(): never {
  throw new Error("there is none");
}
