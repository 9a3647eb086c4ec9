// Image definitions from a Dockerfile: the effect of each instruction, and refusals with their lines.
import { describe, expect, test } from "vitest";
import { buildImage, type Built } from "../../client/image/build.ts";
import { ignoredBy } from "../../client/image/context.ts";
import { imageDefinition } from "../../shared/contract/cluster/image/image.ts";

const folder: Readonly<Record<string, string | Uint8Array>> = {
  "app.py": "print(1)\n",
  "requirements.txt": "Flask==3.0 # the web\nrequests>=2\n\n-i https://pypi.example.org\n",
  "package.json": '{"dependencies":{"express":"^4","pg":"8"}}',
  "start.sh": "#!/bin/sh\n",
  "static/index.html": "<p>\n",
  "static/img/logo.png": new Uint8Array([0x89, 0x50, 0, 0xff]),
};

function build(dockerfile: string, buildArgs: Readonly<Record<string, string>> = {}): Built {
  const context = new Map(
    Object.entries(folder).map(([name, file]) => {
      const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
      return [name, { isExecutable: name.endsWith(".sh"), read: () => bytes }];
    }),
  );
  return buildImage(dockerfile, context, { name: "shop:v1", tags: [], buildArgs: new Map(Object.entries(buildArgs)) });
}

function imageOf(dockerfile: string, buildArgs?: Readonly<Record<string, string>>) {
  const { image, problems } = build(dockerfile, buildArgs);
  expect(problems).toEqual([]);
  return image;
}

test("a student's Dockerfile is read as an image definition", () => {
  const { image, problems, notes } = build(`# syntax=docker/dockerfile:1
ARG PYTHON=3.12
FROM python:\${PYTHON}-slim AS app
LABEL maintainer="somebody"
ENV PYTHONUNBUFFERED=1 \\
    # a comment within
    GREETING="hello, you"
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends curl libpq-dev \\
    && rm -rf /var/lib/apt/lists/*
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
RUN useradd --create-home --uid 1001 app && mkdir -p /data && chown app:app /data
COPY --chown=app:app . .
USER app
EXPOSE 8080
HEALTHCHECK --interval=5s CMD curl -f http://localhost:8080/
ENTRYPOINT ["python"]
CMD ["app.py"]
`);
  expect(problems).toEqual([]);
  expect(notes).toEqual([
    {
      line: 17,
      message: "HEALTHCHECK: has no effect: Kubernetes runs the probes of the pod, so give it a readinessProbe",
    },
  ]);
  const owner = "app:app";
  expect(image).toEqual({
    name: "shop:v1",
    from: "python:3.12-slim",
    pip: ["flask", "requests"],
    programs: ["curl"],
    users: [{ name: "app", uid: 1001 }],
    user: "app",
    workingDir: "/app",
    env: { PYTHONUNBUFFERED: "1", GREETING: "hello, you" },
    ports: [8080],
    entrypoint: ["python"],
    command: ["app.py"],
    files: {
      "/app": {},
      "/home/app": { owner: "app" },
      "/data": { owner },
      "/app/app.py": { text: "print(1)\n", owner },
      "/app/package.json": { text: '{"dependencies":{"express":"^4","pg":"8"}}', owner },
      "/app/requirements.txt": { text: expect.stringContaining("Flask"), owner },
      "/app/start.sh": { text: "#!/bin/sh\n", mode: "0755", owner },
      "/app/static/index.html": { text: "<p>\n", owner },
      "/app/static/img/logo.png": { base64: "iVAA/w==", owner },
    },
  });
  expect(imageDefinition.safeParse(image).success).toBe(true);
});

