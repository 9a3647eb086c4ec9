// Mounts of containers: contents, modes, owners, subPaths, and data that outlive a pod.
import { describe, expect, test } from "vitest";
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { events } from "../../worker/kinds/core/event/event.ts";
import { nodes } from "../../worker/kinds/core/node/node.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { zeroDelays } from "../../worker/machine/delays.ts";
import { type ClusterView, emptyView } from "../../worker/containers/run/world.ts";
import { clusterView } from "../../worker/containers/network/cluster-view.ts";
import { runOfStatus } from "../../worker/containers/output.ts";
import { newCluster } from "../cluster.ts";
import { container, containerOutput, podOf, runPod, startMs } from "../kubelet/pod-run.ts";

const data: ClusterView["data"] = (_, __, name) => (name === "config" ? { a: "1", b: "2" } : undefined);
const keys = { "configmap/config": ["a", "b"] };

/** Returns the output of a script in a container of a pod that runs to its end. */
function prints(script: string, spec: Partial<Pod["spec"]>, more: Partial<Container> = {}, metadata = {}): string {
  const scriptContainer = container("busybox", { command: ["sh", "-c", script], ...more });
  const run = runPod(
    podOf({ restartPolicy: "Never", containers: [scriptContainer], ...spec }, metadata),
    zeroDelays,
    keys,
    {
      data,
    },
  );
  run.pass(5);
  const view = { ...emptyView, data };
  const lines = containerOutput(run.pod, "web", view, run.nowMs)?.lines ?? [];
  return lines.map(({ text }) => text).join("\n");
}

const agnhost = "registry.k8s.io/e2e-test-images/agnhost:2.63.0";
const at = (name: string, mountPath: string, more: object = {}) => ({ name, mountPath, ...more });

test("files that the kubelet creates for a pod have the pod's start time", () => {
  const volumes = [
    { name: "config", configMap: { name: "config" } },
    { name: "empty", emptyDir: {} },
  ];
  const volumeMounts = [at("config", "/config"), at("empty", "/empty")];
  const dates = prints("stat -c %Y /config/a /empty /etc/hosts", { volumes }, { volumeMounts });
  expect(dates).toBe(Array.from({ length: 3 }, () => startMs / 1000).join("\n"));
});

test("a ConfigMap volume has the layout of the kubelet's atomic writer, with links to the current data", () => {
  const volumes = [
    {
      name: "c",
      configMap: {
        name: "config",
        items: [
          { key: "a", path: "deep/a" },
          { key: "b", path: "b" },
        ],
      },
    },
  ];
  const volumeMounts = [at("c", "/c"), at("c", "/part", { subPath: "deep" })];
  const script =
    "ls -A /c; readlink /c/b /c/deep; cat /c/b /c/..data/b /c/deep/a; echo; test -L /c/b && ls -l /c/b; ls -A /part; ls -ld /c/..2*";
  const lines = prints(script, { volumes }, { volumeMounts }).split("\n");
  const folder = lines[0] ?? "";
  expect(folder).toMatch(/^\.\.2026_01_01_00_00_00\.\d+$/);
  expect(lines.slice(1)).toEqual([
    "..data",
    "b",
    "deep",
    "..data/b",
    "..data/deep",
    "221",
    "lrwxrwxrwx    1 root     root             8 Jan  1 00:00 /c/b -> ..data/b",
    "a",
    `drwxr-xr-x    3 root     root          4096 Jan  1 00:00 /c/${folder}`,
  ]);
});

