// The console: signs in, then shows what the address says.
import { render } from "preact";
import { must } from "../shared/base/assert.ts";
import { App } from "./console/app.tsx";
import "./style/all.css";

render(<App />, must(document.getElementById("app"), "the page's root element"));
