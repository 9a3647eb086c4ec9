// Servers of tutorials that greet their visitors.
import { image, ownProgram } from "../images/known-image.ts";
import { logPath } from "../shell/outside-input.ts";
import type { Server, Visit } from "../shell/server.ts";
import { barePath, release, serving, withLine } from "./common/serving.ts";
import { errorTime } from "../shell/log-lines.ts";
import type { Product } from "./module.ts";

function greeting(say: (visit: Visit) => string): Server {
  return { answer: (visit) => ({ contentType: "text/plain; charset=utf-8", body: say(visit) }) };
}

const hello = greeting((visit) => `Hello, world!\nVersion: ${release(visit)}.0.0\nHostname: ${visit.host}\n`);
const helloApp: Server = {
  answer: (visit) => {
    const line = (atMs: number) => `${errorTime(atMs)} Serving request: ${barePath(visit)}\n`;
    return withLine(hello.answer(visit), visit.nowMs, line, logPath);
  },
};
const bootcamp = greeting((visit) => `Hello Kubernetes bootcamp! | Running on: ${visit.host} | v=${release(visit)}\n`);
const json = greeting(() => '{"message":"Hello"}\n');

export const samples: Product = {
  names: ["hello-app", "bootcamp", "node-hello", "hello-frontend", "hello-go-gke"],
  images: {
    "hello-app": image(11_526_113, "hello-app", { ...ownProgram, uid: 65532 }),
    "kubernetes-bootcamp": image(83_571_102, "kubernetes_bootcamp", { tags: ["v1", "v2", "latest"] }),
    "node-hello": image(264_103_000, "node-hello"),
    "hello-frontend": image(53_001_000, "hello-frontend"),
    "hello-go-gke": image(18_402_000, "hello-go-gke"),
    "hello-world": image(10_072, "hello", ownProgram),
  },
  configurations: "hello-world - - - | /hello",
  official: "hello-world -",
  hub: `
jocatalin kubernetes-bootcamp`,
  programs: {
    "hello-app": serving({
      ports: [8080],
      portVariable: "PORT",
      prints: "Server listening on port 8080\n",
      server: helloApp,
    }),
    kubernetes_bootcamp: serving({ ports: [8080], prints: "Kubernetes Bootcamp App Started\n", server: bootcamp }),
    "node-hello": serving({ ports: [8080], server: greeting(() => "Hello Kubernetes!") }),
    "hello-frontend": serving({ ports: [80], server: json }),
    "hello-go-gke": serving({ ports: [80], server: json }),
    hello: ({ out }) => {
      out("\nHello from Docker!\nThis message shows that your installation appears to be working correctly.\n\n");
      return 0;
    },
  },
};
