// The learner's page alone, also in a frame on another site's page: `/learn/{run}?frame=…#{token}`; `/learn/join#{token}`, where a class's
// link leads, and `/learn/share#{token}` of a shared state. Knows no API key, and reads no storage but at that link.
import { render } from "preact";
import { must } from "../shared/base/assert.ts";
import { JoinClass } from "./learn/join-class.tsx";
import { LessonPage } from "./learn/lesson-page.tsx";
import { SharePage } from "./learn/share-page.tsx";
import "./style/all.css";
import "./learn/learn.css";
import "./learn/exam/exam.css";
import "./style/reading.css";

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
document.body.classList.add("alone");

// Another token in the same frame is another learner.
addEventListener("hashchange", () => location.reload());

const token = decodeURIComponent(location.hash.slice(1));

function Page({ token: secret }: { readonly token: string }) {
  if (location.pathname === "/learn/join") return <JoinClass token={secret} />;
  return location.pathname === "/learn/share" ? <SharePage token={secret} /> : <LessonPage token={secret} />;
}

render(
  <main>
    <Page token={token} />
  </main>,
  must(document.getElementById("app"), "the page's root element"),
);
