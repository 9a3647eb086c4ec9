// All the controllers of a sandbox, put together: the only place that knows both the catalogue and the kubelet.
import { controllers } from "../controllers/catalogue.ts";
import { garbageCollector } from "../controllers/garbage-collector.ts";
import { namespaceController } from "../controllers/namespace.ts";
import { resourceQuotaController } from "../controllers/resource-quota.ts";
import { rootCaController } from "../controllers/root-ca.ts";
import { kinds } from "../kinds/catalogue.ts";
import { defaultDelays, kubelet, zeroDelays } from "../node/kubelet.ts";
import { simulatedDeviceStatus, simulatedDevices } from "../node/simulated-devices.ts";
import { nodeLifecycle } from "../node/node-lifecycle.ts";
import type { Controller } from "../runtime/controller.ts";

export interface ControllerOptions {
  /** The kubelet does everything at once: for tests, benchmarks and CI. */
  readonly zeroDelays: boolean;
  /** The cluster's CA, as published in `kube-root-ca.crt`. */
  readonly caPem: string;
}

export function allControllers(options: ControllerOptions): readonly Controller[] {
  return [
    ...controllers,
    garbageCollector(kinds),
    namespaceController(kinds),
    resourceQuotaController(kinds),
    rootCaController(options.caPem),
    nodeLifecycle,
    simulatedDevices,
    simulatedDeviceStatus,
    kubelet(options.zeroDelays ? zeroDelays : defaultDelays),
  ];
}
