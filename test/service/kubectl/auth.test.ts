// Identity and permissions: whoami, can-i, tokens of service accounts, impersonation.
import { expect } from "vitest";
import { newestKubectlTest } from "../each-kubectl.ts";

newestKubectlTest(
  "kubectl auth and create token tell the same story as requests",
  async ({ ok, fails, run, minor }) => {
    // 1.27 knows the review in beta versions only, which 1.36 does not serve.
    const whoami = minor >= 28;
    if (whoami) {
      expect(await ok("auth whoami")).toMatch(
        /Username +kubernetes-admin\nGroups +\[system:masters system:authenticated\]/,
      );
    }
    expect(await ok("auth can-i delete nodes")).toBe("yes\n");
    expect(await ok("auth can-i --list")).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
    const token = (await ok("create token default")).trim();
    const asAccount = `--token ${token}`;
    const account = /system:serviceaccount:default:default/;
    if (whoami) expect(await ok(`auth whoami ${asAccount}`)).toMatch(account);
    expect((await run(`auth can-i list pods ${asAccount}`)).stdout).toBe("no\n");
    expect(await fails(`get pods ${asAccount}`)).toMatch(
      /^Error from server \(Forbidden\): pods is forbidden: User "system:serviceaccount:default:default" cannot list/,
    );
    expect((await run("auth can-i list pods --as system:serviceaccount:default:default")).stdout).toBe("no\n");
    expect(await ok("auth can-i list pods --as jane --as-group system:masters")).toBe("yes\n");
    expect(await fails("create token default --duration 1m")).toMatch(
      /may not specify a duration less than 10 minutes/,
    );
    expect(await fails("create token nobody")).toMatch(/serviceaccounts "nobody" not found/);
  },
);
