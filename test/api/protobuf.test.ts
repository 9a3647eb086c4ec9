// Objects, lists, errors and watches in protobuf, through the whole API.
import { describe, expect, test } from "vitest";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { limits } from "../../shared/base/limits.ts";
import {
  decodeEnvelope,
  decodeProtobuf,
  encodeEnvelope,
  encodeProtobuf,
} from "../../shared/schema/protobuf/protobuf.ts";
import { protobufStream } from "../../shared/contract/cluster-object.ts";
import { configMap, core, newServer, type TestServer } from "./server.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const listType = "io.k8s.api.core.v1.ConfigMapList";

async function bytes({ ask }: TestServer, path: string, accept = protobuf) {
  const { code, headers, bytes: body } = await ask("GET", path, { headers: { accept } });
  return { code, type: headers.get("content-type"), ...decodeEnvelope(body) };
}

describe("protobuf encoding", () => {
  test("writes and reads an object", async () => {
    const server = newServer({ controllers: [] });
    const raw = encodeProtobuf("io.k8s.api.core.v1.ConfigMap", configMap("a", { k: "ü" }));
    const body = encodeEnvelope({ apiVersion: "v1", kind: "ConfigMap", raw });
    const created = await server.ask("POST", `${core}/configmaps`, {
      body,
      headers: { "content-type": protobuf, accept: protobuf },
    });
    expect(created.code).toBe(201);
    const read = await bytes(server, `${core}/configmaps/a`);
    expect([read.type, read.apiVersion, read.kind]).toEqual([protobuf, "v1", "ConfigMap"]);
    expect(decodeProtobuf("io.k8s.api.core.v1.ConfigMap", read.raw)).toMatchObject({ data: { k: "ü" } });
  });

  test("has the contents of JSON for a list of any length", async () => {
    const server = newServer({ controllers: [] });
    for (const count of [3, limits.listPageObjects + 50]) {
      for (let index = 0; index < count; index++) {
        server.cluster.client.create(configMaps(server), {
          metadata: { name: `c${count}-${index}`, namespace: "default" },
        });
      }
      const json = (await server.ask("GET", `${core}/configmaps`)).body;
      const list = await bytes(server, `${core}/configmaps`);
      expect(list.kind).toBe("ConfigMapList");
      const { metadata, items } = decodeProtobuf(listType, list.raw) as typeof json;
      expect(metadata).toEqual(json.metadata);
      expect(items).toEqual(json.items);
    }
  });

  test("contains a refusal as a Status", async () => {
    const { code, kind, raw } = await bytes(newServer({ controllers: [] }), `${core}/configmaps/none`);
    expect([code, kind]).toEqual([404, "Status"]);
    expect(decodeProtobuf("io.k8s.apimachinery.pkg.apis.meta.v1.Status", raw)).toMatchObject({
      message: 'configmaps "none" not found',
      reason: "NotFound",
      details: { name: "none", kind: "configmaps" },
      code: 404,
    });
  });

  test("supports metadata only, and falls back to the next format for a Table", async () => {
    const server = newServer({ controllers: [] });
    const as = (kind: string) => `;as=${kind};v=v1;g=meta.k8s.io`;
    const list = await bytes(server, `${core}/configmaps`, protobuf + as("PartialObjectMetadataList"));
    expect([list.apiVersion, list.kind]).toEqual(["meta.k8s.io/v1", "PartialObjectMetadataList"]);
    const accept = `${protobuf}${as("Table")},application/json${as("Table")}`;
    const table = await server.ask("GET", `${core}/configmaps`, { headers: { accept } });
    expect([table.code, table.body.kind]).toEqual([200, "Table"]);
    const alone = await server.ask("GET", `${core}/configmaps`, { headers: { accept: protobuf + as("Table") } });
    expect(alone.code).toBe(406);
  });

  test("is lines of base64 for a watch, with its bookmark in JSON for the edge", async () => {
    const server = newServer({ controllers: [] });
    const watch = await server.ask(
      "GET",
      `${core}/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      {
        headers: { accept: `${protobuf};stream=watch` },
      },
    );
    expect(watch.headers.get("content-type")).toBe(protobufStream);
    const last = base64Decode(watch.text.trimEnd().split("\n").at(-1) ?? "");
    // A tag and a length, followed by the type.
    expect(new TextDecoder().decode(last.subarray(2, 2 + "BOOKMARK".length))).toBe("BOOKMARK");
    expect(JSON.parse(watch.headers.get("sandbar-watch-bookmark") ?? "")).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", metadata: { resourceVersion: "$R" } },
    });
  });
});

function configMaps({ cluster }: TestServer) {
  const kind = cluster.registry.catalogue.byKind("v1", "ConfigMap");
  if (!kind) throw new Error("no ConfigMap");
  return kind;
}
