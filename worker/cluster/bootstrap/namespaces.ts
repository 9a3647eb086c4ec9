// The namespaces that an API server makes by itself.
import { namespaces } from "../../kinds/core/namespace.ts";
import { type Seed, seed } from "./seed.ts";

export function systemNamespaces(): Seed[] {
  return ["kube-system", "kube-public", "kube-node-lease", "default"].map((name) =>
    seed(namespaces, { metadata: { name } }),
  );
}
