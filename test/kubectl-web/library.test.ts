// The parts of the page's kubectl that need no cluster, and its words completed against a small one.
import { describe, expect, test } from "vitest";
import { systemClock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { memoryFiles } from "../../web/kubectl/files.ts";
import { newKubectl } from "../../web/kubectl/kubectl.ts";
import { newGoTemplate } from "../../web/kubectl/print/go-template.ts";
import { newTemplate } from "../../web/kubectl/print/json-path.ts";
import { goYaml } from "../../web/kubectl/print/yaml.ts";
import { threeWayStrategicPatch } from "../../web/kubectl/writes/patches.ts";

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
const core = {
  metadata: { name: "" },
  versions: [
    {
      version: "v1",
      resources: [
        {
          resource: "pods",
          responseKind: { group: "", version: "v1", kind: "Pod" },
          scope: "Namespaced",
          singularResource: "pod",
          shortNames: ["po"],
          verbs,
        },
        {
          resource: "namespaces",
          responseKind: { group: "", version: "v1", kind: "Namespace" },
          scope: "Cluster",
          singularResource: "namespace",
          shortNames: ["ns"],
          verbs,
        },
      ],
    },
  ],
};

function answer(path: string): Response {
  const { pathname } = new URL(path, "http://cluster");
  if (pathname === "/api")
    return json({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items: [core] });
  if (pathname === "/apis")
    return json({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items: [] });
  if (pathname === "/api/v1/namespaces/shop/pods")
    return json({
      kind: "PodList",
      apiVersion: "v1",
      items: [{ metadata: { name: "web-1" } }, { metadata: { name: "web-2" } }, { metadata: { name: "db" } }],
    });
  return json(
    { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", message: "not found", code: 404 },
    404,
  );
}

function kubectl(
  fetch: (path: string, init: RequestInit) => Promise<Response> = (path) => Promise.resolve(answer(path)),
  wait: (ms: number) => Promise<void> = () => Promise.resolve(),
) {
  return newKubectl({
    fetch,
    socket: () => {
      throw new Error("no socket");
    },
    context: { name: "c", cluster: "c", user: "u", server: "https://c", namespace: "shop" },
    files: memoryFiles({ "/home/web.yaml": "a: b\n", "/home/deep/x.yaml": "" }, "/home"),
    clock: systemClock,
    random: systemRandom,
    wait,
  });
}

async function run(...words: string[]) {
  const text = { out: "", err: "" };
  const code = await kubectl().run(words, {
    out: (chunk) => void (text.out += chunk),
    err: (chunk) => void (text.err += chunk),
    input: () => Promise.resolve(""),
    signal: new AbortController().signal,
  });
  return { code, ...text };
}

describe("K6: a command line", () => {
  test("K6: prints names, and exits with 0", async () => {
    expect(await run("get", "po", "-o", "name")).toEqual({ code: 0, out: "pod/web-1\npod/web-2\npod/db\n", err: "" });
  });

  test("K6: reports an unknown resource type, and exits with 1", async () => {
    expect(await run("get", "shoes")).toEqual({
      code: 1,
      out: "",
      err: 'error: the server doesn\'t have a resource type "shoes"\n',
    });
  });

  test("K6: reports an unknown flag", async () => {
    expect(await run("get", "pods", "--nosuch")).toEqual({
      code: 1,
      out: "",
      err: "error: unknown flag: --nosuch\nSee 'kubectl get --help' for usage.\n",
    });
  });
});

test("K6: a rollout without a timeout is followed by one watch, and no timeout exceeds a timer's maximum", async () => {
  const resource = {
    resource: "deployments",
    responseKind: { group: "apps", version: "v1", kind: "Deployment" },
    scope: "Namespaced",
    singularResource: "deployment",
    verbs,
  };
  const items = [{ metadata: { name: "apps" }, versions: [{ version: "v1", resources: [resource] }] }];
  const web = (updatedReplicas: number) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", resourceVersion: "1" },
    spec: { replicas: 1 },
    status: { replicas: 1, updatedReplicas, availableReplicas: updatedReplicas },
  });
  const waits: number[] = [];
  const requests: string[] = [];
  const follows = kubectl(
    (path) => {
      const { pathname, searchParams } = new URL(path, "http://cluster");
      if (pathname === "/apis")
        return Promise.resolve(json({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items }));
      if (!pathname.startsWith("/apis/apps/v1/namespaces/shop/deployments")) return Promise.resolve(answer(path));
      requests.push(searchParams.get("watch") === null ? "read" : "watch");
      if (pathname.endsWith("/web")) return Promise.resolve(json(web(0)));
      if (searchParams.get("watch") === null)
        return Promise.resolve(json({ kind: "DeploymentList", apiVersion: "apps/v1", metadata: {}, items: [web(0)] }));
      return Promise.resolve(new Response(`${JSON.stringify({ type: "MODIFIED", object: web(1) })}\n`));
    },
    (ms) => {
      waits.push(ms);
      return new Promise(() => undefined);
    },
  );
  let out = "";
  const code = await follows.run(["rollout", "status", "deployment/web"], {
    out: (chunk) => void (out += chunk),
    err: (chunk) => void (out += chunk),
    input: () => Promise.resolve(""),
    signal: new AbortController().signal,
  });
  expect([code, out]).toEqual([0, expect.stringMatching(/^Waiting .*\n.*successfully rolled out\n$/)]);
  expect(requests).toEqual(["read", "read", "watch"]);
  expect(Math.max(...waits)).toBeLessThan(2 ** 31);
});

