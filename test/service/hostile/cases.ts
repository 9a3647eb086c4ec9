// Cases of a hostile tenant: each is a few requests, and no request ends with a 500.
import type { Dice } from "../../simulation/dice.ts";
import { wideObject } from "./wide.ts";
import { hostileGlob, hostileJson, hostilePattern, hostileScript, hostileYaml, long, nested } from "./explosions.ts";

export interface Case {
  readonly title: string;
  /** Sends its requests by `send`. */
  run(send: Send): Promise<void>;
}

/** `path` is below the sandbox's Kubernetes API, or below the control API if it begins with /v1/. Gives status and body. */
export type Send = (
  method: string,
  path: string,
  body?: string,
  contentType?: string,
) => Promise<{ readonly status: number; readonly text: string }>;

const core = "/api/v1/namespaces/default";
const apps = "/apis/apps/v1/namespaces/default";
const batch = "/apis/batch/v1/namespaces/default";
const json = "application/json";
const yaml = "application/yaml";
const patches = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** The pod that `exec` cases use; made before the first case. */
export const shellPod = "shell";

export function podOf(name: string, command: readonly string[], more: object = {}, image = "busybox"): string {
  const containers = [{ name: "main", image, command }];
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { restartPolicy: "Never", containers, ...more },
  });
}

export function caseOf(dice: Dice, at: number): Case {
  const name = `case-${at}`;
  const families: readonly ((dice: Dice, name: string) => Case)[] = [
    scriptInPod,
    scriptInPod,
    scriptByExec,
    yamlBody,
    jsonBody,
    patchOfObject,
    selectors,
    customResource,
    policies,
    hugeNumbers,
    longLists,
    manifests,
    manyReaders,
    bulk,
    nginxLocations,
  ];
  return (dice.pick(families) ?? scriptInPod)(dice, name);
}

function scriptInPod(dice: Dice, name: string): Case {
  const script = hostileScript(dice);
  const shell = dice.choose("sh", "bash", "sh");
  const image = dice.choose("busybox", "alpine", "ubuntu", "bash", "debian");
  const restartPolicy = dice.choose("Never", "OnFailure", "Always");
  return {
    title: `pod ${script.slice(0, 80)}`,
    async run(send) {
      await send("POST", `${core}/pods`, podOf(name, [shell, "-c", script], { restartPolicy }, image), json);
      await send("GET", `${core}/pods/${name}/log?limitBytes=1000000`);
      await send("GET", `${core}/pods/${name}`);
      await send("DELETE", `${core}/pods/${name}?gracePeriodSeconds=0`);
    },
  };
}

function scriptByExec(dice: Dice): Case {
  const script = hostileScript(dice);
  const query = ["sh", "-c", script].map((word) => `command=${encodeURIComponent(word.slice(0, 8000))}`).join("&");
  return {
    title: `exec ${script.slice(0, 80)}`,
    run: async (send) => void (await send("EXEC", `${core}/pods/${shellPod}/exec?${query}&stdout=1&stderr=1`)),
  };
}

function yamlBody(dice: Dice, name: string): Case {
  const text = hostileYaml(dice, name);
  return {
    title: `yaml of ${text.length} characters`,
    async run(send) {
      await send("POST", `${core}/configmaps?fieldValidation=${dice.choose("Strict", "Warn", "Ignore")}`, text, yaml);
      await send("PATCH", `${core}/configmaps/${name}?fieldManager=x&force=true`, text, patches.apply);
      await send("DELETE", `${core}/configmaps/${name}`);
    },
  };
}

function jsonBody(dice: Dice, name: string): Case {
  const value = hostileJson(dice);
  const place = dice.choose<(value: string) => string>(
    (inner) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":${inner}}`,
    (inner) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","annotations":${inner}}}`,
    (inner) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","managedFields":${inner}}}`,
    (inner) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":${inner}}}`,
    (inner) => inner,
  );
  return {
    title: `json of ${value.length} characters`,
    run: async (send) => void (await send("POST", `${core}/configmaps`, place(value), json)),
  };
}

