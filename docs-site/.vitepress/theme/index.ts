import DefaultTheme from "vitepress/theme";
import "./diagrams.css";
import "./layout.css";

export default DefaultTheme;
