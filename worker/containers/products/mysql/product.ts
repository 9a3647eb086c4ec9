// MySQL and MariaDB: servers, clients and programs for dumps.
import { image } from "../../images/known-image.ts";
import type { Product } from "../module.ts";
import { mysqlPrograms } from "./client.ts";
import { mysqlDumpPrograms } from "./dump.ts";
import { startMysql, versions } from "./start.ts";

export const mysql: Product = {
  names: ["mysql", "mysqld", "pymysql", "mariadb", "mariadbd"],
  images: {
    mysql: image(235_481_920, "mysqld", {
      family: "redhat",
      installed: {
        base: "fedora",
        added:
          "mysqld mysql mysqladmin mysqldump mysqlsh mysql_config mysql_secure_installation microdnf gosu openssl bzip2 xz zstd docker-entrypoint.sh",
      },
      versions: versions.MySQL,
      environment: (version) => ({
        GOSU_VERSION: "1.17",
        MYSQL_MAJOR: version.split(".").slice(0, 2).join("."),
        MYSQL_VERSION: `${version}-1.el9`,
      }),
    }),
    mariadb: image(104_218_633, "mariadbd", {
      family: "debian",
      installed: {
        base: "ubuntu",
        added:
          "mysql mysqladmin mysqldump mariadbd mariadb mariadb-admin mariadb-dump mariadb-check healthcheck.sh gosu openssl xz zstd pwgen docker-entrypoint.sh",
      },
      versions: versions.MariaDB,
      environment: (version) => ({
        GOSU_VERSION: "1.17",
        LANG: "C.UTF-8",
        MARIADB_VERSION: `1:${version}+maria~ubu2404`,
      }),
    }),
  },
  configurations: `
mysql - 3306,33060 - docker-entrypoint.sh | mysqld
mariadb - 3306 - docker-entrypoint.sh | mariadbd
bitnami/mariadb 1001=1001:0 3306 - /opt/bitnami/scripts/mariadb/entrypoint.sh | /opt/bitnami/scripts/mariadb/run.sh
bitnami/mysql 1001=1001:0 3306 - /opt/bitnami/scripts/mysql/entrypoint.sh | /opt/bitnami/scripts/mysql/run.sh`,
  official: `mysql - 5.7 8.4 9.7 26.7
mariadb - 5.5 10.11 11.8 12.3 13.0`,
  hub: `
mysql mysql-server mysql-operator mysql-router`,
  programs: {
    mysqld: (call) => startMysql(call, "MySQL"),
    mariadbd: (call) => startMysql(call, "MariaDB"),
    ...mysqlPrograms,
    ...mysqlDumpPrograms,
  },
};
