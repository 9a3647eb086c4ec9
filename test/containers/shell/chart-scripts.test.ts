// Commands that scripts of charts use.
import { expect, test } from "vitest";
import { inImage } from "./in-image.ts";

/** A server listens on 6379 in the container, since the epoch. */
const ports = new Map([[6379, 0]]);

test.each([
  ["timeout -s 15 1 printf '%s %s %s' -h localhost -p", "-h localhost -p", 0],
  ["timeout --signal=KILL -k 5 2 echo -s x -k y", "-s x -k y\n", 0],
  ["timeout --preserve-status -- 1 echo -- x", "-- x\n", 0],
  ["(echo > /dev/tcp/127.0.0.1/6379) && echo open", "open\n", 0],
  ["cat < /dev/tcp/127.0.0.1/6379 && echo open", "open\n", 0],
  ["exec 3<>/dev/tcp/127.0.0.1/6379 && echo open", "open\n", 0],
  ["echo x > /dev/udp/127.0.0.1/53 && echo sent", "sent\n", 0],
  ["echo > /dev/tcp/127.0.0.1/81", "bash: line 1: /dev/tcp/127.0.0.1/81: Connection refused\n", 1],
])("%s", (script, all, exit) => {
  expect(inImage("bash:5", ["bash", "-c", script], { ports })).toMatchObject({ all, exit });
});

test("only bash opens a connection for /dev/tcp", () => {
  expect(inImage("debian:12", ["sh", "-c", "echo > /dev/tcp/127.0.0.1/6379"], { ports }).exit).toBe(2);
});

test("sysctl -w sets the kernel's keys, and rejects others", () => {
  const files = { "/proc/sys/fs/file-max": "100\n" };
  const script = "sysctl -w fs.file-max=131072; echo $?; sysctl -w fs.nope=1; echo $?";
  expect(inImage("busybox:1.36", ["sh", "-c", script], { files }).all).toBe(
    "fs.file-max = 131072\n0\nsysctl: error: 'fs.nope' is an unknown key\n1\n",
  );
});

test.each([
  ["python:3.12", "Python 3.12.12\n"],
  ["python:3.11.4-slim", "Python 3.11.4\n"],
  ["python:3.13", "Python 3.13.9\n"],
])("python -V of %s", (image, all) => {
  expect(inImage(image, ["python", "-V"])).toMatchObject({ all, exit: 0 });
});