describe("modes and owners of volumes' files", () => {
  const list = (path: string) => `stat -c '%A %u %g' ${path}`;

  test.each([
    ["of mode 0644 by default", {}, {}, "-rw-r--r-- 0 0"],
    ["of the volume's mode", { defaultMode: 0o400 }, {}, "-r-------- 0 0"],
    ["of the item's mode", { defaultMode: 0o400, items: [{ key: "a", path: "a", mode: 0o640 }] }, {}, "-rw-r----- 0 0"],
    ["readable by the pod's group", { defaultMode: 0o400 }, { fsGroup: 1001 }, "-r--r----- 0 1001"],
  ])("a ConfigMap's files are %s", (_, podSecurity, securityContext, expected) => {
    const volumes = [{ name: "v", configMap: { name: "config", ...podSecurity } }];
    expect(prints(list("/v/a"), { volumes, securityContext }, { volumeMounts: [at("v", "/v")] })).toBe(expected);
  });

  test("folders of an emptyDir are writable, and files in them have their writer's user and the folder's group", () => {
    const volumes = [{ name: "v", emptyDir: {} }];
    const securityContext = { fsGroup: 123, runAsUser: 1000 };
    const script = `${list("/v")}; touch /v/a; ${list("/v/a")}; ls -l /v | tail -1 | cut -c1-30`;
    expect(prints(script, { volumes, securityContext }, { volumeMounts: [at("v", "/v")] })).toBe(
      "drwxrwsrwx 0 123\n-rw-r--r-- 1000 123\n-rw-r--r--    1 1000     123  ",
    );
  });

  test("/tmp of the node and a memory volume have the sticky bit, and the latter has its size limit", () => {
    const volumes = [
      { name: "t", hostPath: { path: "/tmp/" } },
      { name: "m", emptyDir: { medium: "Memory" as const, sizeLimit: "10Mi" } },
    ];
    const volumeMounts = [at("t", "/t"), at("m", "/m"), at("m", "/part", { subPath: "part" })];
    const script = `${list("/t /m /part")}; df /m | tail -1 | awk '{print $2}'`;
    expect(prints(script, { volumes, securityContext: { fsGroup: 123 } }, { volumeMounts })).toBe(
      "drwxrwxrwt 0 0\ndrwxrwsrwt 0 123\ndrwxrwsrwt 0 123\n10240",
    );
  });

  test("a token is readable by its reader alone if the reader is known", () => {
    const sources = [{ serviceAccountToken: { path: "token" } }];
    const volumes = [{ name: "v", projected: { sources } }];
    const mounts = { volumeMounts: [at("v", "/v")] };
    expect(prints(list("/v/token"), { volumes }, mounts)).toBe("-rw-r--r-- 0 0");
    expect(prints(list("/v/token"), { volumes, securityContext: { runAsUser: 7 } }, mounts)).toBe("-rw------- 7 0");
    expect(prints(list("/v/token"), { volumes, securityContext: { fsGroup: 9 } }, mounts)).toBe("-rw-r----- 0 9");
  });

  test("chmod and chown change modes and owners", () => {
    const script =
      "touch /tmp/a; for m in 4755 u=rw,go= a+x g-w,o+t; do chmod $m /tmp/a; stat -c '%a %A' /tmp/a; done; chown 5:6 /tmp/a; stat -c '%u:%g' /tmp/a";
    expect(prints(script, {})).toBe("4755 -rwsr-xr-x\n4600 -rwS------\n4711 -rws--x--x\n5711 -rws--x--t\n5:6");
  });
});

test("a user of the image has the image's groups unless the pod overrides them, and an unknown user has root's group", () => {
  const groups = (securityContext: Pod["spec"]["securityContext"]) =>
    prints("id -G", { securityContext: { supplementalGroups: [60_000], ...securityContext } }, { image: agnhost });
  expect(groups({ runAsUser: 1000 })).toBe("1000 50000 60000");
  expect(groups({ runAsUser: 1000, supplementalGroupsPolicy: "Strict" })).toBe("1000 60000");
  expect(groups({ runAsUser: 1001 })).toBe("0 60000");
});

