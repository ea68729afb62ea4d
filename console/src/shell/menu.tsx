import { Fragment, type JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { call } from '../api/client.js';
import { useResource } from '../state/resource.js';
import { href, useRoute } from '../state/route.js';
import { useSession } from '../state/session.js';
import { formatCount, formatPlural } from '../ui/format.js';
import { MENU_HEADINGS, SCREENS, WHOLE_SERVER } from './screens.js';

const POLL_INTERVAL_MS = 15_000;
/** The menu entries to highlight for screens that are not in the menu. */
const PARENTS: Readonly<Record<string, string>> = { '/url': '/urls', '/host': '/hosts', '/start': '/' };

export function Menu(): JSX.Element {
  const heldDeletions = useResource(
    'held',
    async (signal) => (await call('GET /api/v1/held-deletions', { signal })).items,
    POLL_INTERVAL_MS,
  );
  const counts = (heldDeletions.value ?? []).map(({ count }) => count);
  return <MenuLinks heldCount={counts.reduce((sum, count) => sum + count, 0)} />;
}

export function MenuLinks({ heldCount }: { heldCount: number }): JSX.Element {
  const { path, query } = useRoute();
  const isLimited = useSession().crawlers !== undefined;
  const crawler = query.get('crawler') ?? undefined;
  const nav = useRef<HTMLElement>(null);
  // On narrow screens, not all of the menu is visible.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return (
    <nav ref={nav} class="sidebar" aria-label="Screens">
      {Object.entries(SCREENS).map(([target, { label }]) =>
        label && !(isLimited && WHOLE_SERVER.has(target)) ? (
          <Fragment key={target}>
            {MENU_HEADINGS[target] && <span class="menu-heading">{MENU_HEADINGS[target]}</span>}
            <a href={href(target, { crawler })} aria-current={(PARENTS[path] ?? path) === target ? 'page' : undefined}>
              {label}
              {target === '/push' && heldCount > 0 && (
                <span class="bubble" title={`Held: ${formatPlural(heldCount, 'deletion')}`}>
                  {formatCount(heldCount)}
                </span>
              )}
            </a>
          </Fragment>
        ) : null,
      )}
      <a href="/help/" data-leave>
        Documentation
      </a>
      <a href="/docs" data-leave>
        API
      </a>
    </nav>
  );
}
