import {
  CalendarClock,
  CircleAlert,
  Compass,
  Gauge,
  Keyboard,
  LayoutDashboard,
  Link as LinkIcon,
  LockKeyhole,
  Monitor,
  Moon,
  Repeat,
  Sun,
  type IconNode,
} from "lucide";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ActionDialog } from "./actions/action-dialog.tsx";
import { Button } from "./components/button.tsx";
import { Icon } from "./components/icon.tsx";
import { Messages } from "./components/messages.tsx";
import { Empty, Failure } from "./components/notice.tsx";
import { Shortcuts, useShortcuts } from "./components/shortcuts.tsx";
import { get } from "./data/api.ts";
import { liveState } from "./data/live.ts";
import { chooseTheme, theme, type Theme } from "./data/preferences.ts";
import { readOnly, session } from "./data/session.ts";
import { ChainPage } from "./pages/chain.tsx";
import { ChainsPage } from "./pages/chains.tsx";
import { FailedPage } from "./pages/failed.tsx";
import { LimitsPage } from "./pages/limits.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { RecurringPage } from "./pages/recurring.tsx";
import { SchedulePage } from "./pages/schedule.tsx";
import { SchedulesPage } from "./pages/schedules.tsx";
import { Link } from "./routing/link.tsx";
import { hrefTo, place } from "./routing/place.ts";
import { ownTitle } from "./routing/title.ts";

const sections: readonly { readonly path: string; readonly title: string; readonly icon: IconNode }[] = [
  { path: "", title: "Overview", icon: LayoutDashboard },
  { path: "chains", title: "Chains", icon: LinkIcon },
  { path: "failed", title: "Failed", icon: CircleAlert },
  { path: "schedule", title: "Due later", icon: CalendarClock },
  { path: "schedules", title: "Schedules", icon: Repeat },
  { path: "limits", title: "Limits", icon: Gauge },
];

/** The whole dashboard. */
export function App() {
  const refused = useSignal<unknown>(undefined);
  const help = useSignal(false);
  const ask = () => {
    get("session", {}).then(
      (response) => {
        session.value = response;
        refused.value = undefined;
      },
      (error: unknown) => {
        refused.value = error;
      },
    );
  };
  useEffect(ask, []);
  useShortcuts(help);

  const { path } = place.value;
  const section = sections.find((each) => each.path === path.split("/")[0]);
  const title = ownTitle.value ?? section?.title;
  useEffect(() => {
    document.title = title === undefined ? "Chainwright" : `${title} \u00b7 Chainwright`;
  }, [title]);

  return (
    <>
      <a class="skip" href={`${location.pathname}${location.search}#main`}>
        Skip to the content
      </a>
      <TopBar
        current={section?.path}
        onHelp={() => {
          help.value = true;
        }}
      />
      <main id="main" class="page" tabIndex={-1}>
        <ReadOnlyNote />
        {refused.value !== undefined ? (
          <Failure error={refused.value} onRetry={ask} />
        ) : session.value === undefined ? null : (
          <CurrentPage path={path} />
        )}
      </main>
      <ActionDialog />
      {help.value ? (
        <Shortcuts
          onClose={() => {
            help.value = false;
          }}
        />
      ) : null}
      <Messages />
    </>
  );
}

/** Shown before anyone tries an action that the database would refuse. */
function ReadOnlyNote() {
  const reason = readOnly();
  if (reason === undefined) return null;
  return (
    <p class="read-only" role="note">
      <Icon of={LockKeyhole} />
      <span>Pages show what is there, and actions are off. {reason}</span>
    </p>
  );
}

function CurrentPage({ path }: { readonly path: string }) {
  if (path === "") return <OverviewPage />;
  if (path === "chains") return <ChainsPage />;
  if (path === "failed") return <FailedPage />;
  if (path === "schedule") return <SchedulePage />;
  if (path === "limits") return <LimitsPage />;
  if (path === "schedules") return <SchedulesPage />;
  const schedule = /^schedules\/([^/]+)$/.exec(path)?.[1];
  if (schedule !== undefined) return <RecurringPage key={schedule} id={decoded(schedule)} />;
  const chain = /^chains\/([^/]+)$/.exec(path)?.[1];
  if (chain !== undefined) return <ChainPage key={chain} id={decoded(chain)} />;
  return (
    <Empty icon={Compass} title="There is no such page">
      <Link href={hrefTo("")}>Overview</Link>
    </Empty>
  );
}

/** A typed address may contain an invalid percent sign. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function TopBar({ current, onHelp }: { readonly current: string | undefined; readonly onHelp: () => void }) {
  return (
    <header class="top">
      <Link href={hrefTo("")} class="brand" label="Chainwright, overview">
        <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" class="brand-mark">
          <rect width="32" height="32" rx="8" />
          <g fill="none" stroke-width="2.6" stroke-linecap="round">
            <rect x="5.5" y="12" width="12" height="8" rx="4" />
            <rect x="14.5" y="12" width="12" height="8" rx="4" />
          </g>
        </svg>
        <span class="brand-name">Chainwright</span>
      </Link>
      <nav class="sections" aria-label="Pages">
        {sections.map(({ path, title, icon }) => (
          <Link key={path} href={hrefTo(path)} current={path === current}>
            <Icon of={icon} />
            <span>{title}</span>
          </Link>
        ))}
      </nav>
      <div class="top-tools">
        <LiveMark />
        <SessionMark />
        <ThemeButton />
        <Button kind="quiet" icon={Keyboard} label="Keyboard shortcuts" onClick={onHelp} />
      </div>
    </header>
  );
}

const liveWords = {
  connecting: "Connecting",
  live: "Live",
  "not-watched": "Not live",
  "no-store": "Database away",
  lost: "Reconnecting",
};

function LiveMark() {
  return (
    <span class="live" data-live={liveState.value} role="status">
      <span class="live-dot" aria-hidden="true" />
      <span class="live-word">{liveWords[liveState.value]}</span>
    </span>
  );
}

function SessionMark() {
  const who = session.value;
  if (who === undefined) return null;
  return (
    <span class="who" title={who.name === undefined ? `You are ${who.role}` : `${who.name}, ${who.role}`}>
      {who.name === undefined ? null : <span class="who-name">{who.name}</span>}
      <span class="who-role">{who.role}</span>
    </span>
  );
}

const themes: Readonly<Record<Theme, { readonly icon: IconNode; readonly next: Theme; readonly name: string }>> = {
  system: { icon: Monitor, next: "light", name: "as the system" },
  light: { icon: Sun, next: "dark", name: "light" },
  dark: { icon: Moon, next: "system", name: "dark" },
};

function ThemeButton() {
  const { icon, next, name } = themes[theme.value];
  return (
    <Button
      kind="quiet"
      icon={icon}
      label={`Colours: ${name}. Change to ${themes[next].name}`}
      onClick={() => chooseTheme(next)}
    />
  );
}
