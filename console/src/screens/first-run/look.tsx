import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiProblem } from '../../api/client.js';
import type { LinkDto, PageViewDto, RobotsOpinionDto } from '../../api/schema.js';
import { toApiProblem } from '../../state/resource.js';
import { Failure } from '../../ui/answers.js';
import { formatPlural } from '../../ui/format.js';
import { showNotice } from '../../ui/notices.js';
import { Panel } from '../../ui/panel.js';
import { Prose } from '../../ui/prose.js';
import { Badge, OutcomeBadge } from '../../ui/status.js';
import { type CrawlWish, getDomain, getFolder } from './crawl-draft.js';

interface PreviewProps {
  readonly wish: CrawlWish;
  readonly page: PageViewDto;
  readonly onBack: () => void;
  /** Previews a different page, with everything else unchanged. */
  readonly onOther: (url: URL) => Promise<void>;
  readonly onCrawl: () => Promise<void>;
}

/** Maximum number of links shown per group. */
const SHOWN = 25;

/** Shows the first page and its links, judged by the rules that the crawl will use; nothing has been saved yet. */
export function FirstPagePreview({ wish, page, onBack, onOther, onCrawl }: PreviewProps): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const run = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      setProblem(toApiProblem(error));
    }
    setBusy(false);
  };
  const startCrawl = async (): Promise<void> => {
    await onCrawl();
    showNotice('The configuration was saved.');
  };
  const { outcome, status, title } = page;
  const target = page.target === undefined ? undefined : (URL.parse(page.target) ?? undefined);
  return (
    <Panel title={wish.url.href} aside={`crawler ${wish.name}`}>
      <div class="stack">
        <p class="row">
          <OutcomeBadge code={outcome} /> {status !== undefined && `HTTP ${status}`} <strong>{title}</strong>
        </p>
        {outcome === 'document' ? <Links links={page.links} wish={wish} /> : <NoDocument page={page} />}
        {target && (
          <p>
            <button type="button" class="button" disabled={busy} onClick={() => run(() => onOther(target))}>
              Start at {target.href} instead
            </button>
          </p>
        )}
      </div>
      {problem && <Failure problem={problem} />}
      <footer class="actions end">
        <button type="button" class="button" disabled={busy} onClick={onBack}>
          Back
        </button>
        <button type="button" class="button primary" disabled={busy} onClick={() => run(startCrawl)}>
          Start crawling
        </button>
      </footer>
    </Panel>
  );
}

function NoDocument({ page: { outcome, detail, target, robots } }: { page: PageViewDto }): JSX.Element {
  if (outcome === 'robots-disallowed')
    return (
      <p class="notice bad">
        {robotsText(robots)} Crawlway obeys it: this page would not be fetched, and its links would not be found.
      </p>
    );
  if (outcome === 'robots-unreachable')
    return (
      <p class="notice bad">
        robots.txt cannot be read{detail ? ` (${detail})` : ''}. Until it can be read, nothing is fetched from the site.
      </p>
    );
  const words = target === undefined ? detail && `: ${detail}` : `: it redirects to ${target}`;
  return (
    <p class="notice warn">
      The first page did not return a document{words}. Go back and check the address, or start anyway.
    </p>
  );
}

const robotsText = (robots: RobotsOpinionDto | undefined): string =>
  robots?.line === undefined
    ? 'robots.txt forbids it.'
    : `robots.txt disallows it for ${robots.agent}, in line ${robots.line}: ${robots.rule}.`;

const wouldBeCrawled = ({ explanation, robots }: LinkDto): boolean =>
  explanation.verdict.accepted && robots?.state !== 'disallowed';

/** Says why a link is refused in the words of the guide, which wrote the rules. */
function refusalText({ explanation: { verdict }, robots }: LinkDto, { scope, url }: CrawlWish): string {
  if (verdict.accepted) return robotsText(robots);
  if (verdict.reason !== 'not-accepted' && verdict.reason !== 'outside-site') return verdict.meaning;
  const chosen = {
    site: `the site ${url.host}`,
    folder: `the folder ${getFolder(url)}`,
    domain: `the domain ${getDomain(url)}`,
  };
  return `Outside ${chosen[scope]}, which you chose.`;
}

function Links({ links, wish }: { links: readonly LinkDto[]; wish: CrawlWish }): JSX.Element {
  const taken = links.filter(wouldBeCrawled);
  const refused = Map.groupBy(
    links.filter((link) => !wouldBeCrawled(link)),
    (link) => refusalText(link, wish),
  );
  return (
    <>
      <p>
        {formatPlural(links.length, 'link')} on the first page: <strong>{taken.length} would be crawled</strong>,{' '}
        {links.length - taken.length} not.
      </p>
      {/* Excluded links come first, because these are what a person needs to see. */}
      <div class="stack sample fates">
        {[...refused].map(([why, some]) => (
          <Group key={why} taken={false} links={some}>
            <Prose text={why} />
          </Group>
        ))}
        {taken.length > 0 && (
          <Group taken links={taken}>
            Would be crawled.
          </Group>
        )}
      </div>
    </>
  );
}

interface GroupProps {
  readonly taken: boolean;
  readonly links: readonly LinkDto[];
  /** What happens to the links, and why. */
  readonly children: ComponentChildren;
}

const Group = ({ taken, links, children }: GroupProps): JSX.Element => (
  <div>
    <p class="row">
      <Badge tone={taken ? 'good' : 'bad'}>{taken ? 'yes' : 'no'}</Badge>
      <strong>{formatPlural(links.length, 'link')}</strong> <span class="muted">{children}</span>
    </p>
    <ul class="tree">
      {links.slice(0, SHOWN).map(({ kind, url }) => (
        <li key={`${kind} ${url}`} class="leaf">
          <span class="url">{url}</span>
        </li>
      ))}
    </ul>
    {links.length > SHOWN && <p class="muted">and {links.length - SHOWN} more</p>}
  </div>
);
