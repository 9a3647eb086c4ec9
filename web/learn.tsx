// The learner's page alone, also in a frame on another site's page: `/learn/{run}?frame=…#{token}`. Reads no storage, knows no API key.
import { render } from "preact";
import { must } from "../shared/base/assert.ts";
import { LessonPage } from "./learn/lesson-page.tsx";
import "./style/all.css";
import "./learn/learn.css";

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
document.body.classList.add("alone");

// Another token in the same frame is another learner.
addEventListener("hashchange", () => location.reload());

render(
  <main>
    <LessonPage token={decodeURIComponent(location.hash.slice(1))} />
  </main>,
  must(document.getElementById("app"), "the page's root element"),
);
