import type { JSX } from 'preact';
import { call, setKey } from '../api/client.js';
import { rememberCrawler, useCrawler, useCrawlers } from '../state/crawlers.js';
import { changeQuery } from '../state/route.js';
import { useSession } from '../state/session.js';
import mark from '../ui/mark.svg';
import { MissingPageSearch } from './missing-page.js';
import { ThemeSwitch } from './theme.js';

export function TopBar(): JSX.Element {
  const session = useSession();
  const { problem } = useCrawlers();
  const signOut = async (): Promise<void> => {
    setKey(undefined);
    // The console does not know whether there is a session, because only the server can read its cookie.
    const answer = await call('POST /auth/sign-out').catch(() => undefined);
    if (answer?.continueAt !== undefined) return location.assign(answer.continueAt);
    dispatchEvent(new Event('crawlway:key-wanted'));
  };
  return (
    <header class="topbar">
      <Brand />
      <CrawlerChoice />
      <MissingPageSearch />
      <div class="push-right">
        <span class="row" title={problem ? 'The server is not responding' : 'Connected to the server'}>
          <span class={`dot ${problem ? 'bad' : 'good'}`} aria-hidden="true" />
          <span class="visually-hidden">{problem ? 'The server is not responding' : 'Connected'}</span>
          <span class="muted wide-only">{session.version}</span>
        </span>
        <ThemeSwitch />
        <span
          class="muted wide-only"
          title="Your name and role on this server, and the crawlers to which it is limited"
        >
          {session.name} ({[session.role, ...(session.crawlers ?? [])].join(' ')})
        </span>
        {session.keyWanted && (
          <button type="button" class="button" onClick={signOut}>
            Sign out
          </button>
        )}
      </div>
    </header>
  );
}

export const Brand = (): JSX.Element => (
  <a class="brand" href="/">
    <img src={mark} alt="" />
    Crawlway
  </a>
);

function CrawlerChoice(): JSX.Element | null {
  const { value: crawlers = [] } = useCrawlers();
  const chosenCrawler = useCrawler();
  if (!chosenCrawler) return null;
  const choose = (name: string): void => {
    rememberCrawler(name);
    changeQuery({ crawler: name, cursor: undefined });
  };
  return (
    <select aria-label="Crawler" value={chosenCrawler.name} onChange={(event) => choose(event.currentTarget.value)}>
      {crawlers.map(({ name, state }) => (
        <option key={name} value={name}>
          {state === 'running' ? name : `${name} (${state})`}
        </option>
      ))}
    </select>
  );
}
