// Strict decoding, defaults and validation of a Deployment, in this process.
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { decode } from "../../shared/schema/decode.ts";
import { parseJson } from "../../shared/schema/json.ts";
import { deployments } from "../../worker/kinds/deployments.ts";
import { deployment } from "../sandbox.ts";
import { type Figure, atMost } from "../table.ts";

const warmUps = 3000;
const rounds = 5000;
const { metadata, spec } = deployment("web", 3);
const container = {
  name: "web",
  image: "nginx:1.27",
  ports: [{ containerPort: 80 }],
  env: [{ name: "LEVEL", value: "info" }],
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
  readinessProbe: { httpGet: { path: "/", port: 80 } },
};
const text = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: { ...spec, template: { ...spec.template, spec: { containers: [container] } } },
});
const user = { name: "bench", groups: [] };
const context = { nowMs: 0, random: systemRandom, user, list: () => [], get: () => undefined };

export function checks(): Figure[] {
  for (let round = 0; round < warmUps; round++) check();
  const startMs = performance.now();
  for (let round = 0; round < rounds; round++) check();
  const micros = ((performance.now() - startMs) * 1000) / rounds;
  return [
    { what: "decode, default, validate a Deployment", value: micros, unit: "µs", bar: atMost(micros, 150, "µs") },
  ];
}

function check(): void {
  const { object, unknown } = decode(deployments.type, parseJson(text, "Deployment").value);
  // The canonical form of the type just named.
  const draft = object as Deployment;
  deployments.defaults?.(draft);
  const errors = deployments.validate?.(draft, context) ?? [];
  if (errors.length > 0 || unknown.length > 0) throw new Error("the Deployment is valid");
}
