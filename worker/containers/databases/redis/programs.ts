// The programs of Redis.
import type { Programs } from "../../shell/program.ts";
import { redisCli } from "./client.ts";
import { redisServer, redisServerProgram } from "./start.ts";

export const redisPrograms: Programs = { "redis-cli": redisCli, [redisServer]: redisServerProgram };
