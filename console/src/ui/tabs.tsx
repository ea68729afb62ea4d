import type { JSX } from 'preact';
import { href, useRoute } from '../state/route.js';

/** The views of a screen, as links, so that each view can be sent to someone. */
export function Tabs({ views, current }: { views: Readonly<Record<string, string>>; current: string }): JSX.Element {
  const { path, query } = useRoute();
  const crawler = query.get('crawler') ?? undefined;
  return (
    <nav class="tabs" aria-label="Views">
      {Object.entries(views).map(([view, label]) => (
        <a key={view} href={href(path, { crawler, view })} aria-current={view === current ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
