// Redis: its server and redis-cli.
import { image } from "../../images/known-image.ts";
import type { Product } from "../module.ts";
import { redisCli } from "./client.ts";
import { redisServerProgram } from "./start.ts";
import { versions } from "./versions.ts";

export const redis: Product = {
  names: ["redis"],
  images: {
    redis: image(52_804_310, "redis-server", {
      family: "debian",
      installed: {
        base: "debian",
        added:
          "redis-server redis-cli redis-sentinel redis-benchmark redis-check-aof redis-check-rdb gosu setpriv docker-entrypoint.sh",
      },
      versions,
      environment: (version) => ({ REDIS_VERSION: version }),
    }),
    "gb-redis-follower": image(36_102_344, "redis-server --replicaof redis-leader 6379"),
    "gb-redisslave": image(36_102_344, "redis-server --replicaof redis-master 6379"),
  },
  configurations: `
redis - 6379 /data docker-entrypoint.sh | redis-server
bitnami/redis 1001=1001:0 6379 - /opt/bitnami/scripts/redis/entrypoint.sh | /opt/bitnami/scripts/redis/run.sh
oliver006/redis_exporter 59000:59000 9121 - /redis_exporter |`,
  official: "redis - 2.8 3.2 4.0 5.0 6.2 7.4 8.10",
  hub: `
oliver006 redis_exporter
redis *
rediscommander redis-commander
redislabs *`,
  programs: { "redis-cli": redisCli, "redis-server": redisServerProgram },
  notSimulated: "redis-benchmark",
  folders: { "/usr/local/bin": "redis-server redis-cli" },
};
