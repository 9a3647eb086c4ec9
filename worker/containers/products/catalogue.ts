// The simulated products. All other code uses this list and names none of them.
import { agnhostProduct } from "./agnhost/product.ts";
import { argoCd } from "./argo-cd.ts";
import { bookinfo } from "./bookinfo.ts";
import { boutiqueProduct } from "./boutique.ts";
import { certManagerProduct } from "./cert-manager/product.ts";
import { controlPlane } from "./control-plane/product.ts";
import { coreDns } from "./coredns.ts";
import { distributions } from "./distributions.ts";
import { echoes } from "./echoes.ts";
import { gateway } from "./gateway.ts";
import { grafana } from "./grafana.ts";
import { guestbookProduct } from "./guestbook.ts";
import { httpd } from "./httpd.ts";
import { ingressNginx } from "./ingress-nginx/product.ts";
import { kubeProxy } from "./control-plane/kube-proxy.ts";
import type { Product } from "./module.ts";
import { mongo } from "./mongo/product.ts";
import { mysql } from "./mysql/product.ts";
import { nginxProduct } from "./nginx/product.ts";
import { podinfoProduct } from "./podinfo.ts";
import { postgres } from "./postgres/product.ts";
import { prometheus } from "./prometheus/product.ts";
import { redis } from "./redis/product.ts";
import { samples } from "./samples.ts";
import { caddy, memcached, rabbitmq } from "./silent-servers.ts";
import { testImages } from "./test-images.ts";
import { wordpress } from "./wordpress.ts";

export const products: readonly Product[] = [
  distributions,
  nginxProduct,
  httpd,
  ingressNginx,
  gateway,
  postgres,
  mysql,
  mongo,
  redis,
  caddy,
  memcached,
  rabbitmq,
  agnhostProduct,
  testImages,
  samples,
  echoes,
  podinfoProduct,
  guestbookProduct,
  bookinfo,
  boutiqueProduct,
  wordpress,
  prometheus,
  grafana,
  coreDns,
  controlPlane,
  kubeProxy,
  argoCd,
  certManagerProduct,
];
