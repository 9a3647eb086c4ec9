// PostgreSQL: the server, psql, and programs for dumps.
import { image } from "../../images/known-image.ts";
import type { Product } from "../module.ts";
import { postgresDumpPrograms } from "./dump.ts";
import { checkReadiness } from "./is-ready.ts";
import { postgresPrograms } from "./psql.ts";
import { startPostgres, versions } from "./start.ts";

export const postgres: Product = {
  names: ["postgres", "postgresql", "psql", "psycopg"],
  images: {
    postgres: image(160_410_774, "postgres", {
      family: "debian",
      installed: {
        base: "debian",
        added:
          "postgres psql pg_dump pg_dumpall pg_restore pg_isready pg_ctl pg_basebackup pgbench createdb dropdb createuser dropuser initdb vacuumdb reindexdb gosu openssl xz zstd docker-entrypoint.sh",
      },
      versions,
      environment: (version) => ({
        LANG: "en_US.utf8",
        PG_MAJOR: version.split(".")[0] ?? "",
        PG_VERSION: `${version}-1.pgdg13+1`,
      }),
    }),
  },
  configurations: `
postgres - 5432 - docker-entrypoint.sh | postgres
bitnami/postgresql 1001=1001:0 5432 - /opt/bitnami/scripts/postgresql/entrypoint.sh | /opt/bitnami/scripts/postgresql/run.sh`,
  official: "postgres - 8.4 9.6 10.23 11.22 12.22 13.23 14.24 15.19 16.15 17.11 18.6",
  hub: `
postgrest postgrest
wrouesnel postgres_exporter`,
  programs: { postgres: startPostgres, pg_isready: checkReadiness, ...postgresPrograms, ...postgresDumpPrograms },
  notSimulated: "pgbench",
};
