/** Shows the URL in other crawlers, because a page that is missing in one may be in the index through another. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { HeadlineDto } from '../../api/schema.js';
import { useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { Badge, type Tone } from '../../ui/status.js';

const FATES: Readonly<Record<HeadlineDto['fate'], readonly [tone: Tone, words: string]>> = {
  'in-index': ['good', 'in the index'],
  'on-its-way': ['warn', 'on its way'],
  'not-in-index': ['plain', 'not in the index'],
};

/** Maximum number of crawlers asked; more would be a burst of calls for every question. */
const MOST = 12;

export function OtherCrawlers({ but, url }: { but: string; url: string }): JSX.Element | null {
  const others = (useCrawlers().value ?? []).map(({ name }) => name).filter((name) => name !== but);
  const asked = others.slice(0, MOST);
  const { value } = useResource(asked.length > 0 ? `others ${url} ${asked.join(' ')}` : undefined, (signal) =>
    Promise.all(
      asked.map(async (crawler) => ({
        crawler,
        ...(await call('GET /api/v1/crawlers/{crawler}/explain', { path: { crawler }, query: { url }, signal }))
          .headline,
      })),
    ),
  );
  if (!value || value.length === 0) return null;
  return (
    <p class="row">
      <span class="muted">Other crawlers:</span>
      {value.map(({ crawler, fate, text }) => (
        <a key={crawler} class="row tight" href={href('/try', { crawler, url })} title={text}>
          {crawler} <Badge tone={FATES[fate][0]}>{FATES[fate][1]}</Badge>
        </a>
      ))}
      {others.length > asked.length && <span class="muted">and {others.length - asked.length} more</span>}
    </p>
  );
}