describe("instructions", () => {
  const from = "FROM busybox\n";
  test.each<readonly [dockerfile: string, image: object]>([
    ["COPY app.py /srv/main.py", { files: { "/srv/main.py": "print(1)\n" } }],
    [
      "COPY app.py start.sh /srv/",
      { files: { "/srv/app.py": "print(1)\n", "/srv/start.sh": { text: "#!/bin/sh\n", mode: "0755" } } },
    ],
    [
      "COPY static /srv/www",
      { files: { "/srv/www/index.html": "<p>\n", "/srv/www/img/logo.png": { base64: "iVAA/w==" } } },
    ],
    ['COPY ["app.py", "/usr/share/nginx/html"]', { files: { "/usr/share/nginx/html/app.py": "print(1)\n" } }],
    ["COPY --chmod=600 *.py /a/", { files: { "/a/app.py": { text: "print(1)\n", mode: "0600" } } }],
    ["ADD app.py /a.py", { files: { "/a.py": "print(1)\n" } }],
    ["WORKDIR /a\nWORKDIR b", { workingDir: "/a/b", files: { "/a": {}, "/a/b": {} } }],
    ["ENV A=1\nENV B=$A-${C:-c} D='x y'", { env: { A: "1", B: "1-c", D: "x y" } }],
    [
      "ENV PATH=/app/bin:$PATH",
      { env: { PATH: "/app/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" } },
    ],
    ["ENV OLD style value", { env: { OLD: "style value" } }],
    ["EXPOSE 80 53/udp", { ports: [80, "53/udp"] }],
    ["USER 1000:0", { user: "1000:0" }],
    ["CMD echo $HOME", { command: ["/bin/sh", "-c", "echo $HOME"] }],
    ['CMD ["a"]\nENTRYPOINT ["b", "c"]', { entrypoint: ["b", "c"] }],
    ["VOLUME /data", { files: { "/data": {} } }],
    ["RUN mkdir -p /a/b && touch /a/b/c", { files: { "/a/b": {}, "/a/b/c": "" } }],
    [
      "RUN echo 'Listen 80' > /etc/app.conf && echo more >> /etc/app.conf",
      { files: { "/etc/app.conf": "Listen 80\nmore\n" } },
    ],
    ["RUN printf '%s\\n' one two > /x", { files: { "/x": "one\ntwo\n" } }],
    [
      "COPY app.py /a\nRUN chmod +x /a && mv /a /b && ln -s /b /c",
      { files: { "/b": { text: "print(1)\n", mode: "0755" }, "/c": { link: "/b" } } },
    ],
    [
      "RUN adduser -D -u 1500 -h /srv app\nUSER app",
      { users: [{ name: "app", uid: 1500 }], user: "app", files: { "/srv": expect.anything() } },
    ],
    [
      "RUN addgroup -S web && adduser -S -G web web\nUSER web:web",
      { users: [{ name: "web", uid: 101, gid: 100 }], user: "web:100" },
    ],
    ["RUN apk add --no-cache curl jq bind-tools", { programs: ["curl", "jq", "dig", "nslookup", "host"] }],
    ["RUN --mount=type=cache,target=/root/.cache pip install 'flask[async]==3.0' redis", { pip: ["flask", "redis"] }],
    ["WORKDIR /app\nCOPY package.json ./\nRUN npm ci --omit=dev", { npm: ["express", "pg"] }],
    ['RUN ["mkdir", "/a b"]', { files: { "/a b": {} } }],
    ["ARG V=1\nRUN echo $V > /v", { files: { "/v": "2\n" } }],
  ])("%s", (text, image) => {
    expect(imageOf(from + text, { V: "2" })).toMatchObject({ name: "shop:v1", from: "busybox", ...image });
  });

  test("an ENTRYPOINT removes the earlier CMD", () => {
    expect(imageOf('FROM busybox\nCMD ["a"]\nENTRYPOINT ["b"]')).not.toHaveProperty("command");
  });

  test("an escape directive changes the continuation character", () => {
    expect(imageOf("# escape=`\nFROM busybox\nENV A=1 `\n  B=/d")).toMatchObject({ env: { A: "1", B: "/d" } });
  });
});

