// Request bodies: encodings, strictness, size, and errors.
import { describe, expect, test } from "vitest";
import { encodeEnvelope, encodeProtobuf } from "../../shared/schema/protobuf/protobuf.ts";
import { handle } from "../../worker/api/handler.ts";
import { adminToken, apps, configMap, core, deployment, newServer, refusal, refused } from "./server.ts";

const json = { "content-type": "application/json" };
const protobuf = { "content-type": "application/vnd.kubernetes.protobuf" };

function enveloped(apiVersion: string, kind: string, type: string, object: unknown): Uint8Array {
  return encodeEnvelope({ apiVersion, kind, raw: encodeProtobuf(type, object) });
}

test.each([
  ["POST", "application/yaml", "configmaps", undefined],
  ["PATCH", "application/apply-patch+yaml", "configmaps/c?fieldManager=x", "c"],
  ["PATCH", "application/merge-patch+json", "configmaps/first", "first"],
])("%s of %s waits for a turn of its sandbox if the body is long, and its parsing is charged", async (...words) => {
  const [method, type, path, name] = words;
  const log: string[] = [];
  const turns = {
    next: () => {
      log.push("waits");
      return Promise.resolve();
    },
    measure: <T>(body: () => T) => {
      log.push("measured");
      return body();
    },
  };
  const { ask } = newServer({ service: () => ({ turns }) });
  await ask("POST", `${core}/configmaps`, { body: configMap("first") });
  const read = async (characters: number) => {
    log.length = 0;
    const data = { text: "x".repeat(characters) };
    const body = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: name ?? `of-${characters}` },
      data,
    });
    const answer = await ask(method, `${core}/${path}`, { body, headers: { "content-type": type } });
    expect(answer.code).toBeLessThan(300);
    return [...log];
  };
  const short = await read(100);
  const long = await read(100_000);
  expect(short[0]).toBe("measured");
  expect(long.slice(0, 2)).toEqual(["waits", "measured"]);
  expect(long.length).toBe(short.length + 1);
});

describe("request formats", () => {
  test("protobuf bodies create a namespace, a ConfigMap and a Deployment", async () => {
    const { ask, cluster } = newServer();
    const namespace = enveloped("v1", "Namespace", "io.k8s.api.core.v1.Namespace", { metadata: { name: "a" } });
    expect((await ask("POST", "/api/v1/namespaces", { body: namespace, headers: protobuf })).code).toBe(201);
    const settings = enveloped("v1", "ConfigMap", "io.k8s.api.core.v1.ConfigMap", configMap("c", { k: "v" }));
    expect((await ask("POST", `${core}/configmaps`, { body: settings, headers: protobuf })).body.data).toEqual({
      k: "v",
    });
    const web = enveloped("apps/v1", "Deployment", "io.k8s.api.apps.v1.Deployment", deployment("web", 2));
    const created = await ask("POST", `${apps}/deployments`, { body: web, headers: protobuf });
    expect([created.code, created.body.spec["replicas"]]).toEqual([201, 2]);
    cluster.runUntilQuiet();
    expect((await ask("GET", `${apps}/deployments/web`)).body.status).toMatchObject({ readyReplicas: 2 });
  });

  test("YAML is parsed as Go parses it: `on` is true", async () => {
    const { ask } = newServer();
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: 'yes'\n  on: \"1\"\n";
    const created = await ask("POST", `${core}/configmaps`, { body, headers: { "content-type": "application/yaml" } });
    expect([created.code, created.body.data]).toEqual([201, { a: "yes", true: "1" }]);
  });

  test("an unknown content type is 415, and an unacceptable response format is 406", async () => {
    const { ask } = newServer();
    const answer = await ask("POST", `${core}/configmaps`, { body: "a=b", headers: { "content-type": "text/csv" } });
    expect(answer.code).toBe(415);
    expect(answer.body.message).toMatch(
      /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml, application\/vnd.kubernetes.protobuf/,
    );
    expect((await ask("GET", `${core}/configmaps`, { headers: { accept: "text/html" } })).code).toBe(406);
    expect(
      (await ask("POST", `${core}/configmaps`, { body: configMap("never"), headers: { accept: "text/html" } })).code,
    ).toBe(406);
    expect((await ask("GET", `${core}/configmaps/never`)).code).toBe(404);
  });
});