describe("a mount", () => {
  const volumes = [
    { name: "v", emptyDir: {} },
    { name: "c", configMap: { name: "config" } },
  ];

  test("with a subPath is the same folder as in the volume's other mounts", () => {
    const volumeMounts = [at("v", "/part", { subPath: "a/b" }), at("v", "/whole")];
    const script =
      "echo 1 > /part/x; cat /whole/a/b/x; echo 2 > /whole/a/b/y; cat /part/y; echo 3 > /whole/z; ls /part";
    expect(prints(script, { volumes }, { volumeMounts })).toBe("1\n2\nx\ny");
  });

  test("may name its subPath by variables, and is refused if the path leaves the volume", () => {
    const env = [{ name: "WHERE", value: "a" }];
    const volumeMounts = [at("v", "/part", { subPathExpr: "$(WHERE)/b" }), at("v", "/whole")];
    expect(prints("test -d /whole/a/b && echo there", { volumes }, { volumeMounts, env })).toBe("there");
    const stuck = (value: string | undefined, message: string) => {
      const variables = value === undefined ? [] : [{ name: "WHERE", value }];
      const scriptContainer = container("busybox", {
        command: ["true"],
        env: variables,
        volumeMounts: [at("v", "/p", { subPathExpr: "$(WHERE)" })],
      });
      const run = runPod(podOf({ volumes, containers: [scriptContainer] }), zeroDelays, keys, { data });
      run.pass(5);
      expect(run.pod.status.containerStatuses?.[0]?.state.waiting).toEqual({
        reason: "CreateContainerConfigError",
        message,
      });
    };
    stuck("..", "unable to provision SubPath `..`: must not contain '..'");
    stuck("/tmp", "error SubPath `/tmp` must not be an absolute path");
    stuck(undefined, "missing value for WHERE");
  });

  test("refuses writes for a ConfigMap or a read-only mount, and a read-only root still has writable volumes", () => {
    const volumeMounts = [at("v", "/v"), at("c", "/c"), at("v", "/sealed", { readOnly: true })];
    const script = "for d in /c /sealed /tmp /v; do touch $d/x 2>/dev/null && echo $d; done";
    expect(prints(script, { volumes }, { volumeMounts })).toBe("/tmp\n/v");
    const securityContext = { readOnlyRootFilesystem: true };
    expect(prints(script, { volumes }, { volumeMounts, securityContext })).toBe("/v");
  });

  test("has the image's files for an image volume", () => {
    const images = [{ name: "v", image: { reference: "registry.k8s.io/e2e-test-images/kitten:1.8" } }];
    const script = "cat /v/data.json; grep ^ID /v/etc/os-release; touch /v/x || echo sealed";
    expect(prints(`${script} 2>&1`, { volumes: images }, { volumeMounts: [at("v", "/v")] })).toContain(
      '{"image": "kitten.jpg"}\nID=alpine\n',
    );
  });

  test("is listed with its type", () => {
    const tmpfs = [{ name: "v", emptyDir: { medium: "Memory" } }];
    expect(
      prints("mount -t tmpfs | grep /v; mount -t cgroup2", { volumes: tmpfs }, { volumeMounts: [at("v", "/v")] }),
    ).toBe("tmpfs on /v type tmpfs (rw,relatime)\ncgroup on /sys/fs/cgroup type cgroup2 (ro,relatime)");
  });
});

