// The range that services get their addresses of, as the API server publishes it.
import { defaultServiceCidr, serviceCidrs } from "../../kinds/networking/service-cidr.ts";
import { serviceRange } from "../../kinds/core/service/cluster-ip.ts";
import { serviceCidrFinalizer } from "../../controllers/service-cidr.ts";
import { type Seed, seed } from "./seed.ts";

export function defaultServiceRange(): Seed {
  return seed(serviceCidrs, {
    // The finalizer that its controller would add.
    metadata: { name: defaultServiceCidr, finalizers: [serviceCidrFinalizer] },
    spec: { cidrs: [serviceRange] },
  });
}
