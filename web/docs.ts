// The script of the documentation site. The pages are static and can be read without it; it adds the search and the copy buttons.
import { addCopyButtons } from "./docs/copy-buttons.ts";
import { addSearch } from "./docs/search.ts";
import "./style/docs.css";

const menu = document.querySelector<HTMLDetailsElement>(".docs-menu");
const wide = matchMedia("(min-width: 64rem)");

/** Opens the menu of pages if it is a sidebar, and closes it if it covers the page. */
function fitMenu(): void {
  if (menu) menu.open = wide.matches;
}

wide.addEventListener("change", fitMenu);
fitMenu();
menu?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
addCopyButtons(document);
addSearch(document);