describe("K6: the kubeconfig", () => {
  /** Runs each line with the same kubectl, and returns the output of each. */
  async function each(lines: readonly string[], fetch?: (path: string, init: RequestInit) => Promise<Response>) {
    const ownKubectl = kubectl(fetch);
    const written: string[] = [];
    for (const line of lines) {
      const streams = {
        out: (chunk: string) => void (written[written.length - 1] += chunk),
        err: (chunk: string) => void (written[written.length - 1] += chunk),
        input: () => Promise.resolve(""),
        signal: new AbortController().signal,
      };
      written.push("");
      await ownKubectl.run(line.split(" "), streams);
    }
    return { written, files: ownKubectl.surroundings.files };
  }

  test("K6: has users, clusters and contexts in a file in kubectl's format", async () => {
    const { written, files } = await each([
      "config set-credentials bob --token=abc",
      "config set-credentials bob --token=x --username=y",
      "config set-cluster far --server=https://far",
      "config set-context bobs --cluster=far --user=bob --namespace=dev",
      "config use-context nope",
      "config use-context bobs",
      "config get-contexts",
      "config rename-context bobs robs",
      "config delete-user nobody",
      "config view --minify -o jsonpath={.users[0].user.token}",
      "config delete-context robs",
      "config set-cluster",
    ]);
    expect(written).toEqual([
      'User "bob" set.\n',
      "error: you cannot specify more than one authentication method at the same time: --token, --username/--password\n",
      'Cluster "far" set.\n',
      'Context "bobs" created.\n',
      'error: no context exists with the name: "nope"\n',
      'Switched to context "bobs".\n',
      "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n*         bobs   far       bob        dev\n          c      c         u          shop\n",
      'Context "bobs" renamed to "robs".\n',
      "error: cannot delete user nobody, not in /home/user/.kube/config\n",
      "REDACTED",
      'warning: this removed your active context, use "kubectl config use-context" to select a different one\ndeleted context robs from /home/user/.kube/config\n',
      "error: Unexpected args: []\n",
    ]);
    expect(files.read("/home/user/.kube/config")).toContain("token: abc");
  });

  test("K6: uses the token of the context's user, and refuses unsupported settings with a reason", async () => {
    const tokens: (string | null)[] = [];
    const fetch = (path: string, init: RequestInit = {}) => {
      tokens.push(new Headers(init.headers).get("authorization"));
      return Promise.resolve(answer(path));
    };
    const { written } = await each(
      [
        "config set-credentials bob --token=abc",
        "config set-context bobs --cluster=c --user=bob --namespace=shop",
        "get pods -o name --context=bobs",
        "get pods -o name",
        "config set-cluster far --server=https://far",
        "get pods --cluster=far",
        "config set-credentials ann --client-certificate=ann.crt",
        "get pods --user=ann",
        "get pods --context=nope",
      ],
      fetch,
    );
    expect(written[2]).toBe("pod/web-1\npod/web-2\npod/db\n");
    expect(new Set(tokens)).toEqual(new Set(["Bearer abc", null]));
    expect(written[5]).toBe(
      "Unable to connect to the server: a page reaches its own sandbox alone (https://c), not https://far\n",
    );
    expect(written[7]).toContain("a page cannot send client certificates or passwords");
    expect(written[8]).toBe("Error in configuration: context was not found for specified context: nope\n");
  });

  test("K6: is overridden by the global flags that options lists", async () => {
    const { out } = await run("options");
    expect(out).toMatch(/^The following options can be passed to any command:\n\n {4}--as='':\n/);
    expect(out).toContain("    -n, --namespace='':\n\tIf present, the namespace scope for this CLI request\n");
  });

  test("K6: with a cluster that does not answer is named as the cause", async () => {
    const { written } = await each(["get pods"], () => Promise.reject(new TypeError("https://c does not answer")));
    expect(written).toEqual(["Unable to connect to the server: https://c does not answer\n"]);
  });
});

describe("K6: completion", () => {
  const { signal } = new AbortController();
  test.for([
    { words: ["rollo"], offered: ["rollout"] },
    { words: ["rollout", "st"], offered: ["status"] },
    { words: ["get", "p"], offered: ["pods"] },
    { words: ["get", "pods", "web"], offered: ["web-1", "web-2"] },
    { words: ["get", "pods/d"], offered: ["pods/db"] },
    { words: ["logs", "d"], offered: ["db"] },
    { words: ["get", "pods", "--show-l"], offered: ["--show-labels"] },
    { words: ["apply", "-f", "w"], offered: ["web.yaml"] },
    { words: ["apply", "-f", "deep/"], offered: ["deep/x.yaml"] },
    { words: ["get", "shoes", "x"], offered: [] },
  ])("K6: for $words offers $offered", async ({ words, offered }) => {
    expect(await kubectl().complete(words, signal)).toEqual(offered);
  });

  test("K6: offers nothing if the cluster does not answer", async () => {
    const away = kubectl(() => Promise.reject(new Error("away")));
    expect(await away.complete(["get", "pods", "w"], signal)).toEqual([]);
  });
});

