// ingress-nginx's controller, which every sandbox has.
import { image } from "../../images/known-image.ts";
import type { Product } from "../module.ts";
import { ingressController, ingressPorts, ingressServer } from "./server.ts";
import { ingressStatusController } from "./status.ts";

export const ingressNginx: Product = {
  names: ["ingress-nginx"],
  images: { "ingress-nginx/controller": image(104_215_880, "/nginx-ingress-controller", { uid: 101 }) },
  configurations:
    "ingress-nginx/controller www-data=101 80,443 /etc/nginx /usr/bin/dumb-init -- | /nginx-ingress-controller",
  ingress: { ports: ingressPorts, server: ingressServer },
  controllers: () => [ingressStatusController],
  programs: { "nginx-ingress-controller": ingressController },
};
