// cert-manager. Certificates are issued once it is installed.
import type { Product } from "../module.ts";
import { certManager } from "./controller.ts";

export const certManagerProduct: Product = {
  names: ["cert-manager"],
  controllers: ({ keys }) => [certManager(keys)],
};
