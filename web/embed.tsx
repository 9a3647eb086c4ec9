// The frame of a cluster in somebody's page: `/embed/pk_...?template=web&panes=live`. See `embed/frame`.
import { render } from "preact";
import { must } from "../shared/base/assert.ts";
import { Frame } from "./embed/frame/frame.tsx";
import { newFrame } from "./embed/frame/state.ts";
import "./style/embed.css";

document.body.classList.add("alone", "embedded");
render(<Frame frame={newFrame()} />, must(document.getElementById("app"), "the page's root element"));
