/** Shows the state of the URL in other crawlers, because a page missing from one may be indexed by another. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { HeadlineDto } from '../../api/schema.js';
import { useCrawlers } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { Badge, type Tone } from '../../ui/status.js';

const FATE_BADGES: Readonly<Record<HeadlineDto['fate'], readonly [tone: Tone, words: string]>> = {
  'in-index': ['good', 'in the index'],
  'on-its-way': ['warn', 'on its way'],
  'not-in-index': ['plain', 'not in the index'],
};

/** Maximum number of crawlers to query, so that one question does not cause too many calls. */
const MAX_CRAWLERS = 12;

export function OtherCrawlers({ excludedName, url }: { excludedName: string; url: string }): JSX.Element | null {
  const otherNames = (useCrawlers().value ?? []).map(({ name }) => name).filter((name) => name !== excludedName);
  const queriedNames = otherNames.slice(0, MAX_CRAWLERS);
  const { value } = useResource(
    queriedNames.length > 0 ? `others ${url} ${queriedNames.join(' ')}` : undefined,
    (signal) =>
      Promise.all(
        queriedNames.map(async (crawler) => ({
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
          {crawler} <Badge tone={FATE_BADGES[fate][0]}>{FATE_BADGES[fate][1]}</Badge>
        </a>
      ))}
      {otherNames.length > queriedNames.length && (
        <span class="muted">and {otherNames.length - queriedNames.length} more</span>
      )}
    </p>
  );
}
