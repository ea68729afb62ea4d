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
import { type CrawlSettings, getDomain, getFolder } from './crawl-draft.js';

interface PreviewProps {
  readonly settings: CrawlSettings;
  readonly page: PageViewDto;
  readonly onBack: () => void;
  /** Previews a different page with the same settings. */
  readonly onPreviewOther: (url: URL) => Promise<void>;
  readonly onCrawl: () => Promise<void>;
}

/** Maximum number of links shown per group. */
const MAX_LINKS_SHOWN = 25;

/** Shows the first page and its links, judged by the rules that the crawl would use. Nothing has been saved yet. */
export function FirstPagePreview({ settings, page, onBack, onPreviewOther, onCrawl }: PreviewProps): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const runAction = async (action: () => Promise<void>): Promise<void> => {
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
    <Panel title={settings.url.href} aside={`crawler ${settings.name}`}>
      <div class="stack">
        <p class="row">
          <OutcomeBadge code={outcome} /> {status !== undefined && `HTTP ${status}`} <strong>{title}</strong>
        </p>
        {outcome === 'document' ? <Links links={page.links} settings={settings} /> : <NoDocument page={page} />}
        {target && (
          <p>
            <button
              type="button"
              class="button"
              disabled={busy}
              onClick={() => runAction(() => onPreviewOther(target))}
            >
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
        <button type="button" class="button primary" disabled={busy} onClick={() => runAction(startCrawl)}>
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
        {describeRobots(robots)} Crawlway obeys it: this page would not be fetched, and its links would not be found.
      </p>
    );
  if (outcome === 'robots-unreachable')
    return (
      <p class="notice bad">
        robots.txt could not be read{detail ? ` (${detail})` : ''}. Until it can be read, nothing is fetched from the
        site.
      </p>
    );
  const explanation = target === undefined ? detail && `: ${detail}` : `: it redirects to ${target}`;
  return (
    <p class="notice warn">
      The first page did not return a document{explanation}. Go back and check the address, or start anyway.
    </p>
  );
}

const describeRobots = (robots: RobotsOpinionDto | undefined): string =>
  robots?.line === undefined
    ? 'robots.txt forbids it.'
    : `robots.txt disallows it for ${robots.agent}, in line ${robots.line}: ${robots.rule}.`;

const wouldBeCrawled = ({ explanation, robots }: LinkDto): boolean =>
  explanation.verdict.accepted && robots?.state !== 'disallowed';

/** Explains why a link is refused: in terms of the chosen scope if the link is outside it. */
function explainRefusal({ explanation: { verdict }, robots }: LinkDto, { scope, url }: CrawlSettings): string {
  if (verdict.accepted) return describeRobots(robots);
  if (verdict.reason !== 'not-accepted' && verdict.reason !== 'outside-site') return verdict.meaning;
  const scopeNames = {
    site: `the site ${url.host}`,
    folder: `the folder ${getFolder(url)}`,
    domain: `the domain ${getDomain(url)}`,
  };
  return `Outside ${scopeNames[scope]}, which you chose.`;
}

function Links({ links, settings }: { links: readonly LinkDto[]; settings: CrawlSettings }): JSX.Element {
  const acceptedLinks = links.filter(wouldBeCrawled);
  const refusedByReason = Map.groupBy(
    links.filter((link) => !wouldBeCrawled(link)),
    (link) => explainRefusal(link, settings),
  );
  return (
    <>
      <p>
        {formatPlural(links.length, 'link')} on the first page: <strong>{acceptedLinks.length} would be crawled</strong>
        , {links.length - acceptedLinks.length} not.
      </p>
      {/* Refused links come first, because these need the user's attention. */}
      <div class="stack sample fates">
        {[...refusedByReason].map(([reason, refusedLinks]) => (
          <Group key={reason} accepted={false} links={refusedLinks}>
            <Prose text={reason} />
          </Group>
        ))}
        {acceptedLinks.length > 0 && (
          <Group accepted links={acceptedLinks}>
            Would be crawled.
          </Group>
        )}
      </div>
    </>
  );
}

interface GroupProps {
  readonly accepted: boolean;
  readonly links: readonly LinkDto[];
  /** What happens to the links, and why. */
  readonly children: ComponentChildren;
}

const Group = ({ accepted, links, children }: GroupProps): JSX.Element => (
  <div>
    <p class="row">
      <Badge tone={accepted ? 'good' : 'bad'}>{accepted ? 'yes' : 'no'}</Badge>
      <strong>{formatPlural(links.length, 'link')}</strong> <span class="muted">{children}</span>
    </p>
    <ul class="tree">
      {links.slice(0, MAX_LINKS_SHOWN).map(({ kind, url }) => (
        <li key={`${kind} ${url}`} class="leaf">
          <span class="url">{url}</span>
        </li>
      ))}
    </ul>
    {links.length > MAX_LINKS_SHOWN && <p class="muted">and {links.length - MAX_LINKS_SHOWN} more</p>}
  </div>
);
