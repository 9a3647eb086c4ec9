// Sites of others that show clusters: static pages with the structure of the themes that courses are written in, on origins of their own.
import { createServer } from "node:http";

export interface Site {
  /** The origin of a site that is not the service's. The browser resolves its name to this machine. */
  readonly origin: string;
  /** The same pages from an origin that no key names. */
  readonly otherOrigin: string;
  /** The same by a name that is not the machine's own: without https no browser takes them for safe. */
  readonly unsafeOrigin: string;
  /** Sets the page at a path. */
  put(path: string, html: string): void;
  stop(): Promise<void>;
}

/** A host name that the browser resolves to this machine. */
export const unsafeName = "course.test";

export async function startSite(): Promise<Site> {
  // Browsers ask a site for its icon by themselves. A missing one would be an error of the page.
  const pages = new Map([["/favicon.ico", ""]]);
  const server = createServer((request, response) => {
    const html = pages.get((request.url ?? "/").split("?")[0] ?? "/");
    response.writeHead(html === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" }).end(html);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : 0;
  return {
    origin: `http://localhost:${port}`,
    otherOrigin: `http://other.localhost:${port}`,
    unsafeOrigin: `http://${unsafeName}:${port}`,
    put: (path, html) => void pages.set(path, html),
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

/** The content of a page's head and body. */
export interface Parts {
  readonly head: string;
  readonly body: string;
}

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** A page of each theme. */
export const themes: Readonly<Record<"docusaurus" | "mkdocs" | "moodle" | "plain", (elements: Parts) => string>> = {
  /** Infima's custom properties, a theme that is switched by an attribute of the root, a page that is a grid. */
  docusaurus: ({ head, body }) => `<!doctype html>
<html lang="en" dir="ltr" data-theme="dark" class="docs-wrapper"><head><meta charset="utf-8">${viewport}<title>Docs</title>
<style>:root{--ifm-color-primary:#ff8800}[data-theme=dark]{color-scheme:dark;--ifm-background-color:#1b1b1d}[data-theme=light]{color-scheme:light}
body{margin:0;background:var(--ifm-background-color)} .navbar{position:sticky;top:0;height:3.75rem;z-index:200}
.main-wrapper{display:flex;flex:1 0 auto}.theme-doc-sidebar-container{width:300px}@media(max-width:996px){.theme-doc-sidebar-container{display:none}}
.container{max-width:1320px;width:100%;padding:0 1rem}.markdown>*{margin-bottom:1.25rem} iframe{border:9px solid red}
sandbar-cluster,sandbar-terminal{--sandbar-accent:var(--ifm-color-primary)}</style>${head}</head>
<body class="navigation-with-keyboard"><div id="__docusaurus"><nav class="navbar navbar--fixed-top"><button id="switch" onclick="document.documentElement.dataset.theme='light'">☀</button></nav>
<div class="main-wrapper"><aside class="theme-doc-sidebar-container">Menu</aside><main><div class="container"><div class="row"><div class="col"><article><div class="theme-doc-markdown markdown"><h1>Try it</h1>${body}</div></article></div></div></div></main></div></div></body></html>`,
  /** Material's scheme at the body, a content that is narrow and clips. */
  mkdocs: ({ head, body }) => `<!doctype html>
<html lang="de" class="no-js"><head><meta charset="utf-8">${viewport}<title>Handbuch</title>
<style>html{font-size:125%;height:100%}body{--md-primary-fg-color:#4051b5;margin:0;font-size:.5rem;display:flex;flex-direction:column;min-height:100%}
[data-md-color-scheme=slate]{color-scheme:dark}[data-md-color-scheme=default]{color-scheme:light}
.md-container{display:flex;flex-direction:column;flex-grow:1}.md-main__inner{display:flex;height:100%;margin-top:1.5rem}.md-content{flex-grow:1;min-width:0}
.md-content__inner{margin:0 .8rem 1.2rem;padding-top:.6rem}.md-typeset{font-size:.8rem;overflow:hidden}</style>${head}</head>
<body dir="ltr" data-md-color-scheme="slate"><div class="md-container"><main class="md-main"><div class="md-main__inner md-grid"><div class="md-content"><article class="md-content__inner md-typeset"><h1>Probiere es</h1>${body}</article></div></div></main></div></body></html>`,
  /** The drawers and activity of Boost, with a text as its editor saves it: without scripts. */
  moodle: ({ head, body }) => `<!doctype html>
<html lang="en" dir="ltr"><head><meta charset="utf-8">${viewport}<title>Course: Kubernetes</title>
<style>#page{margin-top:60px;overflow-y:auto;height:calc(100vh - 60px)}#page.drawers{padding:0 1rem}#region-main{overflow-x:auto;padding:1.25rem}.no-overflow{overflow:auto}iframe{max-width:100%}</style>${head}</head>
<body id="page-mod-page-view" class="format-topics path-mod path-mod-page pagelayout-incourse drawer-open-index"><div id="page-wrapper" class="d-print-block"><nav class="navbar fixed-top">Moodle</nav>
<div id="page" class="drawers drag-container"><div id="topofscroll" class="main-inner"><div id="page-content"><div id="region-main-box"><section id="region-main" aria-label="Content"><div role="main"><div class="box py-3 generalbox center clearfix"><div class="no-overflow">${body}</div></div></div></section></div></div></div></div></div></body></html>`,
  plain: ({ head, body }) =>
    `<!doctype html><meta charset="utf-8">${viewport}<title>A page</title>${head}<h1>Try it</h1>${body}`,
};

/** A script of the page that records all events of elements by type. */
export const listening = `<script>
window.told = {};
for (const type of ["ready", "command", "changed", "step-passed", "expired", "refused"])
  addEventListener(type, (event) => (window.told[type] ??= []).push({ ...event.detail, from: event.target.localName }));
</script>`;