describe("strictness", () => {
  const body = `{"metadata":{"name":"a","name":"a","colour":"red"},"data":{"k":"v"},"datum":{}}`;

  test("fieldValidation=Strict rejects unknown and duplicate fields", async () => {
    const { ask } = newServer();
    const answer = await ask("POST", `${core}/configmaps?fieldValidation=Strict`, { body, headers: json });
    expect(answer.code).toBe(400);
    expect(answer.body.message).toMatch(/strict decoding error: .*unknown field "datum"/);
    expect(answer.body.message).toContain('duplicate field "metadata.name"');
    expect(answer.body.message).toContain('unknown field "metadata.colour"');
  });

  test("Warn, the default, returns Warning headers", async () => {
    const { ask } = newServer();
    const { code, headers } = await ask("POST", `${core}/configmaps`, { body, headers: json });
    expect(code).toBe(201);
    const warning = headers.get("warning") ?? "";
    for (const text of [
      'unknown field \\"datum\\"',
      'unknown field \\"metadata.colour\\"',
      'duplicate field \\"metadata.name\\"',
    ]) {
      expect(warning).toContain(`299 - "${text}"`);
    }
  });

  test("Ignore returns no warnings, and another value is invalid", async () => {
    const { ask } = newServer();
    const ignored = await ask("POST", `${core}/configmaps?fieldValidation=Ignore`, { body, headers: json });
    expect([ignored.code, ignored.headers.get("warning")]).toEqual([201, null]);
    expect(
      refusal(await ask("POST", `${core}/configmaps?fieldValidation=Often`, { body, headers: json })).message,
    ).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Often": supported values: "", "Ignore", "Strict", "Warn"',
    );
  });

  test("a wrong type is 400 with the message of Go's decoder", async () => {
    const { ask } = newServer();
    const wrong = { ...deployment("web"), spec: { ...deployment("web").spec, replicas: "three" } };
    expect(refusal(await ask("POST", `${apps}/deployments`, { body: wrong }))).toEqual(
      refused(
        400,
        "BadRequest",
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
      ),
    );
  });

  test("a body of another kind or version is rejected with its kind", async () => {
    const { ask } = newServer();
    const post = async (path: string, body: unknown) => refusal(await ask("POST", path, { body }));
    expect(await post(`${apps}/deployments`, { ...configMap("a") })).toEqual(
      refused(
        400,
        "BadRequest",
        'ConfigMap in version "v1" cannot be handled as a Deployment: converting (v1.ConfigMap) to (apps.Deployment): unknown conversion',
      ),
    );
    expect(await post(`${core}/configmaps`, { apiVersion: "v1", kind: "Unheard" })).toEqual(
      refused(
        400,
        "BadRequest",
        'Unheard in version "v1" cannot be handled as a ConfigMap: no kind "Unheard" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
      ),
    );
    expect(await post(`${apps}/deployments`, { ...deployment("a"), apiVersion: "apps/v9" })).toEqual(
      refused(
        400,
        "BadRequest",
        'Deployment in version "v9" cannot be handled as a Deployment: no kind "Deployment" is registered for version "apps/v9" in scheme "pkg/api/legacyscheme/scheme.go:30"',
      ),
    );
    expect(
      await post("/apis/events.k8s.io/v1/namespaces/default/events", {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "e" },
      }),
    ).toEqual(
      refused(
        400,
        "BadRequest",
        "the API version in the data (v1) does not match the expected API version (events.k8s.io/v1)",
      ),
    );
  });
});

describe("malformed and large", () => {
  test("invalid JSON is 400, with its first bytes", async () => {
    const { ask } = newServer();
    const post = async (body: string) => refusal(await ask("POST", `${core}/configmaps`, { body, headers: json }));
    expect(await post("{broken")).toEqual(
      refused(
        400,
        "BadRequest",
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'b' looking for beginning of object key string ({broken)",
      ),
    );
    expect((await post("")).code).toBe(400);
    expect((await post("[]")).code).toBe(400);
    expect((await post("null")).code).toBe(422);
    expect((await post('"text"')).code).toBe(400);
  });

  test("more than 3 MB is 413, with or without a declared length", async () => {
    const { ask, cluster } = newServer();
    const { revision } = cluster.registry.store;
    const big = JSON.stringify(configMap("big", { k: "x".repeat(3 * 1024 * 1024) }));
    const answer = await ask("POST", `${core}/configmaps`, { body: big, headers: json });
    expect(refusal(answer)).toEqual(
      refused(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"),
    );
    expect(cluster.registry.store.revision).toBe(revision);
  });

  test.each([undefined, "1000"])(
    "an interrupted body is 400, and not reported as a bug (length declared: %s)",
    async (length) => {
      const { service: server, bugs, cluster } = newServer();
      const { revision } = cluster.registry.store;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode('{"apiVersion"')),
        pull: (controller) => controller.error(new Error("Network connection lost.")),
      });
      const headers = {
        ...json,
        authorization: `Bearer ${adminToken}`,
        ...(length ? { "content-length": length } : {}),
      };
      // Node.js requires this for a streamed body.
      const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
      const answer = await handle(server, new Request(`https://test${core}/configmaps`, init));
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { reason: "BadRequest", message: "unexpected EOF" },
      ]);
      expect([bugs, cluster.registry.store.revision]).toEqual([[], revision]);
    },
  );

  test("an object that is too large to store is 413", async () => {
    const { ask, cluster } = newServer();
    const { revision } = cluster.registry.store;
    const status = { conditions: [{ type: "Big", status: "True", message: "x".repeat(1_600_000) }] };
    const answer = await ask("PATCH", "/api/v1/nodes/node-1/status", {
      body: JSON.stringify({ status }),
      headers: { "content-type": "application/strategic-merge-patch+json" },
    });
    expect(answer.code).toBe(413);
    expect(cluster.registry.store.revision).toBe(revision);
  });
});

