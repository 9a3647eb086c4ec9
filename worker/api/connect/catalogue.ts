// Every subresource that leads to what runs in the cluster.
import type { Kind } from "../../kinds/kind.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { Call } from "../service.ts";
import { attach } from "./attach.ts";
import { exec } from "./exec.ts";
import { log } from "./log.ts";

type Connection = (call: Call, kind: Kind, info: ResourceInfo) => Promise<Response>;

const connections: Readonly<Record<string, Connection>> = { "pods/attach": attach, "pods/exec": exec, "pods/log": log };

export function connection(kind: Kind, subresource: string): Connection | undefined {
  return connections[`${kind.resource}/${subresource}`];
}
