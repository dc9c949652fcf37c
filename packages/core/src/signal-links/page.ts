import type { LinkState, SignalLinkView } from "./view.ts";

const headings: Readonly<Record<LinkState, string>> = {
  ask: "Please confirm",
  sent: "Thank you",
  "sent-before": "Already answered",
  expired: "This link has expired",
  over: "This is over",
  "not-valid": "This link is not valid",
};

const texts: Readonly<Record<LinkState, string>> = {
  ask: "Nothing happens until you press the button.",
  sent: "Your answer was received. You can close this page.",
  "sent-before": "An answer was received before. Nothing was changed.",
  expired: "Nothing was changed. Ask for a new link.",
  over: "It was answered before, or needs no answer any more. Nothing was changed.",
  "not-valid": "Nothing was changed. It may have been cut off: open the complete link.",
};

const style = `:root{color-scheme:light dark;font:17px/1.5 system-ui,sans-serif}
body{display:grid;min-height:90vh;place-items:center;margin:0;padding:1rem}
main{max-width:30rem}
h1{font-size:1.4rem}
button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:.4rem;background:#1a56db;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid;outline-offset:2px}`;

/** The page that is shown without a `render` of the application. */
export function renderPage({ state, description }: SignalLinkView): string {
  const heading = headings[state];
  const details = description === undefined ? "" : `<p>${escapeHtml(description)}</p>\n`;
  const form = state === "ask" ? `<form method="post"><button>Confirm</button></form>\n` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${details}<p>${texts[state]}</p>
${form}</main>
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
