// The console's terminal in a real browser, on the real service.
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { hasChromium, launchBrowser, patienceMs, warnWithoutChromium } from "../chromium.ts";
import { newSandbox } from "../sandbox.ts";

const firstLoadBytes = 90 * 1024;

const manifest = `apiVersion: v1
kind: Pod
metadata:
  name: written
spec:
  containers:
  - name: main
    image: nginx
    imagee: wrong
`;

warnWithoutChromium("the terminal");

describe.skipIf(!hasChromium)("K9: the console's terminal", () => {
  const service = inject("service");
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(() => context?.close());

  async function openedTerminal(id: string): Promise<{ page: Page; wrong: string[] }> {
    context = await browser.newContext({ viewport: { width: 1300, height: 1000 } });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const wrong = errorsOf(page);
    await page.goto(`${service.http}/#/sandboxes/${id}?tab=terminal`);
    await page.getByLabel("API key").fill(service.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    return { page, wrong };
  }

  test("K9: runs kubectl, completion, pipes, the editor, containers, Ctrl-C and files", async () => {
    const { id } = await newSandbox({ name: "terminal" });
    context = await browser.newContext({ viewport: { width: 1300, height: 1000 } });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const wrong = errorsOf(page);
    const scripts: Promise<number>[] = [];
    page.on("response", (answer) => {
      if (answer.url().endsWith(".js")) scripts.push(answer.body().then((body) => gzipSync(body).length));
    });
    await page.goto(`${service.http}/#/sandboxes/${id}`);
    await page.getByLabel("API key").fill(service.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    const sizes = await Promise.all(scripts);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(firstLoadBytes);

    await page.getByRole("link", { name: "Terminal" }).click();
    const { line, keys, shows } = driver(page);
    await shows(/\$ $/);
    expect(page.url()).toContain("tab=terminal");

    await line("kubectl create deployment web --image nginx --replicas 2");
    await shows(/deployment.apps\/web created/);
    await line("kubectl rollout status deployment web");
    await shows(/successfully rolled out/);
    await keys("kubectl get deploym");
    await page.keyboard.press("Tab");
    await shows(/kubectl get deployments/);
    await line("--no-headers | grep -c web");
    await shows(/grep -c web\n1\n/);

    await line("vi written.yaml");
    const editor = page.getByRole("region", { name: "Editor: written.yaml" });
    await editor.waitFor();
    await keys("i");
    await page.keyboard.insertText(manifest);
    await editor.locator(".cm-lint-marker-error").waitFor();
    await page.keyboard.press("Escape");
    await keys("/imagee\n");
    await keys("dd:wq\n");
    await editor.waitFor({ state: "detached" });
    await line("kubectl apply -f written.yaml");
    await shows(/pod\/written created/);
    await line("kubectl wait --for=condition=ready pod/written");
    await shows(/pod\/written condition met/);

    await line("kubectl edit pod written");
    await page.getByRole("region", { name: /^Editor: kubectl-edit/ }).waitFor();
    await keys(":%s/image: nginx$/image: httpd/\n");
    await page.getByRole("button", { name: "Save and close" }).click();
    await shows(/pod\/written edited/);
    await line("kubectl get pod written -o jsonpath='{.spec.containers[0].image}{\"\\n\"}'");
    await shows(/\nhttpd\n/);

    await line("kubectl exec -it deploy/web -- sh");
    await shows(/# $/);
    await line("echo in $((40 + 2))");
    await shows(/\nin 42\n/);
    await line("exit 3");
    await shows(/command terminated with exit code 3/);
    await line("echo code $?");
    await shows(/code 3\n/);

    await line("kubectl logs -f deploy/web");
    await page.waitForTimeout(300);
    await page.keyboard.press("Control+c");
    await line("echo then $?");
    await shows(/\^C\n[^]*then 130\n/);
    await line(
      "clear; count() { local n; n=$(kubectl get pods --no-headers | awk -v of=$1 '$1 ~ of {n++} END {print n}'); echo $1: $n; }",
    );
    await line(
      'count web; kubectl get pods --no-headers | while read name rest; do echo "<$name>"; done | sort | tail -1',
    );
    await shows(/\nweb: 2\n<written>\n/);
    await line("cat > s.sh <<E\ntrap 'echo bye' EXIT\nfor i in 1 2; do echo \\$i\\$1; done | sort -r\nE");
    await line("bash s.sh x; seq 5 | shuf | sort | paste -sd, | base64");
    await shows(/\n2x\n1x\nbye\nMSwyLDMsNCw1Cg==\n/);
    await line("f() { while true; do sleep 1; done; }; f; echo never");
    await page.waitForTimeout(300);
    await page.keyboard.press("Control+c");
    await line("echo after $?");
    await shows(/\^C\n[^]*after 130\n/);
    await line("while true; do echo busy; done");
    await shows(/busy\nbusy\n/);
    await page.keyboard.press("Control+c");
    await line("clear; kubectl port-forward deploy/web 8080:80 &");
    await shows(/Forwarding from 127.0.0.1:8080 -> 80/);
    await line("curl -s localhost:8080 | grep -o '<title>.*</title>'");
    await shows(/\n<title>.*<\/title>\n/);

    await page.reload();
    await shows(/\$ $/);
    await line("head -2 written.yaml; foo");
    await shows(/kind: Pod\nbash: foo: command not found\n/);
    await page.keyboard.press("ArrowUp");
    await shows(/\$ head -2 written.yaml; foo\s*$/);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    // Nothing of it is left for whoever comes next.
    expect(await page.evaluate<string[]>("Object.keys(localStorage)")).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test("K9: a pod's Shell button opens its container on a fresh page, and debug -it a separate terminal", async () => {
    const manifests = JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "solo" },
      spec: { containers: [{ name: "main", image: "nginx" }] },
    });
    const { id } = await newSandbox({ name: "shell", manifests });
    context = await browser.newContext({ viewport: { width: 1300, height: 1000 } });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const wrong = errorsOf(page);
    await page.goto(`${service.http}/#/sandboxes/${id}?open=pods/default/solo`);
    await page.getByLabel("API key").fill(service.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Shell" }).first().waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Shell" }).first().click();
    const { line, shows } = driver(page);
    await shows(/kubectl exec -it solo .*-c main -- sh\n# $/);
    await line("hostname; exit");
    await shows(/\nsolo\n[^]*\$ $/);
    for (const target of ["", " --target=main"]) {
      await line(`clear; kubectl debug -it solo --image=busybox${target}`);
      await shows(/try pressing enter\.\s*$/);
      await line("ps; [ -t 1 ] && echo a terminal");
      await shows(target ? /nginx: master[^]*\na terminal\n/ : /\ba terminal\n/);
      await line("exit");
      await shows(/\$ $/);
    }
    await line("clear; kubectl debug -it solo --image=busybox -- ps");
    await shows(/\bps\n[^]*\$ $/);
    await line("clear; kubectl debug node/node-1 -it --image=busybox -- chroot /host ls");
    await shows(/\netc\n[^]*\$ $/);
    expect(wrong).toEqual([]);
  });

  test("K9: time knows aliases, and completion, kubectl's proxy and its configuration work", async () => {
    const { id } = await newSandbox({ name: "words" });
    const { page, wrong } = await openedTerminal(id);
    const { line, keys, shows } = driver(page);
    await shows(/\$ $/);
    await line("time k get ns");
    await shows(/\nkube-system +Active[^]*\nreal\t?\s*0m/);
    await keys("clear; kubectl create dep");
    await page.keyboard.press("Tab");
    await shows(/kubectl create deployment\s*$/);
    await page.keyboard.press("Control+c");
    await line("kubectl wait -n kube-system --for=condition=Ready pod -l k8s-app=kube-dns");
    await shows(/condition met/);
    await keys("kubectl logs -n kube-system core");
    await page.keyboard.press("Tab");
    await shows(/kubectl logs -n kube-system coredns-\S+\s*$/);
    await page.keyboard.press("Control+c");
    await line("clear; kubectl config set-credentials jane --token=x");
    await shows(/User "jane" set\./);
    await line("kubectl config set-cluster other --server=https://other.example");
    await shows(/Cluster "other" set\./);
    await line("kubectl options | head -1");
    await shows(/The following options can be passed to any command:/);
    await line("kubectl proxy &");
    await shows(/Starting to serve on 127\.0\.0\.1:8001/);
    await line("curl -s localhost:8001/version | grep -o gitVersion");
    await shows(/\ngitVersion\n/);
    expect(wrong).toEqual([]);
  });

  test("K9: git is loaded when it is first run, and nslookup, nc and curl reach the cluster's network", async () => {
    const { id } = await newSandbox({ name: "tools" });
    const { page, wrong } = await openedTerminal(id);
    const loaded: string[] = [];
    page.on("response", (answer) => void loaded.push(answer.url()));
    const { line, shows } = driver(page);
    await shows(/\$ $/);
    await line("nslookup kubernetes.default.svc.cluster.local");
    await shows(/Name:\s+kubernetes\.default\.svc\.cluster\.local\nAddress: 10\.96\.0\.1\n/);
    await line("nc -zv 10.96.0.1 443");
    await shows(/Connection to 10\.96\.0\.1 443 port \[tcp\/https\] succeeded!/);
    await line(
      "clear; curl -sk -o version.json -w '%{http_code}\\n' https://10.96.0.1/version; grep -o '1.36' version.json",
    );
    await shows(/200\n1\.36\n/);
    expect(loaded.filter((url) => url.includes("isomorphic-git"))).toEqual([]);
    await line("clear; git init -q -b main; git config user.name Ada; git config user.email ada@example.com");
    await line("git add . && git commit -m 'Keep the version'");
    await shows(/\[main \(root-commit\) [\da-f]{7}\] Keep the version\n 1 file changed/);
    expect(loaded.filter((url) => url.includes("isomorphic-git"))).toHaveLength(1);
    await page.reload();
    await shows(/\$ $/);
    await line("git log --oneline --decorate");
    await shows(/ \(HEAD -> main\) Keep the version\n/);
    expect(wrong).toEqual([]);
  });

  test("K9: helm is loaded when it is first run, and a new chart becomes a release", async () => {
    const { id } = await newSandbox({ name: "charts" });
    const { page, wrong } = await openedTerminal(id);
    const scripts: string[] = [];
    page.on("response", (answer) => void scripts.push(answer.url()));
    const { line, shows } = driver(page);
    await shows(/\$ $/);
    const isLoaded = () => scripts.some((url) => /\/helm-[^/]*\.js$/.test(url));
    expect(isLoaded()).toBe(false);
    await line("helm create shop && helm install shop shop --set replicaCount=2 --wait");
    await shows(/Creating shop\n[^]*STATUS: deployed\nREVISION: 1\n/);
    expect(isLoaded()).toBe(true);
    await line("clear; helm upgrade shop shop --reuse-values --set image.tag=1.28 | head -1; helm rollback shop 1");
    await shows(/Release "shop" has been upgraded\. Happy Helming!\nRollback was a success! Happy Helming!\n/);
    await line("clear; helm package shop && helm template x shop-0.1.0.tgz -s templates/service.yaml | head -2");
    await shows(/Successfully packaged chart[^]*\n---\n# Source: shop\/templates\/service\.yaml\n/);
    await line("clear; helm uninstall shop; helm list -q; kubectl get deploy");
    await shows(/release "shop" uninstalled\nNo resources found/);
    expect(wrong).toEqual([]);
  });

  test("K9: the keyboard can leave the terminal and its editor, which explain how", async () => {
    const { id } = await newSandbox({ name: "keyboard" });
    context = await browser.newContext({ viewport: { width: 1300, height: 1000 } });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    await page.goto(`${service.http}/#/sandboxes/${id}?tab=terminal`);
    await page.getByLabel("API key").fill(service.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    const { line, keys, shows } = driver(page);
    await shows(/\$ $/);
    const input = page.locator(".xterm-helper-textarea");
    const isInside = (of: string) => page.evaluate<boolean>(`document.activeElement?.closest("${of}") !== null`);
    const description = `document.getElementById(document.activeElement.getAttribute("aria-describedby"))?.textContent`;
    expect(await page.evaluate<string>(description)).toBe("Esc, then Tab leaves the terminal");
    await keys("ec");
    await page.keyboard.press("Tab");
    expect(await isInside(".xterm")).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await isInside(".xterm")).toBe(false);
    await input.focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    expect(await isInside(".terminal")).toBe(false);
    await input.focus();
    await page.keyboard.press("Control+Shift+Tab");
    expect(await isInside(".xterm")).toBe(false);
    await input.focus();
    await page.keyboard.press("Control+u");
    for (const program of ["vi", "nano"]) {
      await line(`${program} a.yaml`);
      await page.getByRole("region", { name: "Editor: a.yaml" }).waitFor();
      expect(await isInside(".cm-content")).toBe(true);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Tab");
      expect(await isInside(".cm-content")).toBe(false);
      await page.getByRole("button", { name: "Close without saving" }).click();
    }
  });

  test("K9: an unreachable service is named as the cause", async () => {
    const { id } = await newSandbox({ name: "away" });
    context = await browser.newContext({ viewport: { width: 1300, height: 1000 } });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    await page.goto(`${service.http}/#/sandboxes/${id}?tab=terminal`);
    await page.getByLabel("API key").fill(service.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    const { line, shows } = driver(page);
    await shows(/\$ $/);
    await line("kubectl get pods");
    await shows(/No resources found/);
    await page.route(`**/c/${id}/**`, (route) => route.abort("connectionrefused"));
    await line("clear; kubectl get pods");
    await shows(/Unable to connect to the server: http:\S+ does not answer: the service is stopped/);
  });

  test("K9: a phone gets a row of keys that its keyboard lacks", async () => {
    const { id } = await newSandbox({ name: "phone" });
    context = await browser.newContext({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const wrong = errorsOf(page);
    await page.goto(`${service.http}/#/sandboxes/${id}?tab=terminal`);
    await page.getByLabel("API key").fill(service.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    const { keys, shows } = driver(page);
    await shows(/\$ $/);
    await keys("kubec");
    await page.getByRole("button", { name: "Tab", exact: true }).tap();
    await shows(/\$ kubectl\s*$/);
    await page.getByRole("button", { name: "Control, for the next key" }).tap();
    await keys("u");
    await shows(/\$ $/);
    await page.getByRole("button", { name: "Screen reader", exact: false }).tap();
    await keys("echo aloud\n");
    await page.locator(".xterm-accessibility").getByText("aloud", { exact: true }).waitFor();
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
    expect(wrong).toEqual([]);
  });
});

/** Errors of the page's own; what a browser writes of a request that was refused is none. */
function errorsOf(page: Page): string[] {
  const pageErrors: string[] = [];
  page.on("pageerror", (error) => pageErrors.push(String(error.stack)));
  page.on("console", (message) => {
    const isRequest = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRequest) pageErrors.push(message.text());
  });
  return pageErrors;
}

function driver(page: Page) {
  const screen = async () =>
    (await page.locator(".xterm-rows:visible").innerText()).replaceAll("\u00a0", " ").trimEnd() + " ";
  const keys = (text: string) => page.keyboard.type(text);
  return {
    keys,
    line: (text: string) => keys(`${text}\n`),
    shows: (pattern: RegExp) => expect.poll(screen, { timeout: 20_000 }).toMatch(pattern),
  };
}
