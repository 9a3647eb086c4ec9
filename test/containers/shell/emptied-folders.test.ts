// Folders that lose their last file, and the commands that move and remove files and folders.
import { describe, expect, test } from "vitest";
import { Files } from "../../../worker/containers/shell/files.ts";
import { zeroDelays } from "../../../worker/machine/delays.ts";
import { container, podOf, runPod } from "../../kubelet/pod-run.ts";
import { inImage } from "./in-image.ts";

const files = { "/data/deep/only": "1\n" };

function outputOf(image: string, script: string): string {
  const { all, exit } = inImage(image, ["sh", "-c", script], { files });
  return exit === 0 ? all : `${all}[${exit}]`;
}

const httpd = "httpd:2.4.38-4";
const busybox = "busybox";
const listing = "ls /data; test -d /data/deep && echo there";

describe("an emptied folder", () => {
  test.each([
    ["mv /data/deep/only /tmp", "deep\nthere\n"],
    ["rm /data/deep/*", "deep\nthere\n"],
    ["rm -rf /data/deep/only", "deep\nthere\n"],
    ["find /data -type f -delete", "deep\nthere\n"],
    ["gzip /data/deep/only; rm /data/deep/only.gz", "deep\nthere\n"],
    ["mkdir /data/deep/x; rm -r /data/deep/only; rmdir /data/deep/x", "deep\nthere\n"],
  ])("stays after %s", (script, out) => {
    expect(outputOf(httpd, `${script}; ${listing}`)).toBe(out);
    expect(outputOf(busybox, `${script}; ${listing}`)).toBe(out);
  });

  test("a folder without files is copied, moved and archived like another folder", () => {
    const script =
      "rm /data/deep/only; cp -r /data /a; mv /data/deep /b; tar cf /t a; tar tf /t; ls /a /data; ls -d /b";
    expect(outputOf(busybox, `cd /; ${script}`)).toBe("a/\na/deep/\n/a:\ndeep\n\n/data:\n/b\n");
  });

  test("an emptied folder counts as one folder, and a copy of the tree keeps its file", () => {
    const tree = new Files([["/a/b", { text: "1", mode: 0o644, changedMs: 0 }]]);
    const copied = tree.copy();
    tree.remove("/a/b");
    expect([tree.names("/"), tree.isFolder("/a"), tree.names("/a")]).toEqual([["a"], true, []]);
    expect(copied.names("/a")).toEqual(["b"]);
    const empty = new Files([["/a", { text: undefined, mode: 0o755, changedMs: 0 }]]);
    expect(tree.bytes).toBe(empty.bytes);
  });
});

test("the page of httpd can be moved away and back", () => {
  const page = "/usr/local/apache2/htdocs";
  const script = `mv -v ${page}/index.html /tmp/ || true; ls -d ${page}; mv -v /tmp/index.html ${page}/ || true; ls ${page}`;
  expect(outputOf(httpd, script)).toBe(
    `'${page}/index.html' -> '/tmp/index.html'\n${page}\n'/tmp/index.html' -> '${page}/index.html'\nindex.html\n`,
  );
});

