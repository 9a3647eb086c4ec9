// Smoke
import { kubectlTest } from "./each-kubectl.ts";
kubectlTest("nodes", async (k) => { await k.ok("get nodes"); });
