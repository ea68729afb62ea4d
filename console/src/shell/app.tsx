import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call, hasKey } from '../api/client.js';
import type { SessionDto } from '../api/schema.js';
import { CrawlersContext, useCrawlers, usePolledCrawlers, useUnknownCrawler } from '../state/crawlers.js';
import { useResource } from '../state/resource.js';
import { followLink, navigate, useRoute } from '../state/route.js';
import { SessionContext } from '../state/session.js';
import { EmptyState, Failure, LoadFailure, LoadingNotice } from '../ui/answers.js';
import { Notices } from '../ui/notices.js';
import { PageHead } from '../ui/panel.js';
import { ReasonsContext, useLoadedReasons } from '../ui/reasons.js';
import { Menu, MenuLinks } from './menu.js';
import { NoSuchCrawler } from './no-such-crawler.js';
import { SCREENS, type Screen } from './screens.js';
import { SignIn } from './sign-in.js';
import { Brand, TopBar } from './top-bar.js';

/**
 * Checks who the user is before anything else is loaded. If the server requires a key and there is no valid one, only
 * the sign-in form is shown.
 */
export function App(): JSX.Element {
  const session = useResource('session', (signal) => call('GET /api/v1/session', { signal }));
  useEffect(() => {
    addEventListener('crawlway:key-wanted', session.reload);
    return () => removeEventListener('crawlway:key-wanted', session.reload);
  }, [session.reload]);
  if (session.problem?.status === 401) return <SignIn wrongKey={hasKey()} onSignedIn={session.reload} />;
  if (session.problem && !session.value) return <Failure problem={session.problem} retry={session.reload} />;
  return session.value ? <Console session={session.value} /> : <Frame />;
}

/** What is shown at once, while the server has not said who the user is. */
function Frame(): JSX.Element {
  const { path } = useRoute();
  return (
    <div class="shell">
      <header class="topbar">
        <Brand />
      </header>
      <MenuLinks heldCount={0} />
      <main class="main">
        <PageHead title={SCREENS[path]?.title ?? 'Crawlway'} />
        <LoadingNotice />
      </main>
    </div>
  );
}

function Console({ session }: { session: SessionDto }): JSX.Element {
  const crawlers = usePolledCrawlers();
  const reasons = useLoadedReasons();
  return (
    <SessionContext.Provider value={session}>
      <CrawlersContext.Provider value={crawlers}>
        <ReasonsContext.Provider value={reasons}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the links inside work without it; this only avoids a page load */}
          <div class="shell" onClick={followLink}>
            <a class="skip" href="#main" data-leave>
              Skip to content
            </a>
            <TopBar />
            <Menu />
            <main class="main" id="main" tabIndex={-1}>
              <CurrentScreen />
            </main>
            <Notices />
          </div>
        </ReasonsContext.Provider>
      </CrawlersContext.Provider>
    </SessionContext.Provider>
  );
}

function CurrentScreen(): JSX.Element {
  const { path } = useRoute();
  const { value: crawlers, problem } = useCrawlers();
  const screen = SCREENS[path];
  const isEmpty = crawlers?.length === 0;
  const isUnknownCrawler = useUnknownCrawler() !== undefined && path !== '/start';
  useEffect(() => {
    document.title = `${screen?.title ?? 'Not found'} · Crawlway`;
  }, [screen]);
  useEffect(() => {
    if (isEmpty && path === '/') navigate('/start', { replace: true });
  }, [isEmpty, path]);
  return (
    <>
      {problem && <Failure problem={problem} />}
      {!screen ? <NotFound /> : isUnknownCrawler ? <NoSuchCrawler /> : <ScreenLoader key={path} screen={screen} />}
    </>
  );
}

function ScreenLoader({ screen }: { screen: Screen }): JSX.Element {
  const [Loaded, setLoaded] = useState<{ readonly Component?: ComponentType; readonly failed?: true }>(() =>
    screen.lazy ? {} : { Component: screen.component as ComponentType },
  );
  useEffect(() => {
    if (!screen.lazy) return;
    (screen.component as () => Promise<ComponentType>)().then(
      (Component) => setLoaded({ Component }),
      () => setLoaded({ failed: true }),
    );
  }, [screen]);
  if (Loaded.failed) return <LoadFailure />;
  if (Loaded.Component) return <Loaded.Component />;
  return (
    <>
      <PageHead title={screen.title} />
      <LoadingNotice />
    </>
  );
}

const NotFound = (): JSX.Element => (
  <>
    <PageHead title="Not found" />
    <EmptyState>
      This screen does not exist. <a href="/">Go to the overview.</a>
    </EmptyState>
  </>
);
