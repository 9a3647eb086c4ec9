// Images that a sandbox defines: pulled, run and updated like any other.
import { describe, expect, test } from "vitest";
import { createSandbox, type Images } from "../../shared/contract/sandbox.ts";
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { core, newServer, type TestServer } from "../api/server.ts";

/** As the control API reads them. */
function imagesOf(...definitions: readonly object[]): Images {
  return createSandbox.parse({ images: definitions }).images;
}

async function create(server: TestServer, path: string, body: object): Promise<void> {
  const { code, text } = await server.ask("POST", path, { body });
  expect({ code, text: code === 201 ? "" : text }).toEqual({ code: 201, text: "" });
}

async function createPod(
  server: TestServer,
  name: string,
  container: Partial<Container>,
  spec: object = {},
): Promise<Pod> {
  const containers = [{ name: "main", ...container }];
  await create(server, `${core}/pods`, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { containers, ...spec },
  });
  server.cluster.step(10_000);
  return podNamed(server, name);
}

function podNamed({ cluster }: TestServer, name: string): Pod {
  return cluster.get(pods, "default", name);
}

async function logOf(server: TestServer, name: string): Promise<string[]> {
  const { text } = await server.ask("GET", `${core}/pods/${name}/log`);
  return text === "" ? [] : text.trimEnd().split("\n");
}

function eventsOf(server: TestServer, pod: Pod): string[] {
  return [...server.cluster.eventsOf(pod)];
}

const shop = {
  name: "registry.example.com/team/shop:v1",
  tags: ["stable"],
  from: "python:3.12-slim",
  pip: ["flask"],
  users: [{ name: "app", uid: 1500 }],
  user: "app",
  workingDir: "/app",
  env: { GREETING: "hello" },
  files: {
    "/app/app.py": `import os
from flask import Flask
app = Flask(__name__)
@app.route("/")
def index():
    return os.environ["GREETING"] + " from v1"
app.run(host="0.0.0.0", port=8080)
`,
    "/app/start.sh": {
      text: "#!/bin/sh\necho started in $(pwd) as $(id -u)\nexec python app.py\n",
      mode: "0755",
      owner: "app",
    },
  },
  ports: [8080],
  entrypoint: ["./start.sh"],
};

