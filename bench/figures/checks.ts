// The cost of one Deployment in this process: strict decoding, defaults and validation, and a server-side apply to an existing object.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { defaultFeatures } from "../../shared/k8s/settings/feature-gates.ts";
import { defaultNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import { allowAll } from "../../test/access/allow-all.ts";
import type { WriteContext } from "../../worker/kinds/kind.ts";
import type { Deployment } from "../../shared/k8s/api/apps-v1.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { entriesOf, managersOf } from "../../shared/schema/apply/entries.ts";
import { applyConfiguration } from "../../shared/schema/apply/field-manager.ts";
import { FieldSet } from "../../shared/schema/apply/field-set.ts";
import type { Write } from "../../shared/schema/apply/managers.ts";
import { shapeOf } from "../../shared/schema/apply/shape.ts";
import { typedComplaint } from "../../shared/schema/apply/typed.ts";
import { decode } from "../../shared/schema/decode.ts";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import { parseJson } from "../../shared/schema/json.ts";
import { parseYamlObject } from "../../worker/api/body/yaml.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
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
const context: WriteContext = {
  nowMs: 0,
  meter: new WorkMeter(),
  random: systemRandom,
  network: defaultNetwork,
  features: defaultFeatures,
  user,
  dryRun: false,
  authorizer: allowAll,
  ask: () => [],
  list: () => [],
  count: () => 0,
  get: () => undefined,
  kindOf: () => undefined,
  versionsOf: (kind) => [kind],
};

export function checks(): Figure[] {
  const checked = microsOf(check);
  const config = parseYamlObject(text, "").value;
  const live = frozen(applied({ ...owned, live: empty, managers: [] }, config));
  const managers = managersOf(live.metadata.managedFields) ?? [];
  const unchanged = microsOf(() => {
    if (applied({ ...owned, live, managers }, parseYamlObject(text, "").value).spec.replicas !== 3)
      throw new Error("it is applied");
  });
  return [
    { what: "decode, default, validate a Deployment", value: checked, unit: "µs", bar: atMost(checked, 150, "µs") },
    { what: "server-side apply of an unchanged one", value: unchanged, unit: "µs", bar: atMost(unchanged, 400, "µs") },
  ];
}

function microsOf(run: () => void): number {
  for (let round = 0; round < warmUps; round++) run();
  const startMs = performance.now();
  for (let round = 0; round < rounds; round++) run();
  return ((performance.now() - startMs) * 1000) / rounds;
}

const empty = decode(deployments.type, { apiVersion: "apps/v1", kind: "Deployment" }).object;
const owned: Omit<Write, "live" | "managers"> = {
  shape: shapeOf(deployments.type),
  writer: { manager: "bench", operation: "Apply", apiVersion: "apps/v1" },
  time: "2026-01-01T00:00:00Z",
  ignored: FieldSet.path(["f:status"]),
};

/** Runs an apply from the configuration's text to the draft that would be stored. */
function applied(write: Write, config: JsonObject): Deployment {
  if (typedComplaint(deployments.type, config) !== undefined) throw new Error("the Deployment is typed");
  const { object, managers } = applyConfiguration(write, config, empty, false);
  // Decoding returns the canonical form of this type.
  const draft = decode(deployments.type, object).object as Deployment;
  deployments.defaults?.(draft);
  draft.metadata.managedFields = entriesOf(managers, (write.live as Deployment).metadata.managedFields);
  const errors = deployments.validate?.(draft, context) ?? [];
  if (errors.length > 0) throw new Error("the Deployment is valid");
  return draft;
}

/** Freezes a value, as the store does. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

function check(): void {
  const { object, unknown } = decode(deployments.type, parseJson(text, "Deployment").value);
  // Decoding returns the canonical form of this type.
  const draft = object as Deployment;
  deployments.defaults?.(draft);
  const errors = deployments.validate?.(draft, context) ?? [];
  if (errors.length > 0 || unknown.length > 0) throw new Error("the Deployment is valid");
}
