// MongoDB: the server and mongosh.
import { image } from "../../images/known-image.ts";
import type { Product } from "../module.ts";
import { mongosh } from "./mongosh.ts";
import { mongod } from "./server.ts";

export const mongo: Product = {
  names: ["mongo", "mongod", "mongodb", "mongosh"],
  images: {
    mongo: image(266_731_584, "mongod", {
      family: "debian",
      installed: {
        base: "ubuntu",
        added:
          "mongod mongos mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop gosu jq openssl numactl docker-entrypoint.sh",
      },
      versions: {
        newest: "8.2.2",
        fullByPrefix: { "4.4": "4.4.29", "5": "5.0.31", "6": "6.0.26", "7": "7.0.26", "8": "8.2.2" },
      },
      environment: (version) => ({
        GOSU_VERSION: "1.17",
        MONGO_MAJOR: version.split(".").slice(0, 2).join("."),
        MONGO_VERSION: version,
      }),
    }),
  },
  configurations: `
mongo - 27017 - docker-entrypoint.sh | mongod
mongo-express - 8081 /app /sbin/tini -- /docker-entrypoint.sh | mongo-express
bitnami/mongodb 1001=1001:0 27017 - /opt/bitnami/scripts/mongodb/entrypoint.sh | /opt/bitnami/scripts/mongodb/run.sh`,
  official: `mongo - 2.8 3.7 4.9 5.0 6.0 7.0 8.3
mongo-express 54 0.54 1.0`,
  hub: `
mongodb *`,
  programs: { mongosh, mongo: mongosh, mongod },
  notSimulated: "mongodump mongorestore",
};
