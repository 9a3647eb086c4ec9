// Makes what a fresh cluster holds, through the same pipeline as any other write.
import type { Client } from "../../registry/client.ts";
import { type FreshCluster, freshCluster } from "./objects.ts";

export type BootstrapOptions = FreshCluster;

export function bootstrap(client: Client, options: BootstrapOptions): void {
  for (const { kind, draft } of freshCluster(options)) client.create(kind, draft);
}