function patchOfObject(dice: Dice, name: string): Case {
  const many = 1_000 + dice.below(20_000);
  const [type, body] = dice.choose<() => readonly [string, string]>(
    () => [
      patches.json,
      `[${Array.from({ length: many }, () => `{"op":"copy","from":"/data","path":"/data/a"}`).join(",")}]`,
    ],
    () => [
      patches.json,
      `[${Array.from({ length: 40 }, () => `{"op":"copy","from":"/metadata/annotations","path":"/metadata/annotations/x"}`).join(",")}]`,
    ],
    () => [patches.json, `[{"op":"add","path":"${"/a".repeat(many)}","value":1}]`],
    () => [patches.json, `[{"op":"test","path":"/data","value":${hostileJson(dice)}}]`],
    () => [patches.merge, `{"data":${hostileJson(dice)}}`],
    () => [patches.merge, nested('{"a":', "null", "}", many)],
    () => [
      patches.strategic,
      `{"metadata":{"ownerReferences":[${Array.from({ length: many / 10 }, (_, at) => `{"apiVersion":"v1","kind":"X","name":"x","uid":"${at}"}`).join(",")}]}}`,
    ],
    () => [
      patches.strategic,
      `{"metadata":{"finalizers":[${Array.from({ length: many }, (_, at) => `"a.b/${at}"`).join(",")}],"$setElementOrder/finalizers":[${Array.from({ length: many }, (_, at) => `"a.b/${many - at}"`).join(",")}]}}`,
    ],
    () => [
      patches.apply,
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{${Array.from({ length: many }, (_, at) => `"k${at}":"v"`).join(",")}}}`,
    ],
  )();
  return {
    title: `patch ${type} of ${body.length} characters`,
    async run(send) {
      await send(
        "POST",
        `${core}/configmaps`,
        `{"metadata":{"name":"${name}","annotations":{"a":"b"}},"data":{"a":"${long("x", 1000)}"}}`,
        json,
      );
      await send("PATCH", `${core}/configmaps/${name}?fieldManager=x`, body, type);
      await send("DELETE", `${core}/configmaps/${name}`);
    },
  };
}

function selectors(dice: Dice): Case {
  const terms = Array.from({ length: 100 + dice.below(400) }, (_, at) => `k${at}!=v${at}`).join(",");
  const query = dice.choose(
    `labelSelector=${encodeURIComponent(terms)}`,
    `labelSelector=${encodeURIComponent(`a in (${long("x,", 4000)}y)`)}`,
    `fieldSelector=${encodeURIComponent(long("metadata.name=a,", 6000))}metadata.name=b`,
    `labelSelector=${encodeURIComponent(nested("(", "a", ")", 2000))}`,
    `labelSelector=${encodeURIComponent(hostilePattern(dice).text.repeat(50))}`,
    `limit=${"9".repeat(30)}`,
    `continue=${long("e30", 4000)}`,
    `resourceVersion=${"9".repeat(300)}&timeoutSeconds=1&watch=1`,
  );
  return {
    title: `list ?${query.slice(0, 60)}`,
    run: async (send) => void (await send("GET", `${core}/pods?${query}`)),
  };
}

function customResource(dice: Dice, name: string): Case {
  const { pattern, text } = hostilePattern(dice);
  const plural = `${name.replaceAll("-", "")}s`;
  const spec = dice.choose<() => object>(
    () => ({ type: "string", pattern }),
    () => ({ type: "string", "x-kubernetes-validations": [{ rule: `self.matches(${JSON.stringify(pattern)})` }] }),
    () => ({
      type: "array",
      maxItems: 200,
      items: { type: "string", maxLength: 20 },
      "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, self.all(c, a + b != c)))" }],
    }),
    () => ({
      type: "string",
      "x-kubernetes-validations": [{ rule: "self.split('').map(a, self + a).map(b, b + self).size() > 0" }],
    }),
    () => deepSchema(100 + dice.below(1000)),
    () => ({
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 3000 }, (_, at) => [`p${at}`, { type: "string", default: long("x", 100) }]),
      ),
      default: {},
    }),
    () => ({ type: "string", oneOf: Array.from({ length: 500 }, (_, at) => ({ pattern: `${pattern}${at}` })) }),
    () => ({ type: "array", items: { type: "string" }, uniqueItems: false, "x-kubernetes-list-type": "set" }),
  )();
  const schema = { type: "object", properties: { spec } };
  const body = JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.hostile.example` },
    spec: {
      group: "hostile.example",
      scope: "Namespaced",
      names: { plural, kind: `K${plural}` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const value =
    "type" in spec && spec.type === "array"
      ? Array.from({ length: 5000 }, (_, at) => `${text.slice(0, 15)}${at}`)
      : text;
  const object = JSON.stringify({
    apiVersion: "hostile.example/v1",
    kind: `K${plural}`,
    metadata: { name: "a" },
    spec: value,
  });
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  return {
    title: `definition ${JSON.stringify(spec).slice(0, 80)}`,
    async run(send) {
      await send("POST", definitions, body, json);
      await send("POST", `/apis/hostile.example/v1/namespaces/default/${plural}`, object, json);
      await send("GET", `/apis/hostile.example/v1/namespaces/default/${plural}`);
      await send("DELETE", `${definitions}/${plural}.hostile.example`);
    },
  };
}

function deepSchema(depth: number): { type: string } {
  let schema: { type: string; properties?: object } = { type: "string" };
  for (let at = 0; at < depth; at++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

function policies(dice: Dice, name: string): Case {
  const { pattern, text } = hostilePattern(dice);
  const expression = dice.choose(
    `object.metadata.name.matches(${JSON.stringify(pattern)})`,
    `${JSON.stringify(text.repeat(20))}.matches(${JSON.stringify(pattern)})`,
    `[1,2,3,4,5,6,7,8,9].all(a, ${"[1,2,3,4,5,6,7,8,9].all(b, ".repeat(8)}true${")".repeat(8)})`,
    nested("(", "true", ")", 5000),
    long("true || ", 40_000) + "true",
    `"${"a".repeat(1000)}"${`.replace("a", "aaaa")`.repeat(20)} != ""`,
    `${nested("[", "1", "]", 3000)}.size() > 0`,
    `object.data.all(k, object.data.all(l, object.data.all(m, k + l != m)))`,
  );
  const path = "/apis/admissionregistration.k8s.io/v1";
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
  const policy = {
    metadata: { name },
    spec: { failurePolicy: "Ignore", matchConstraints: { resourceRules: rules }, validations: [{ expression }] },
  };
  const binding = { metadata: { name }, spec: { policyName: name, validationActions: ["Audit"] } };
  const data = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, "v"]));
  return {
    title: `policy ${expression.slice(0, 80)}`,
    async run(send) {
      await send("POST", `${path}/validatingadmissionpolicies`, JSON.stringify(policy), json);
      await send("POST", `${path}/validatingadmissionpolicybindings`, JSON.stringify(binding), json);
      await send("POST", `${core}/configmaps`, JSON.stringify({ metadata: { name }, data }), json);
      await send("DELETE", `${core}/configmaps/${name}`);
      await send("DELETE", `${path}/validatingadmissionpolicybindings/${name}`);
      await send("DELETE", `${path}/validatingadmissionpolicies/${name}`);
    },
  };
}

function hugeNumbers(dice: Dice, name: string): Case {
  const huge = dice.choose(2_147_483_647, 1_000_000_000, 100_000, 9e15, -1, 1.5);
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "busybox" }] } };
  const job = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
  const selector = { matchLabels: labels };
  const [path, spec] = dice.choose<() => readonly [string, object]>(
    () => [`${apps}/deployments`, { replicas: 100 + dice.below(200), selector, template }],
    () => [
      `${apps}/deployments`,
      { replicas: 0, selector, template, revisionHistoryLimit: huge, progressDeadlineSeconds: huge },
    ],
    () => [`${batch}/jobs`, { parallelism: 50, completions: huge, completionMode: "Indexed", template: job }],
    () => [
      `${batch}/jobs`,
      { parallelism: 50, completions: 100_000, backoffLimit: huge, activeDeadlineSeconds: 1, template: job },
    ],
    () => [
      `${batch}/cronjobs`,
      { schedule: "* * * * *", startingDeadlineSeconds: huge, jobTemplate: { spec: { template: job } } },
    ],
    () => [
      `${batch}/cronjobs`,
      { schedule: `${long("0-59,", 5000)}0 * * * *`, jobTemplate: { spec: { template: job } } },
    ],
    () => [
      `${batch}/cronjobs`,
      { schedule: "0 0 30 2 *", timeZone: long("A/", 1000), jobTemplate: { spec: { template: job } } },
    ],
    () => [
      `${core}/services`,
      { selector: labels, ports: Array.from({ length: 2000 }, (_, at) => ({ name: `p${at}`, port: at + 1 })) },
    ],
    () => [
      `${core}/pods`,
      { containers: Array.from({ length: 300 }, (_, at) => ({ name: `c${at}`, image: "busybox" })) },
    ],
    () => [
      `${core}/pods`,
      {
        containers: [
          {
            name: "c",
            image: long("a/", 5000),
            resources: { requests: { cpu: `1${"0".repeat(3000)}`, memory: "1e999999999" } },
          },
        ],
      },
    ],
    () => [
      `${core}/pods`,
      {
        containers: [{ name: "c", image: "busybox" }],
        terminationGracePeriodSeconds: huge,
        activeDeadlineSeconds: huge,
      },
    ],
    () => [
      `/api/v1/nodes`,
      {
        podCIDR: "10.0.0.0/1",
        taints: Array.from({ length: 5000 }, (_, at) => ({ key: `k${at}`, effect: "NoSchedule" })),
      },
    ],
  )();
  return {
    title: `${path} ${JSON.stringify(spec).slice(0, 80)}`,
    async run(send) {
      await send("POST", path, JSON.stringify({ metadata: { name }, spec }), json);
      await send("GET", `${path}/${name}`);
      await send("DELETE", `${path}/${name}?propagationPolicy=Background`);
    },
  };
}