describe("YAML", () => {
  const text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n  k: w\n";
  const send = (query: string) =>
    newServer({ controllers: [], nodes: 0 }).ask("POST", `${core}/configmaps?${query}`, {
      headers: { "content-type": "application/yaml" },
      body: text,
    });

  test("R6: a map with many keys takes linear time", async () => {
    const keys = Array.from({ length: 10_000 }, (_, at) => `  key-${at}: v\n`).join("");
    const { ask } = newServer({ controllers: [], nodes: 0 });
    const body = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n${keys}`;
    const created = await ask("POST", `${core}/configmaps`, { headers: { "content-type": "application/yaml" }, body });
    expect(Object.keys(created.body.data)).toHaveLength(10_000);
    const more = `${body}${keys.repeat(7)}`;
    const refused = await ask("POST", `${core}/configmaps`, {
      headers: { "content-type": "application/yaml" },
      body: more,
    });
    expect(refusal(refused)).toMatchObject({ status: 400, reason: "BadRequest" });
  });

  test("the last of duplicate keys is used, and strictness rejects them", async () => {
    expect((await send("")).body.data).toEqual({ k: "w" });
    expect(refusal(await send("fieldValidation=Strict")).message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 7: key "k" already set in map',
    );
  });
});

test.each([
  ["a: b: c", "mapping values are not allowed in this context"],
  ["a: b\n c: d", "line 2: mapping values are not allowed in this context"],
  ["a:\n\tb: c", "line 2: found character that cannot start any token"],
  ["a: @b", "found character that cannot start any token"],
  ["a: [1, 2\nb: c", "line 1: did not find expected ',' or ']'"],
  ["a: 'x", "found unexpected end of stream"],
  ["a:\n  b: c\n d: e\n", "line 2: did not find expected key"],
])("malformed YAML is rejected with the message of Go's parser: %j", async (body, why) => {
  const headers = { "content-type": "application/yaml" };
  const answer = await newServer({ controllers: [], nodes: 0 }).ask("POST", `${core}/configmaps`, { headers, body });
  expect(refusal(answer).message).toContain(`(must be of type ConfigMap): yaml: ${why} (`);
});

describe("warnings", () => {
  const fields = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));
  const warning = async (names: readonly string[]) => {
    const body = { ...configMap("a"), ...fields(names) };
    const { headers } = await newServer({ controllers: [], nodes: 0 }).ask("POST", `${core}/configmaps`, { body });
    return headers.get("warning") ?? "";
  };

  test("are returned unchanged, except those with control characters", async () => {
    expect(await warning(["größe", 'a"b'])).toBe(
      ["größe", 'a\\\\\\"b'].map((name) => `299 - "unknown field \\"${name}\\""`).join(", "),
    );
    expect(await warning(["a\u0085b"])).toBe("");
  });

  test("are about unknown and duplicate fields in the order of the body", async () => {
    const body =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","x":1,"name":"a"},"data":{"k":"1","k":"2"},"y":1}';
    const { headers } = await newServer({ controllers: [], nodes: 0 }).ask("POST", `${core}/configmaps`, {
      headers: { "content-type": "application/json" },
      body,
    });
    const warningText = (headers.get("warning") ?? "").replaceAll("\\", "");
    expect(warningText.match(/\w+ field "[\w.]+"/g)).toEqual([
      'unknown field "metadata.x"',
      'duplicate field "metadata.name"',
      'duplicate field "data.k"',
      'unknown field "y"',
    ]);
  });

  test("are truncated if there are too many", async () => {
    const text = await warning(Array.from({ length: 30 }, (_, at) => `${at}`.padStart(400, "x")));
    expect(text.split(", ")).toHaveLength(16);
    expect(text.split(", ").every((warningText) => warningText.length < 280)).toBe(true);
  });
});
