// cert-manager: once it is installed, certificates are issued here.
import type { Product } from "../module.ts";
import { certManager } from "./controller.ts";

export const certManagerProduct: Product = {
  names: ["cert-manager"],
  controllers: ({ keys }) => [certManager(keys)],
};
