// The subresources that connect to running containers.
import type { Kind } from "../../kinds/kind.ts";
import type { ResourceInfo } from "../request-info.ts";
import type { ApiRequest } from "../api-request.ts";
import { attach } from "./attach.ts";
import { exec } from "./exec.ts";
import { log } from "./log.ts";
import { portForward } from "./port-forward.ts";
import { nodeProxy, podProxy, serviceProxy } from "./proxy.ts";

type Connection = (req: ApiRequest, kind: Kind, info: ResourceInfo) => Promise<Response>;

const connections: Readonly<Record<string, Connection>> = {
  "pods/attach": attach,
  "pods/exec": exec,
  "pods/log": log,
  "pods/portforward": portForward,
  "nodes/proxy": nodeProxy,
  "pods/proxy": podProxy,
  "services/proxy": serviceProxy,
};

export function connection(kind: Kind, subresource: string): Connection | undefined {
  return connections[`${kind.resource}/${subresource}`];
}
