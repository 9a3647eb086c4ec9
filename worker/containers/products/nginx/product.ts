// nginx, and images that contain it under other names.
import { image } from "../../images/known-image.ts";
import type { Product } from "../module.ts";
import { nginxFiles } from "./image-files.ts";
import { nginx } from "./program.ts";
import { versions } from "./version.ts";

const workerUid = 101;
const command = "nginx -g daemon%20off;";
const more = {
  programs: "debian",
  family: "debian",
  worker: "nginx",
  installed: {
    base: "debian",
    added: "nginx nginx-debug curl envsubst gettext openssl update-ca-certificates docker-entrypoint.sh njs",
  },
  files: nginxFiles(80),
} as const;

export const nginxProduct: Product = {
  names: ["nginx"],
  images: {
    nginx: image(72_099_410, command, {
      ...more,
      versions,
      environment: (version) => ({ NGINX_VERSION: version, PKG_RELEASE: "1~trixie", DYNPKG_RELEASE: "1~trixie" }),
    }),
    "nginx-slim": image(40_110_250, command, more),
    nginxhttps: image(54_200_118, command, more),
    "nginx-unprivileged": image(72_304_511, command, { uid: 101, worker: "nginx", files: nginxFiles(8080) }),
  },
  configurations: `
nginx - 80 - /docker-entrypoint.sh | nginx -g daemon%20off;
bitnami/nginx 1001=1001:0 8080,8443 /app /opt/bitnami/scripts/nginx/entrypoint.sh | /opt/bitnami/scripts/nginx/run.sh
nginxinc/nginx-unprivileged 101 8080 - /docker-entrypoint.sh | nginx -g daemon%20off;
registry.k8s.io/e2e-test-images/nginx - 80 - | nginx -g daemon%20off;`,
  official: "nginx - 1.31",
  hub: `
brndnmtthws nginx-echo-headers
nginx nginx-ingress nginx-prometheus-exporter unit
nginxdemos *
nginxinc *
nginxproxy *`,
  programs: { nginx, "nginx-debug": nginx },
  folders: { "/usr/sbin": "nginx" },
  processes: {
    nginx: (line, uid) => [
      { uid, command: `nginx: master process ${line}` },
      { uid: uid === 0 ? workerUid : uid, command: "nginx: worker process" },
    ],
  },
};