describe("K6: files in memory", () => {
  const bounds = { maxBytes: 20, maxFiles: 2 };

  test("K6: refuse a write past their bytes, and keep the old contents", () => {
    const files = memoryFiles({}, "/", () => undefined, bounds);
    files.write("/a", "short");
    expect(() => files.write("/a", "x".repeat(20))).toThrow("write /a: no space left on device");
    expect(files.read("/a")).toBe("short");
  });

  test("K6: refuse a file past their number", () => {
    const files = memoryFiles({ "/a": "", "/b": "" }, "/", () => undefined, bounds);
    expect(() => files.write("/c", "")).toThrow("no space left on device");
    expect(files.list("/")).toEqual(["a", "b"]);
  });
});

describe("K6: output", () => {
  test.for([
    [{ b: 1, a: ["x", { c: null }] }, "a:\n- x\n- c: null\nb: 1\n"],
    [{ text: "one\ntwo\n" }, "text: |\n  one\n  two\n"],
    [
      { yes: "yes", number: "12", empty: "", map: {}, list: [] },
      'empty: ""\nlist: []\nmap: {}\nnumber: "12"\n"yes": "yes"\n',
    ],
  ])("K6: formats %j as YAML", ([value, text]) => {
    expect(goYaml(value)).toBe(text);
  });

  test("K6: evaluates a JSONPath that ranges, filters and quotes", () => {
    const pods = {
      items: [
        { name: "a", ready: true },
        { name: "b", ready: false },
      ],
    };
    expect(newTemplate('{range .items[?(@.ready==true)]}{.name}{"\\n"}{end}').text(pods)).toBe("a\n");
  });

  test("K6: stops an endless Go template", () => {
    const nested = "{{range .}}".repeat(6) + "x" + "{{end}}".repeat(6);
    const deep = (depth: number): unknown => (depth === 0 ? 1 : Array.from({ length: 10 }, () => deep(depth - 1)));
    expect(() => newGoTemplate(nested).run(deep(6))).toThrow("it does not end");
  });
});

describe("K6: apply", () => {
  test("K6: removes fields that are no longer applied, and keeps fields of others", () => {
    const pod = (containers: object[]) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers },
    });
    const patch = threeWayStrategicPatch(
      "io.k8s.api.core.v1.Pod",
      pod([
        { name: "a", image: "x" },
        { name: "b", image: "x" },
      ]),
      pod([{ name: "a", image: "y" }]),
      pod([
        { name: "a", image: "x", imagePullPolicy: "Always" },
        { name: "b", image: "x" },
        { name: "injected", image: "z" },
      ]),
    );
    expect(patch).toEqual({
      spec: {
        "$setElementOrder/containers": [{ name: "a" }],
        containers: [
          { $patch: "delete", name: "b" },
          { image: "y", name: "a" },
        ],
      },
    });
  });

  const finalizers = (...names: string[]) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", finalizers: names },
  });
  const patched = (original: string[], modified: string[], current: string[]) =>
    threeWayStrategicPatch(
      "io.k8s.api.core.v1.Pod",
      finalizers(...original),
      finalizers(...modified),
      finalizers(...current),
    );

  test.for([
    {
      what: "removes the values that were applied before and are no longer",
      sides: [["a/a", "b/b"], ["a/a"], ["a/a", "b/b", "c/c"]],
      metadata: { "$deleteFromPrimitiveList/finalizers": ["b/b"], "$setElementOrder/finalizers": ["a/a"] },
    },
    {
      what: "adds values, and keeps those of others",
      sides: [["a/a"], ["a/a", "b/b"], ["a/a", "c/c"]],
      metadata: { finalizers: ["b/b"], "$setElementOrder/finalizers": ["a/a", "b/b"] },
    },
    {
      what: "removes a value that another client has removed already",
      sides: [["a/a", "b/b"], ["a/a"], ["a/a"]],
      metadata: { "$deleteFromPrimitiveList/finalizers": ["b/b"], "$setElementOrder/finalizers": ["a/a"] },
    },
    {
      what: "names no deleted values where none was removed",
      sides: [["a/a"], ["a/a"], ["a/a", "c/c"]],
      metadata: { "$setElementOrder/finalizers": ["a/a"] },
    },
  ])("K6: for a list of values $what", ({ sides: [original = [], modified = [], current = []], metadata }) => {
    expect(patched(original, modified, current)).toEqual({ metadata });
  });

  test("K6: sends nothing for an unchanged list of values", () => {
    expect(patched(["a/a"], ["a/a"], ["a/a"])).toEqual({});
  });
});
