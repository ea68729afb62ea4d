/** What is new, changed and gone in the index since a time. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { ChangesDto } from '../../api/schema.js';
import { useCrawler } from '../../state/crawlers.js';
import { useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { formatCount } from '../../ui/format.js';
import { NoCrawler } from '../../ui/no-crawler.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';
import { TextDifference } from '../configuration/text-difference.js';

const POLL_INTERVAL_MS = 60_000;
const PERIODS = { '1h': 'Last hour', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' } as const;
const CHANGES = { new: 'New', changed: 'Changed', gone: 'Gone' } as const;

type Change = keyof typeof CHANGES;

/** What is chosen; in the address, so that the view can be sent to someone. */
interface Choice {
  readonly crawler: string;
  readonly since: string;
  readonly section?: string;
  readonly change?: Change;
}

export function Changes(): JSX.Element {
  const crawler = useCrawler()?.name;
  const { query } = useRoute();
  const since = query.get('since') ?? '24h';
  const section = query.get('section') ?? undefined;
  const change = (query.get('change') ?? undefined) as Change | undefined;
  const request = { crawler, since, section, change };
  const changes = useResource(
    crawler && `changes ${JSON.stringify(request)}`,
    (signal) => call('GET /api/v1/changes', { query: request, signal }),
    POLL_INTERVAL_MS,
  );
  if (!crawler) return <NoCrawler title="Changes" />;
  const choice = { crawler, since, section, change };
  const compared = query.get('compare');
  if (compared !== null) return <Comparison crawler={crawler} url={compared} since={since} />;
  return (
    <>
      <PageHead title="Changes">What is new, changed and gone in the index of {crawler}.</PageHead>
      <nav class="tabs" aria-label="Period">
        {Object.entries(PERIODS).map(([period, label]) => (
          <a
            key={period}
            href={href('/changes', { ...choice, since: period })}
            aria-current={period === since ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <ResourceView resource={changes}>{(value) => <Answer value={value} choice={choice} />}</ResourceView>
    </>
  );
}

function Answer({ value, choice }: { value: ChangesDto; choice: Choice }): JSX.Element {
  const { counts, complete, documents } = value;
  const { section, change } = choice;
  const isEmpty = Object.values(counts).every((count) => count === 0);
  return (
    <>
      {!complete && <p class="notice warn">There are too many orders to read them all: the counts are too low.</p>}
      {section !== undefined && (
        <p>
          Only URLs that begin with <span class="mono">{section}</span>.{' '}
          <a href={href('/changes', { ...choice, section: undefined })}>Show all</a>
        </p>
      )}
      <p class="row">
        {(Object.keys(CHANGES) as Change[]).map((kind) => (
          <a
            key={kind}
            class="button"
            href={href('/changes', { ...choice, change: kind === change ? undefined : kind })}
            aria-current={kind === change ? 'true' : undefined}
          >
            {CHANGES[kind]}: {formatCount(counts[kind])}
          </a>
        ))}
      </p>
      {isEmpty ? (
        <EmptyState>Nothing has changed in the index since then.</EmptyState>
      ) : (
        <>
          <div class="grid">
            <Sections value={value} choice={choice} />
            <Reasons value={value} />
          </div>
          <Documents choice={choice} documents={documents} />
        </>
      )}
      <p class="muted">
        As a feed:{' '}
        <a href={toFeed('atom', choice)} data-leave>
          Atom
        </a>
        ,{' '}
        <a href={toFeed('json-feed', choice)} data-leave>
          JSON Feed
        </a>
        .
      </p>
    </>
  );
}

const toFeed = (kind: string, { crawler, section }: Choice): string =>
  href(`/api/v1/changes/${kind}`, { crawler, section });

const Sections = ({ value, choice }: { value: ChangesDto; choice: Choice }): JSX.Element => (
  <Panel title="By section">
    <Table name="Changes by section" headers={['Section', 'New', 'Changed', 'Gone']}>
      {value.sections.map(({ section, counts }) => (
        <tr key={section}>
          <td class="url-cell">
            <a class="url" href={href('/changes', { ...choice, section })}>
              {section}
            </a>
          </td>
          <td>{formatCount(counts.new)}</td>
          <td>{formatCount(counts.changed)}</td>
          <td>{formatCount(counts.gone)}</td>
        </tr>
      ))}
    </Table>
  </Panel>
);

const Reasons = ({ value }: { value: ChangesDto }): JSX.Element => (
  <Panel title="By reason">
    <Table name="Changes by reason" headers={['Change', 'Reason', 'Documents']}>
      {value.reasons.map(({ change, reason, count }) => (
        <tr key={`${change} ${reason}`}>
          <td>{CHANGES[change]}</td>
          <td>
            <Reason code={reason} />
          </td>
          <td>{formatCount(count)}</td>
        </tr>
      ))}
    </Table>
  </Panel>
);

const Documents = ({ choice, documents }: Pick<ChangesDto, 'documents'> & { choice: Choice }): JSX.Element => (
  <Panel title="Documents, newest first">
    <Table name="Changed documents" headers={['Change', 'Document', 'Reason', 'When']}>
      {documents.map(({ uri, title, change, reason, at, order }) => (
        <tr key={order}>
          <td>{CHANGES[change]}</td>
          <td class="url-cell">
            {title && <p>{title}</p>}
            <UrlLink crawler={choice.crawler} url={uri} />
            {change === 'changed' && (
              <p>
                <a href={href('/changes', { ...choice, compare: uri })}>Difference</a>
              </p>
            )}
          </td>
          <td>
            <Reason code={reason} />
          </td>
          <td>
            <Time at={at} relative />
          </td>
        </tr>
      ))}
    </Table>
  </Panel>
);

/** What the text of one document was before and after its changes. */
function Comparison({ crawler, url, since }: { crawler: string; url: string; since: string }): JSX.Element {
  const changes = useResource(`texts ${crawler} ${url}`, (signal) =>
    call('GET /api/v1/changes/text', { query: { crawler, url }, signal }),
  );
  return (
    <>
      <PageHead title="Difference">
        How the text of <UrlLink crawler={crawler} url={url} /> has changed.{' '}
        <a href={href('/changes', { crawler, since })}>All changes</a>
      </PageHead>
      <ResourceView resource={changes}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState>
              No change of this document is kept. Texts are kept for crawlers with KeepTexts in the configuration, from
              then on.
            </EmptyState>
          ) : (
            items.map(({ at, before, after, isCut }) => (
              <Panel key={at} title="Changed" aside={<Time at={at} />}>
                {before === undefined && (
                  <p class="notice">The text before is not known: no sink could be asked for it.</p>
                )}
                {isCut && <p class="notice">Only the beginning of each text is kept and compared.</p>}
                <TextDifference before={toSentences(before ?? '')} after={toSentences(after)} language="plain" />
              </Panel>
            ))
          )
        }
      </ResourceView>
    </>
  );
}

const toSentences = (text: string): string => text.replaceAll(/(?<=[.!?…])\s+/g, '\n');