describe("a container's view of its pod", () => {
  test("has every variable of its environment, with any name", () => {
    const envFrom = [{ prefix: "p-", configMapRef: { name: "config" } }];
    const printed = prints("env | grep -- '-.=' | sort", {}, { envFrom, env: [{ name: "!x-y", value: "1" }] });
    expect(printed).toBe("!x-y=1\np-a=1\np-b=2");
  });

  test("has its resources in the kernel's cgroup files", () => {
    const resources = { requests: { cpu: "100m" }, limits: { cpu: "250m", memory: "64Mi" } };
    const files = ["cpu.max", "cpu.weight", "memory.max"].map((file) => `/sys/fs/cgroup/${file}`).join(" ");
    expect(prints(`cat ${files}`, {}, { resources })).toBe("25000 100000\n17\n67108864");
    expect(prints(`cat ${files}`, {})).toBe("max 100000\n1\nmax");
  });

  test("has the pod's sysctls", () => {
    const sysctls = [{ name: "kernel.shm_rmid_forced", value: "1" }];
    expect(
      prints("sysctl kernel/shm_rmid_forced; sysctl -n nope.nope || echo $?", { securityContext: { sysctls } }),
    ).toBe("kernel.shm_rmid_forced = 1\nsysctl: error: 'nope.nope' is an unknown key\n1");
  });

  test("refuses what its capabilities do not allow", () => {
    const add = "ip link add dummy0 type dummy 2>&1";
    expect(prints(add, {})).toBe("ip: RTNETLINK answers: Operation not permitted");
    expect(prints(add, {}, { securityContext: { privileged: true } })).toBe("");
  });
});

