import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const themeKey = "chainwright-theme";

/** Light, dark, or the setting of the system. */
export const theme = signal<Theme>(storedTheme());

const systemDark = matchMedia("(prefers-color-scheme: dark)");

/** Whether dark colours are shown; charts on a canvas need it. */
export const isDark = signal(systemDark.matches);

effect(() => {
  const chosen = theme.value;
  if (chosen === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset["theme"] = chosen;
  isDark.value = chosen === "system" ? systemDark.matches : chosen === "dark";
});

systemDark.addEventListener("change", () => {
  if (theme.value === "system") isDark.value = systemDark.matches;
});

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  // If storage is forbidden, the choice lasts as long as the page.
  try {
    localStorage.setItem(themeKey, chosen);
  } catch {
    return;
  }
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(themeKey);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}
