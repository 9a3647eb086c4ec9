// All that the fuzzer runs.
import type { Target } from "./target.ts";
import { bodyTargets } from "./targets/bodies.ts";
import { containerTargets } from "./targets/containers.ts";
import { credentialTargets } from "./targets/credentials.ts";
import { documentTargets } from "./targets/documents.ts";
import { referenceTargets } from "./targets/references.ts";
import { schemaTargets } from "./targets/schemas.ts";
import { trafficTargets } from "./targets/traffic.ts";
import { valueTargets } from "./targets/values.ts";

export const targets: readonly Target[] = [
  ...[...valueTargets, ...bodyTargets, ...schemaTargets, ...credentialTargets],
  ...[...containerTargets, ...trafficTargets, ...documentTargets, ...referenceTargets],
];