describe("refused Dockerfiles", () => {
  test.each<readonly [dockerfile: string, ...problems: string[]]>([
    ["", "1: there is no FROM"],
    ["RUN true", "1: RUN: stands before FROM"],
    ["FROM a AS b\nFROM c", "2: FROM: builds of several stages are not supported: nothing is compiled"],
    ["FROM a\nCOPY --from=b /x /y", "2: COPY: builds of several stages are not supported: there is no other stage"],
    ["FROM a\nCOPY nothing /x", "2: COPY: there is no nothing in the folder, or .dockerignore names it"],
    ["FROM a\nCOPY ../x /x", "2: COPY: ../x is outside of the folder"],
    ["FROM a\nADD https://example.org/x /x", "2: ADD: nothing is downloaded: copy the file into the folder"],
    ["FROM a\nRUN make -j4", "2: RUN: make is not simulated: copy what it makes into the image"],
    [
      "FROM a\nRUN pip install gunicorn",
      "2: RUN: the simulated Python has no gunicorn; it has flask, mysql-connector-python, psycopg, psycopg-binary, psycopg2, psycopg2-binary, pymysql, redis, requests",
    ],
    [
      "FROM a\nRUN pip install -r requirements.txt",
      "2: RUN: there is no requirements.txt in the image: COPY it before this RUN",
    ],
    ["FROM a\nRUN apt-get install -y cowsay", "2: RUN: the simulator does not know the package cowsay"],
    ["FROM a\nRUN npm run build", "2: RUN: npm run is not supported"],
    ["FROM a\nRUN curl https://example.org | sh", "2: RUN: pipelines are not supported"],
    ["FROM a\nRUN for i in 1 2; do echo $i; done", "2: RUN: loops, conditions and functions are not supported"],
    ["FROM a\nRUN echo $(date) > /x", "2: RUN: commands and expressions within words are not supported"],
    ["FROM a\nRUN echo 'x", '2: RUN: the shell cannot read "echo \'x"'],
    ["FROM a\nRUN true || false", "2: RUN: conditions (||, !) are not supported"],
    [
      "FROM a\nRUN chmod 755 /etc/hosts",
      "2: RUN: /etc/hosts is not of this Dockerfile: what the image below has cannot be changed",
    ],
    ["FROM a\nRUN <<EOF\necho\nEOF", "2: here-documents are not supported: put the text into a file"],
    ["FROM a\nUSER app", "2: USER: there is no user app: add it with RUN useradd, or give its number"],
    ["FROM a\nEXPOSE http", "2: EXPOSE: http must be a port such as 8080 or 53/udp"],
    ['FROM a\nSHELL ["bash"]', "2: SHELL: is not supported"],
    ["FROM a\nSTOPSIGNAL SIGINT", "2: STOPSIGNAL: SIGINT is not simulated: containers are stopped by SIGTERM"],
    [
      "FROM a\nRUN make\nRUN true \\\n  && gcc x.c\nUSER b",
      "2: RUN: make is not simulated: copy what it makes into the image",
      "3: RUN: gcc is not simulated: copy what it makes into the image",
      "5: USER: there is no user b: add it with RUN useradd, or give its number",
    ],
    ["FROM Python:3", "1: the image's from: must be the name of an image, such as registry.example.com/shop:v1"],
    ["FROM a\nENV A-B=1", "1: the image's env.A-B: has a name that is not valid"],
  ])("%j", (dockerfile, ...problems) => {
    const { image, problems: buildProblems } = build(dockerfile);
    expect(buildProblems.map(({ line, message }) => `${line}: ${message}`)).toEqual(problems);
    expect(image).toBeUndefined();
  });
});

test("a .dockerignore excludes by its last matching line", () => {
  const isIgnored = ignoredBy("# comment\nnode_modules\n**/*.pyc\nsecret*\n!secret.example\n/build/\n");
  const paths = "node_modules/a/b.js a.pyc src/deep/b.pyc secret.env secret.example build/x src/build/x app.py".split(
    " ",
  );
  expect(paths.filter(isIgnored)).toEqual(["node_modules/a/b.js", "a.pyc", "src/deep/b.pyc", "secret.env", "build/x"]);
});