function longLists(dice: Dice, name: string): Case {
  const { path, body } = wideObject(dice);
  const annotation = JSON.stringify({ metadata: { annotations: { a: "b" } } });
  return {
    title: `long lists ${JSON.stringify(body).slice(0, 100)}`,
    async run(send) {
      await send("POST", path, JSON.stringify({ ...body, metadata: { ...body.metadata, name } }), json);
      await send("PATCH", `${path}/${name}`, annotation, patches.merge);
      await send("PATCH", `${path}/${name}`, '{"metadata":{"finalizers":null}}', patches.merge);
      await send("DELETE", `${path}/${name}?gracePeriodSeconds=0`);
    },
  };
}

function manifests(dice: Dice, name: string): Case {
  const text = hostileYaml(dice, name);
  return {
    title: `manifests of ${text.length} characters`,
    async run(send) {
      const answer = await send(
        "POST",
        "/v1/sandboxes",
        JSON.stringify({ name: "hostile", ttlSeconds: 60, manifests: text }),
        json,
      );
      if (answer.status !== 201) return;
      const { id } = JSON.parse(answer.text) as { id: string };
      await send("DELETE", `/v1/sandboxes/${id}`);
    },
  };
}

function manyReaders(dice: Dice, name: string): Case {
  const script = `for i in $(seq 1 ${1000 * (1 + dice.below(30))}); do echo ${long("a long line ", 200)} $i; done; sleep 1000`;
  return {
    title: "readers of one long log",
    async run(send) {
      await send("POST", `${core}/pods`, podOf(name, ["sh", "-c", script]), json);
      await Promise.all(Array.from({ length: 30 }, () => send("GET", `${core}/pods/${name}/log`)));
      await send("DELETE", `${core}/pods/${name}?gracePeriodSeconds=0`);
    },
  };
}

