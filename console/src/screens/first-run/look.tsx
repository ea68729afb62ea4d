import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiProblem, call } from '../../api/client.js';
import type { LinkDto } from '../../api/schema.js';
import { asProblem, useResource } from '../../state/resource.js';
import { Failure, Loaded } from '../../ui/answers.js';
import { plural } from '../../ui/format.js';
import { say } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { Prose } from '../../ui/prose.js';
import { Badge, Outcome } from '../../ui/status.js';
import type { CrawlWish } from './crawl-draft.js';

interface LookProps {
  readonly wish: CrawlWish;
  readonly onBack: () => Promise<void>;
  readonly onCrawl: () => Promise<void>;
}

const SHOWN = 50;

/** The first page is fetched and its links are judged by the very rules that will be crawled with. */
export function Look({ wish, onBack, onCrawl }: LookProps): JSX.Element {
  const page = useResource(`look ${wish.name} ${wish.url.href}`, (signal) =>
    call('GET /api/v1/crawlers/{crawler}/page', {
      path: { crawler: wish.name },
      query: { url: wish.url.href },
      signal,
    }),
  );
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const run = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await action();
      say('The configuration is written.');
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return (
    <Panel title={wish.url.href} aside={`crawler ${wish.name}`}>
      <Loaded of={page}>
        {({ outcome, status, title, detail, links }) => (
          <div class="stack">
            <p class="row">
              <Outcome code={outcome} /> {status !== undefined && `HTTP ${status}`} <strong>{title}</strong>
            </p>
            {outcome === 'document' ? (
              <Links links={links} />
            ) : (
              <p class="notice warn">
                The first page did not come as a document{detail ? `: ${detail}` : ''}. Go back and check the address,
                or start anyway.
              </p>
            )}
          </div>
        )}
      </Loaded>
      {problem && <Failure problem={problem} />}
      {problem?.status === 412 && (
        <p class="muted">The crawler {wish.name} stays in the configuration, with nothing to crawl.</p>
      )}
      <footer class="actions end">
        <button type="button" class="button" disabled={busy} onClick={() => run(onBack)}>
          Back
        </button>
        <button type="button" class="button primary" disabled={busy || !page.value} onClick={() => run(onCrawl)}>
          Start crawling
        </button>
      </footer>
    </Panel>
  );
}

function Links({ links }: { links: readonly LinkDto[] }): JSX.Element {
  // What is left out is what a person has to see.
  const accepted = ({ explanation }: LinkDto): number => Number(explanation.verdict.accepted);
  const inOrder = [...links].sort((a, b) => accepted(a) - accepted(b));
  const taken = links.filter(({ explanation }) => explanation.verdict.accepted);
  return (
    <>
      <p>
        {plural(links.length, 'link')} on the first page: <strong>{taken.length} would be crawled</strong>,{' '}
        {links.length - taken.length} not.
      </p>
      <ul class="tree sample">
        {inOrder.slice(0, SHOWN).map(({ url, kind, explanation: { verdict } }) => (
          <li key={`${kind} ${url}`} class="leaf">
            <Badge tone={verdict.accepted ? 'good' : 'bad'}>{verdict.accepted ? 'yes' : 'no'}</Badge>
            <span class="url">{url}</span>
            {!verdict.accepted && (
              <span class="muted">
                <Prose text={verdict.meaning} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {links.length > SHOWN && <p class="muted">and {links.length - SHOWN} more</p>}
    </>
  );
}
