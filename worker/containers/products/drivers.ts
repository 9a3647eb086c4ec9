// The interpreters' drivers for the products' servers. They are separate from the catalogue, because products run interpreters.
import { mongosh } from "./mongo/shell-library.ts";
import { mysqlDrivers } from "./mysql/node.ts";
import { mysqlConnector, pymysql } from "./mysql/python.ts";
import { pg } from "./postgres/node.ts";
import { psycopg, psycopg2 } from "./postgres/python.ts";
import { redisDrivers } from "./redis/node.ts";
import { redis } from "./redis/python.ts";

export interface NodeDriver {
  readonly name: string;
  readonly code: string;
  /** The packages that contain the driver, which have to be installed. */
  readonly packages: readonly string[];
}

export const nodeDrivers: readonly NodeDriver[] = [
  { name: "pg", code: pg, packages: ["pg"] },
  { name: "mysql", code: mysqlDrivers, packages: ["mysql", "mysql2", "mysql2/promise"] },
  { name: "redis", code: redisDrivers, packages: ["ioredis", "redis"] },
  { name: "mongosh", code: mongosh, packages: ["mongodb"] },
];

export interface PythonDriver {
  readonly name: string;
  readonly code: string;
  /** The names for pip, if they differ from the module's. */
  readonly packages?: readonly string[];
}

export const pythonDrivers: readonly PythonDriver[] = [
  { name: "mysql", code: mysqlConnector, packages: ["mysql-connector-python"] },
  { name: "psycopg2", code: psycopg2, packages: ["psycopg2", "psycopg2-binary"] },
  { name: "psycopg", code: psycopg, packages: ["psycopg", "psycopg-binary"] },
  { name: "pymysql", code: pymysql },
  { name: "redis", code: redis },
];
