// How the console is built: pages, of which the console itself is one and others are for frames in others' pages.
import { defineConfig } from "vite";

const page = (name: string) => new URL(name, import.meta.url).pathname;

export default defineConfig({
  // Builds the same files for every NODE_ENV, so that tests drive the deployed files.
  oxc: { jsx: { development: false } },
  // Zod otherwise tries whether it may compile code. The pages' content security policy refuses that, and Firefox reports it.
  define: { "globalThis.__zod_globalConfig": JSON.stringify({ jitless: true }) },
  build: {
    target: "es2022",
    // From these on browsers know `light-dark()` themselves.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["index.html", "view.html", "learn.html", "embed.html", "docs.html"].map(page) },
  },
});