describe("files of programs and volumes", () => {
  test("are copied and dumped byte by byte", () => {
    const script =
      "printf 'ABC\\n' | dd of=/tmp/a bs=1 count=2 2>&1; cat /tmp/a; echo; dd if=/dev/zero of=/tmp/z bs=1 count=3 2>/dev/null; hexdump -C /tmp/z";
    expect(prints(script, {})).toBe(
      `2+0 records in\n2+0 records out\n2 bytes (2B) copied, 0.000100 seconds, 10.0MB/s\nAB\n00000000  00 00 00${" ".repeat(40)}  |...|\n00000003`,
    );
  });

  test("in a hostPath are shared with the node's next pods, and not with other nodes", () => {
    const cluster = newCluster();
    cluster.runUntilQuiet();
    const [first = "", second = ""] = cluster.client.list(nodes).map(({ metadata }) => metadata.name ?? "");
    const run = (name: string, nodeName: string, script: string) => {
      const volumes = [{ name: "v", hostPath: { path: "/data", type: "DirectoryOrCreate" as const } }];
      const volumeContainer = {
        name: "c",
        image: "busybox",
        command: ["sh", "-c", script],
        volumeMounts: [at("v", "/v")],
      };
      const spec = { nodeName, restartPolicy: "Never" as const, volumes, containers: [volumeContainer] };
      cluster.apply(pods, { metadata: { name, namespace: "default" }, spec });
      cluster.step(5000);
      return cluster.get(pods, "default", name).status.containerStatuses?.[0]?.state.terminated?.exitCode;
    };
    expect(run("a", first, "echo 1 >> /v/log")).toBe(0);
    cluster.client.delete(pods, "default", "a");
    cluster.step(5000);
    expect(run("b", first, 'echo 2 >> /v/log; test "$(cat /v/log)" = "$(printf "1\\n2")"')).toBe(0);
    expect(run("c", second, "test -e /v/log")).toBe(1);
  });

  test("in a hostPath are mounted once the node has what their type requires", () => {
    const cluster = newCluster({ base: "layered" });
    cluster.runUntilQuiet();
    const nodeName = cluster.client.list(nodes)[0]?.metadata.name ?? "";
    const make = (
      name: string,
      path: string,
      type: "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate" | "Socket",
    ) => {
      const volumes = [{ name: "v", hostPath: { path, type } }];
      const volumeContainer = {
        name: "c",
        image: "busybox",
        command: ["sleep", "3600"],
        volumeMounts: [at("v", "/v")],
      };
      cluster.apply(pods, {
        metadata: { name, namespace: "default" },
        spec: { nodeName, volumes, containers: [volumeContainer] },
      });
      cluster.step(10_000);
      const podEvents = cluster.client.list(events).filter(({ involvedObject }) => involvedObject.name === name);
      const failed = podEvents.find(({ reason }) => reason === "FailedMount")?.message ?? "";
      return cluster.get(pods, "default", name).status.phase === "Running" ? "runs" : failed.replace(/^.* : /, "");
    };
    expect(make("a", "/data", "Directory")).toBe("hostPath type check failed: /data is not a directory");
    expect(make("b", "/data", "DirectoryOrCreate")).toBe("runs");
    cluster.step(300_000);
    expect(cluster.get(pods, "default", "a").status.phase).toBe("Running");
    expect(make("d", "/data", "File")).toBe("hostPath type check failed: /data is not a file");
    expect(make("e", "/data/x", "FileOrCreate")).toBe("runs");
    expect(make("f", "/data/x", "File")).toBe("runs");
    expect(make("g", "/etc/os-release", "Directory")).toBe(
      "hostPath type check failed: /etc/os-release is not a directory",
    );
    expect(make("h", "/nope/x", "FileOrCreate")).toBe("open /nope/x: no such file or directory");
    expect(make("i", "/run/containerd/containerd.sock", "Socket")).toBe("runs");
    expect(make("j", "/data/x", "Socket")).toBe("hostPath type check failed: /data/x is not a socket file");
  });

  test("in a hostPath of the root include the node's configuration, its static pods and its pods' folders", () => {
    const cluster = newCluster({ base: "layered", systemPods: true });
    cluster.step(30_000);
    const nodeName = "node-1";
    const script =
      "cat /host/etc/hostname; ls /host/etc/kubernetes/manifests; grep staticPodPath /host/var/lib/kubelet/config.yaml; ls /host/var/log/pods | grep -c kube-proxy; ls -l /host/bin | cut -c1-10";
    const volumes = [{ name: "v", hostPath: { path: "/" } }];
    const volumeContainer = {
      name: "c",
      image: "busybox",
      command: ["sh", "-c", script],
      volumeMounts: [at("v", "/host")],
    };
    const spec = { nodeName, restartPolicy: "Never" as const, volumes, containers: [volumeContainer] };
    cluster.apply(pods, { metadata: { name: "a", namespace: "default" }, spec });
    cluster.step(10_000);
    const view = clusterView(cluster.client);
    const currentRun = runOfStatus(cluster.get(pods, "default", "a"), "c", view, cluster.clock.nowMs(), false);
    expect(currentRun?.run.chunks.map(({ text }) => text).join("")).toBe(
      "node-1\netcd.yaml\nkube-apiserver.yaml\nkube-controller-manager.yaml\nkube-scheduler.yaml\nstaticPodPath: /etc/kubernetes/manifests\n1\nlrwxrwxrwx\n",
    );
  });

  test("from a ConfigMap change while the container runs", async () => {
    const cluster = newCluster();
    cluster.runUntilQuiet();
    cluster.apply(configMaps, { metadata: { name: "config", namespace: "default" }, data: { a: "old" } });
    const volumes = [{ name: "v", configMap: { name: "config" } }];
    const volumeContainer = {
      name: "c",
      image: "agnhost",
      args: ["mounttest", "--break_on_expected_content=false", "--retry_time=600", "--file_content_in_loop=/v/a"],
      volumeMounts: [at("v", "/v")],
    };
    const pod = cluster.apply(pods, {
      metadata: { name: "a", namespace: "default" },
      spec: { volumes, containers: [volumeContainer] },
    });
    cluster.step(10_000);
    const log = async () => {
      const printed = await cluster.containers.printed(cluster.get(pods, "default", "a"), "c", {
        previous: false,
        follows: false,
      });
      return (printed?.lines ?? []).map(({ text }) => text);
    };
    expect(await log()).toContain('content of file "/v/a": old');
    cluster.edit(configMaps, "default", "config", (draft) => void (draft.data = { a: "new" }));
    cluster.step(10_000);
    expect(await log()).toContain('content of file "/v/a": new');
    expect(pod.metadata.name).toBe("a");
  });
});
