import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { call } from '../api/client.js';
import { useResource } from '../state/resource.js';
import { href, useRoute } from '../state/route.js';
import { formatCount } from '../ui/format.js';
import { SCREENS } from './screens.js';

const EVERY_MS = 15_000;
/** For screens that are reached from another one: the entry that is highlighted in the menu. */
const PARENTS: Readonly<Record<string, string>> = { '/url': '/urls', '/host': '/hosts', '/start': '/' };

export function Menu(): JSX.Element {
  const { path, query } = useRoute();
  const held = useResource(
    'held',
    async (signal) => (await call('GET /api/v1/held-deletions', { signal })).items,
    EVERY_MS,
  );
  const waiting = (held.value ?? []).reduce((sum, { count: number }) => sum + number, 0);
  const crawler = query.get('crawler') ?? undefined;
  const bar = useRef<HTMLElement>(null);
  // On narrow screens, the menu is longer than the screen.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return (
    <nav ref={bar} class="sidebar" aria-label="Screens">
      {Object.entries(SCREENS).map(([target, { label }]) =>
        label ? (
          <a
            key={target}
            href={href(target, { crawler })}
            aria-current={(PARENTS[path] ?? path) === target ? 'page' : undefined}
          >
            {label}
            {target === '/push' && waiting > 0 && (
              <span class="bubble" title={`${formatCount(waiting)} deletions are held`}>
                {formatCount(waiting)}
              </span>
            )}
          </a>
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
