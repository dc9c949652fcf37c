import { render } from "preact";
import { App } from "./app.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/dialog.css";
import "./styles/notices.css";
import "./styles/shell.css";
import "./styles/tables.css";
import "./styles/overview.css";
import "./styles/lists.css";
import "./styles/chain.css";
import "./styles/graph.css";
import "./styles/timeline.css";
import "./styles/steps.css";
import "./styles/json.css";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