function bulk(dice: Dice, name: string): Case {
  const count = 3 + dice.below(6);
  const accept = dice.choose("?limit=500", "", "?resourceVersion=0");
  return {
    title: `${count} large objects, listed and deleted together`,
    async run(send) {
      const labels = { bulk: name };
      const data = { a: long("x", 1_000_000) };
      for (let at = 0; at < count; at++) {
        await send(
          "POST",
          `${core}/configmaps`,
          JSON.stringify({ metadata: { name: `${name}-${at}`, labels }, data }),
          json,
        );
      }
      await Promise.all([0, 1].map(() => send("GET", `${core}/configmaps${accept}`)));
      await send("DELETE", `${core}/configmaps?labelSelector=bulk%3D${name}`);
    },
  };
}

function nginxLocations(dice: Dice, name: string): Case {
  const { pattern, text } = hostilePattern(dice);
  const { pattern: glob } = hostileGlob(dice);
  const locations = `server { listen 80; location ~ "${pattern}" { return 200 yes; } location ~* "${glob.replaceAll("*", ".*")}" { return 200 no; } ${nested("location / { ", "return 404;", " }", 500)} }`;
  const config = JSON.stringify({ metadata: { name }, data: { "default.conf": locations } });
  const more = { volumes: [{ name: "conf", configMap: { name } }] };
  const containers = [
    { name: "main", image: "nginx", volumeMounts: [{ name: "conf", mountPath: "/etc/nginx/conf.d" }] },
  ];
  return {
    title: `nginx ${pattern}`,
    async run(send) {
      await send("POST", `${core}/configmaps`, config, json);
      await send("POST", `${core}/pods`, JSON.stringify({ metadata: { name }, spec: { containers, ...more } }), json);
      await send("GET", `${core}/pods/${name}:80/proxy/${text}`);
      await send("DELETE", `${core}/pods/${name}?gracePeriodSeconds=0`);
      await send("DELETE", `${core}/configmaps/${name}`);
    },
  };
}
