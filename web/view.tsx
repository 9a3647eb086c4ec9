// The live view alone, for a frame on another site's page: `/view/{id}?frame=…#{token}`. Reads no storage, knows no API key.
import { render } from "preact";
import { messages } from "./messages.ts";
import { must } from "../shared/base/assert.ts";
import { accessWith } from "./api/access.ts";
import "./style/all.css";
import { LiveView } from "./view/live-view.tsx";

const id = /^\/view\/([a-z0-9]+)$/.exec(location.pathname)?.[1] ?? "";
const query = new URLSearchParams(location.search);
const token = decodeURIComponent(location.hash.slice(1).replace(/^token=/, ""));
const access = accessWith(id, () => Promise.resolve(token), { mayWrite: false });

// A page of one colour wants a frame of the same: `&theme=light`.
const theme = query.get("theme");
if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
document.body.classList.add("alone");

// Another token in the same frame is another view.
addEventListener("hashchange", () => location.reload());

render(
  <main>
    <h1 class="unseen">{messages.overview.liveTitle}</h1>
    <LiveView access={access} namespace={query.get("namespace") ?? ""} />
  </main>,
  must(document.getElementById("app"), "the page's root element"),
);
