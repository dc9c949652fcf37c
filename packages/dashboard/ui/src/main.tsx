import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
render(<p>hi</p>, document.body);