describe("mv and cp refuse what a file system refuses, and change nothing", () => {
  const start = "cd /data/deep; echo 2 > other; mkdir sub";
  test.each([
    [httpd, "mv no sub", "mv: cannot stat 'no': No such file or directory\n"],
    [busybox, "mv no sub", "mv: can't stat 'no': No such file or directory\n"],
    [httpd, "mv only y/", "mv: cannot move 'only' to 'y/': Not a directory\n"],
    [busybox, "mv only y/", "mv: can't rename 'only': Not a directory\n"],
    [busybox, "/bin/mv only y/", "mv: can't rename 'only': Not a directory\n"],
    [httpd, "mv only no/z", "mv: cannot move 'only' to 'no/z': No such file or directory\n"],
    [busybox, "mv only no/z", "mv: can't rename 'only': No such file or directory\n"],
    [httpd, "mv only other/z", "mv: cannot move 'only' to 'other/z': Not a directory\n"],
    [httpd, "mv only other no", "mv: target 'no': No such file or directory\n".repeat(2)],
    [httpd, "mv only sub other", "mv: target 'other': Not a directory\n".repeat(2)],
    [httpd, "mv only ./only", "mv: 'only' and './only' are the same file\n"],
    [httpd, "mv sub sub/x", "mv: cannot move 'sub' to a subdirectory of itself, 'sub/x'\n"],
    [busybox, "mv sub sub/x", "mv: can't rename 'sub': Invalid argument\n"],
    [busybox, "cp only ./only", "cp: 'only' and './only' are the same file\n"],
    [httpd, "cp only y/", "cp: cannot create regular file 'y/': Not a directory\n"],
    [busybox, "cp only no/z", "cp: can't create 'no/z': No such file or directory\n"],
    [httpd, "cp -r sub no/z", "cp: cannot create directory 'no/z': No such file or directory\n"],
  ])("%s: %s", (image, command, complaint) => {
    expect(outputOf(image, `${start}; ${command} || echo failed; ls`)).toBe(`${complaint}failed\nonly\nother\nsub\n`);
  });

  test.each([
    ["mv only only; ls", "only\nother\nsub\n"],
    ["mv sub y/; ls", "only\nother\ny\n"],
    ["mv only other sub; ls . sub", ".:\nsub\n\nsub:\nonly\nother\n"],
    ["cp -r sub y/; ls", "only\nother\nsub\ny\n"],
  ])("%s succeeds", (command, out) => {
    expect(outputOf(busybox, `${start}; ${command}`)).toBe(out);
  });

  test("a target with a trailing slash is assumed to be a folder of an unknown image", () => {
    expect(outputOf("my/app", "mv /data/deep/only /opt/app/; ls /opt/app")).toBe("only\n");
  });
});

describe("a folder is removed whole by rm -r, and by rmdir if it is empty", () => {
  test.each([
    [httpd, "rmdir /data/deep", "rmdir: failed to remove '/data/deep': Directory not empty\n[1]"],
    [busybox, "rmdir /data/deep/", "rmdir: '/data/deep': Directory not empty\n[1]"],
    [httpd, "rmdir /data/deep/only", "rmdir: failed to remove '/data/deep/only': Not a directory\n[1]"],
    [httpd, "rmdir /data/no", "rmdir: failed to remove '/data/no': No such file or directory\n[1]"],
    [httpd, "rmdir --ignore-fail-on-non-empty /data/deep; cat /data/deep/only", "1\n"],
    [httpd, "rm -r /data/deep; ls /data; ls -d /data", "/data\n"],
    [httpd, "rm /data/deep/*; rmdir /data/deep; ls /data; ls -d /data", "/data\n"],
    [httpd, "cd /data; rm deep/*; rmdir -p deep; cd /; mkdir -p a/b/c; rmdir -p a/b/c/; ls -d /data /a", ""],
  ])("%s: %s", (image, script, out) => {
    const printed = outputOf(image, script);
    if (out !== "") expect(printed).toBe(out);
    else expect(printed).toBe("ls: cannot access '/a': No such file or directory\n/data\n[2]");
  });
});

test("an emptied folder of a volume stays across restarts, and the image's files are back", () => {
  const script =
    "ls /v /v/a; [ -d /v/a ] && test -e /usr/local/apache2/htdocs/index.html && exit 0; mkdir -p /v/a/b; rmdir /v/a/b; rm /usr/local/apache2/htdocs/index.html; exit 1";
  const volumeMounts = [{ name: "v", mountPath: "/v" }];
  const run = runPod(
    podOf({
      restartPolicy: "OnFailure",
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [container("httpd:2.4", { command: ["sh", "-c", script], volumeMounts })],
    }),
    zeroDelays,
  );
  run.pass(600);
  expect(run.pod.status.phase).toBe("Succeeded");
  expect(run.pod.status.containerStatuses?.[0]?.restartCount).toBe(1);
});