describe("pulls of defined images", () => {
  test("a defined image is pulled with its size and a digest that depends on its contents only", async () => {
    const otherImage = { ...shop, name: "other:1", env: { GREETING: "hi" } };
    const server = newServer({ images: imagesOf(shop, { ...shop, name: "copy:1", tags: [] }, otherImage) });
    const pod = await createPod(server, "web", { image: "registry.example.com/team/shop:v1" });
    const [status] = pod.status.containerStatuses ?? [];
    expect(status?.imageID).toMatch(/^registry\.example\.com\/team\/shop@sha256:[0-9a-f]{64}$/);
    expect(eventsOf(server, pod).join("\n")).toMatch(
      /Successfully pulled image "registry\.example\.com\/team\/shop:v1" in .* Image size: 363\d{6} bytes\./,
    );
    const stable = await createPod(server, "stable", { image: "registry.example.com/team/shop:stable" });
    expect(stable.status.containerStatuses?.[0]?.imageID).toBe(status?.imageID);
    const digestOf = async (name: string, image: string) =>
      /@(.*)/.exec((await createPod(server, name, { image })).status.containerStatuses?.[0]?.imageID ?? "")?.[1];
    const digest = /@(.*)/.exec(status?.imageID ?? "")?.[1];
    expect(await digestOf("copy", "copy:1")).toBe(digest);
    expect(await digestOf("other", "other:1")).not.toBe(digest);
    const byDigest = await createPod(server, "digest", { image: status?.imageID ?? "" });
    expect(byDigest.status.phase).toBe("Running");
    expect(server.bugs).toEqual([]);
  });

  const refused: readonly (readonly [image: string, message: RegExp])[] = [
    ["registry.example.com/team/shop:v2", /code = NotFound desc = .*team\/shop:v2: not found/],
    ["registry.example.com/team/shop", /code = NotFound desc = .*team\/shop:latest: not found/],
    [
      `registry.example.com/team/shop@sha256:${"0".repeat(64)}`,
      /code = NotFound desc = .*team\/shop@sha256:0{64}: not found/,
    ],
    ["broken:1", /"docker\.io\/library\/pyhton:3\.12": .*pull access denied/],
  ];
  test.each(refused)("%s is not found", async (image, message) => {
    const server = newServer({ images: imagesOf(shop, { name: "broken:1", from: "pyhton:3.12" }) });
    const pod = await createPod(server, "web", { image });
    expect(pod.status.containerStatuses?.[0]?.state.waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
    expect(eventsOf(server, pod).join("\n")).toMatch(message);
  });

  test("imagePullPolicy: Never uses the image only after it was pulled", async () => {
    const server = newServer({ images: imagesOf(shop), nodes: 1 });
    const image = "registry.example.com/team/shop:v1";
    const early = await createPod(server, "early", { image, imagePullPolicy: "Never" });
    expect(early.status.containerStatuses?.[0]?.state.waiting?.reason).toBe("ErrImageNeverPull");
    await createPod(server, "web", { image });
    const late = await createPod(server, "late", { image, imagePullPolicy: "Never" });
    expect(late.status.phase).toBe("Running");
  });
});

describe("containers of defined images", () => {
  const show = (more: object) => imagesOf({ name: "show:1", from: "busybox:1.36", ...more });
  const script = "id; pwd; echo $NAME; ls -l /data; cat /data/text";

  test("user, folder, variables and files come from the definition", async () => {
    const images = show({
      users: [{ name: "app", uid: 1500 }],
      user: "app",
      workingDir: "/data",
      env: { NAME: "from the image" },
      files: { "/data/text": { text: "text\n", mode: "0640", owner: "app" }, "/data/empty": {} },
      command: ["sh", "-c", script],
    });
    const server = newServer({ images });
    await createPod(server, "web", { image: "show:1" }, { restartPolicy: "Never" });
    expect(await logOf(server, "web")).toEqual([
      "uid=1500(app) gid=1500(app) groups=1500(app)",
      "/data",
      "from the image",
      expect.stringMatching(/^total/),
      expect.stringMatching(/^drwxr-xr-x .* root +root .* empty$/),
      expect.stringMatching(/^-rw-r----- .* app +app .* text$/),
      "text",
    ]);
  });

  const commands: readonly (readonly [what: string, image: object, container: Partial<Container>, printed: string])[] =
    [
      ["command of the image", { command: ["echo", "image"] }, {}, "image"],
      ["args in place of the command", { command: ["echo", "image"] }, { args: ["echo", "pod"] }, "pod"],
      [
        "args after the entry point",
        { entrypoint: ["echo", "entry"], command: ["image"] },
        { args: ["pod"] },
        "entry pod",
      ],
      ["entry point with the command", { entrypoint: ["echo", "entry"], command: ["image"] }, {}, "entry image"],
      [
        "the pod's command in place of both",
        { entrypoint: ["false"], command: ["no"] },
        { command: ["echo", "pod"] },
        "pod",
      ],
      [
        "a script in the folders of programs",
        {
          files: { "/usr/local/bin/tell": { text: "#!/bin/sh\necho told $1\n", mode: "0755" } },
          command: ["tell", "it"],
        },
        {},
        "told it",
      ],
    ];
  test.each(commands)("%s", async (_what, image, container, printed) => {
    const server = newServer({ images: show(image) });
    await createPod(server, "web", { image: "show:1", ...container }, { restartPolicy: "Never" });
    expect(await logOf(server, "web")).toEqual([printed]);
  });

  test("an image from another defined image merges both definitions; scratch is empty", async () => {
    const base = {
      name: "base:1",
      from: "busybox:1.36",
      env: { A: "base", B: "base" },
      files: { "/a": "base\n", "/b": "base\n" },
      entrypoint: ["sh", "-c"],
    };
    const app = {
      name: "app:1",
      from: "base:1",
      env: { B: "app" },
      files: { "/b": "app\n" },
      command: ["echo $A $B; cat /a /b"],
    };
    const server = newServer({ images: imagesOf(base, app, { name: "bare:1", files: { "/x": "x" } }) });
    await createPod(server, "web", { image: "app:1" }, { restartPolicy: "Never" });
    expect(await logOf(server, "web")).toEqual(["base app", "base", "app"]);
    const bare = await createPod(server, "bare", { image: "bare:1", command: ["sh", "-c", "echo no"] });
    expect(eventsOf(server, bare).join("\n")).toContain('exec: "sh": executable file not found in $PATH');
  });

  test("a script without the executable bit is not started", async () => {
    const files = { "/app/start.sh": "#!/bin/sh\necho no\n" };
    const server = newServer({ images: show({ files, workingDir: "/app", command: ["./start.sh"] }) });
    const pod = await createPod(server, "web", { image: "show:1" });
    expect(eventsOf(server, pod).join("\n")).toContain(
      'error during container init: exec: "./start.sh": permission denied',
    );
  });

  test("an image volume has the image's files, and runAsNonRoot checks the image's user", async () => {
    const server = newServer({ images: show({ files: { "/data/text": "from the image\n" } }) });
    const volumes = [{ name: "data", image: { reference: "show:1" } }];
    const command = ["cat", "/from/data/text"];
    const volumeMounts = [{ name: "data", mountPath: "/from" }];
    await createPod(
      server,
      "web",
      { image: "busybox:1.36", command, volumeMounts },
      { volumes, restartPolicy: "Never" },
    );
    expect(await logOf(server, "web")).toEqual(["from the image"]);
    const root = await createPod(server, "root", { image: "show:1", securityContext: { runAsNonRoot: true } });
    expect(eventsOf(server, root).join("\n")).toContain("container has runAsNonRoot and image will run as root");
  });

  test.each(["flask run --host 0.0.0.0 --port 8080", "python -m flask --app app run -h 0.0.0.0 -p 8080"])(
    "%s serves the app of the folder",
    async (command) => {
      const files = { "/app/app.py": shop.files["/app/app.py"].replace(/app\.run.*/, "") };
      const server = newServer({ images: imagesOf({ ...shop, files, entrypoint: [], command: command.split(" ") }) });
      await createPod(server, "web", { image: shop.name });
      expect((await server.ask("GET", `${core}/pods/web:8080/proxy/`)).text).toBe("hello from v1");
    },
  );

  test("a Python program has the image's libraries and no others", async () => {
    const server = newServer({ images: imagesOf(shop, { name: "bare:1", from: "python:3.12-slim" }) });
    await createPod(server, "web", { image: "registry.example.com/team/shop:v1" });
    expect((await logOf(server, "web"))[0]).toBe("started in /app as 1500");
    await createPod(
      server,
      "bare",
      { image: "bare:1", command: ["python", "-c", "import flask"] },
      { restartPolicy: "Never" },
    );
    expect((await logOf(server, "bare")).at(-1)).toBe("ModuleNotFoundError: No module named 'flask'");
    const { text } = await server.ask("GET", `${core}/pods/web:8080/proxy/`);
    expect(text).toBe("hello from v1");
  });
});

describe("responses of a defined API", () => {
  const api = {
    name: "api:1",
    ports: [80],
    responses: [
      { method: "GET", path: "/items", body: '{"items":[]}' },
      { method: "POST", path: "/items", status: 201, headers: { Location: "/items/1" } },
      { path: "/slow", delayMs: 1500, body: "late\n" },
      { path: "/flaky/*", failureShare: 0.3, body: "well\n" },
      { path: "/health", body: "ok\n" },
    ],
  };

  async function answered(script: string): Promise<readonly [client: string[], server: string[]]> {
    const server = newServer({ images: imagesOf(api) });
    const readinessProbe = { httpGet: { path: "/health", port: 80 } };
    await createPod(server, "api", { image: "api:1", readinessProbe });
    await create(server, `${core}/services`, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "api" },
      spec: { selector: { app: "api" }, ports: [{ port: 80 }] },
    });
    await createPod(
      server,
      "client",
      { image: "curlimages/curl", command: ["sh", "-c", script] },
      { restartPolicy: "Never" },
    );
    server.cluster.step(60_000);
    expect(podNamed(server, "api").status.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    return [await logOf(server, "client"), await logOf(server, "api")];
  }

  test("the first row with a matching method and path answers, and the request is logged", async () => {
    const script = `curl -si http://api/items | grep -i -e HTTP -e type -e items
curl -si -X POST http://api/items | grep -i -e HTTP -e location
curl -s -o /dev/null -w '%{http_code} %{time_total}\\n' http://api/slow
curl -s -o /dev/null -w '%{http_code}\\n' http://api/nothing
curl -s -o /dev/null -w '%{http_code}\\n' -X DELETE http://api/items`;
    const [client, server] = await answered(script);
    expect(client.map((line) => line.trim().toLowerCase())).toEqual([
      "http/1.1 200 ok",
      "content-type: application/json",
      '{"items":[]}',
      "http/1.1 201 created",
      "location: /items/1",
      expect.stringMatching(/^200 1\.5\d+$/),
      "404",
      "405",
    ]);
    expect(server.filter((line) => line.includes("/items")).map((line) => line.replace(/^.*\] /, ""))).toEqual([
      '"GET /items HTTP/1.1" 200 12',
      '"POST /items HTTP/1.1" 201 0',
      '"DELETE /items HTTP/1.1" 405 19',
    ]);
  });

  test("a share of requests fails, chosen by the sandbox's seed and not by the reader", async () => {
    const script =
      "for i in $(seq 200); do curl -s -o /dev/null -w '%{http_code}\\n' http://api/flaky/$i; sleep 0.1; done";
    const [client] = await answered(script);
    const failed = client.filter((line) => line === "503").length;
    expect(client.filter((line) => line === "200")).toHaveLength(200 - failed);
    expect(failed).toBeGreaterThan(35);
    expect(failed).toBeLessThan(90);
    expect((await answered(script))[0]).toEqual(client);
  });

  test("each probe of a flaky path fails or succeeds independently", async () => {
    const server = newServer({ images: imagesOf(api) });
    const readinessProbe = { httpGet: { path: "/flaky/x", port: 80 }, periodSeconds: 1, failureThreshold: 1 };
    await createPod(server, "api", { image: "api:1", readinessProbe });
    server.cluster.step(60_000);
    const statuses = (await logOf(server, "api")).map((line) => /" (\d+) /.exec(line)?.[1]);
    expect(statuses.filter((status) => status === "503").length).toBeGreaterThan(5);
    expect(statuses.filter((status) => status === "200").length).toBeGreaterThan(20);
  });

  test("a ConfigMap with an invalid response table ends the server", async () => {
    const server = newServer({ images: imagesOf(api) });
    await create(server, `${core}/configmaps`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "table" },
      data: { "responses.json": '{"ports":[80],"responses":[{"path":"items"}]}' },
    });
    const volumeMounts = [{ name: "table", mountPath: "/etc/sandbar" }];
    const volumes = [{ name: "table", configMap: { name: "table" } }];
    await createPod(server, "api", { image: "api:1", volumeMounts }, { volumes, restartPolicy: "Never" });
    expect(await logOf(server, "api")).toEqual([
      "sandbar-responses: /etc/sandbar/responses.json: responses.0.path: must begin with a slash, and may end with *",
    ]);
    expect(podNamed(server, "api").status.phase).toBe("Failed");
  });
});
