/** As in FDSE, fetches a page and shows the verdict on each link, so that the user can choose which links to queue. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { LinkDto, PageViewDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { href } from '../../state/route.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { formatPlural } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { Reason } from '../../ui/reasons.js';
import { Badge, OutcomeBadge, StateBadge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { PlaceLink } from '../../ui/verdict.js';
import { QueueButton } from './queue-urls.js';
import { PageReading } from './reading.js';
import { RenderingPanel } from './rendered.js';

const MAX_LINKS_SHOWN = 500;

interface LinksProps {
  readonly crawler: string;
  readonly url: string;
  /** Whether the page's scripts run. */
  readonly render?: boolean;
}

export function LinksOfPage({ crawler, url, render = false }: LinksProps): JSX.Element {
  const page = useResource(`page ${crawler} ${url} ${render}`, (signal) =>
    call('GET /api/v1/crawlers/{crawler}/page', {
      path: { crawler },
      query: { url, ...(render ? { render } : {}) },
      signal,
    }),
  );
  return (
    <ResourceView resource={page}>
      {(view) => (
        <>
          {view.rendering && <RenderingPanel view={view} rendering={view.rendering} />}
          {view.reading && <PageReading reading={view.reading} />}
          <Page crawler={crawler} view={view} onQueued={page.reload} />
        </>
      )}
    </ResourceView>
  );
}

interface PageProps {
  readonly crawler: string;
  readonly view: PageViewDto;
  readonly onQueued: () => void;
}

function Page({ crawler, view, onQueued }: PageProps): JSX.Element {
  const [chosenUrls, setChosenUrls] = useState<ReadonlySet<string>>(new Set());
  const acceptedLinks = view.links.filter(({ explanation }) => explanation.verdict.accepted);
  const toggle = (url: string): void => setChosenUrls((previous) => previous.symmetricDifference(new Set([url])));
  const chooseNewLinks = (): void =>
    setChosenUrls(new Set(acceptedLinks.filter(({ state }) => !state).map(({ url }) => url)));
  return (
    <Panel
      title="Links of the page"
      aside={
        <>
          <span>
            {formatPlural(view.links.length, 'link')}: {acceptedLinks.length} would be accepted,{' '}
            {view.links.length - acceptedLinks.length} not
          </span>
          <button type="button" class="button" onClick={chooseNewLinks}>
            Choose all new ones
          </button>
          <QueueButton crawler={crawler} urls={[...chosenUrls]} onDone={onQueued} />
        </>
      }
    >
      <p class="row">
        <OutcomeBadge code={view.outcome} /> {view.status !== undefined && `HTTP ${view.status}`}
        {view.title && <strong>{view.title}</strong>}
        {view.detail && <span>{view.detail}</span>}
      </p>
      {view.links.length === 0 ? (
        <EmptyState>
          {view.rendering
            ? 'No links were found.'
            : 'No links were found. Scripts are not run, so links created by scripts are not found.'}
        </EmptyState>
      ) : (
        <LinkTable
          crawler={crawler}
          pageUrl={view.url}
          links={view.links.slice(0, MAX_LINKS_SHOWN)}
          chosenUrls={chosenUrls}
          toggle={toggle}
        />
      )}
      {view.links.length > MAX_LINKS_SHOWN && <p class="muted">The first {MAX_LINKS_SHOWN} links are shown.</p>}
    </Panel>
  );
}

interface TableProps {
  readonly crawler: string;
  readonly pageUrl: string;
  readonly links: readonly LinkDto[];
  readonly chosenUrls: ReadonlySet<string>;
  readonly toggle: (url: string) => void;
}

const LinkTable = ({ crawler, pageUrl, links, chosenUrls, toggle }: TableProps): JSX.Element => (
  <Table
    name={<>Links of {pageUrl}</>}
    headers={[{ label: 'Choose', hidden: true }, 'Link', 'Kind', 'Would be', 'Why', 'Known as']}
  >
    {links.map(({ url, kind, explanation: { verdict }, state, onlyRendered }) => (
      <tr key={`${kind} ${url}`}>
        <td>
          <input
            type="checkbox"
            aria-label={`Choose ${url}`}
            checked={chosenUrls.has(url)}
            disabled={!verdict.accepted}
            onChange={() => toggle(url)}
          />
        </td>
        <td class="url-cell">
          <a class="url" href={href('/try', { crawler, url, from: pageUrl })}>
            {url}
          </a>
        </td>
        <td>
          {kind}
          {onlyRendered && ', created by scripts'}
        </td>
        <td>
          <Badge tone={verdict.accepted ? 'good' : 'bad'}>{verdict.accepted ? 'accepted' : 'rejected'}</Badge>
        </td>
        <td>
          {verdict.accepted ? (verdict.detail ?? '') : <Reason code={verdict.reason} />}{' '}
          <PlaceLink place={verdict.place} crawler={crawler} />
        </td>
        <td>{state ? <StateBadge name={state.status} /> : <span class="muted">new</span>}</td>
      </tr>
    ))}
  </Table>
);
