/** Shows what a change would do to the stored URLs, with counts and samples, before it is saved. */
import type { JSX } from 'preact';
import type { PreviewCrawlerDto, PreviewDto, PreviewGroupDto } from '../../api/schema.js';
import { formatCount, formatPercent, formatPlural } from '../../ui/format.js';
import { Reason } from '../../ui/reasons.js';

const GROUPS = [
  ['newlyAccepted', 'would be crawled again'],
  ['excluded', 'would no longer be crawled'],
  ['documentsDeleted', 'documents would be removed from the index'],
  ['keptElsewhere', 'would be left to another crawler, with their documents kept'],
  ['changedSource', 'would move to another source'],
] as const;

export function Preview({ report }: { report: PreviewDto }): JSX.Element {
  const affectedCrawlers = report.crawlers.filter((crawler) => GROUPS.some(([group]) => crawler[group].count > 0));
  return (
    <div class="stack" data-preview>
      <p>
        {report.done
          ? `${formatPlural(report.judged, 'stored URL')} judged with the new configuration.`
          : `Judging: ${formatCount(report.judged)} of ${formatCount(report.total)} stored URLs…`}
      </p>
      {report.needsConfirmation.length > 0 && (
        <p class="notice bad" role="alert">
          More than 10 % of the documents of {report.needsConfirmation.join(', ')} would be removed from the index.
        </p>
      )}
      {report.done && affectedCrawlers.length === 0 && <p class="notice good">No stored URLs would be affected.</p>}
      {affectedCrawlers.map((crawler) => (
        <CrawlerPreview key={crawler.crawler} crawler={crawler} />
      ))}
    </div>
  );
}

const CrawlerPreview = ({ crawler }: { crawler: PreviewCrawlerDto }): JSX.Element => (
  <section class="stack" aria-label={crawler.crawler}>
    <h3>{crawler.crawler}</h3>
    {GROUPS.map(([group, label]) => (
      <PreviewGroup
        key={group}
        group={crawler[group]}
        label={group === 'documentsDeleted' ? appendShare(crawler, label) : label}
      />
    ))}
  </section>
);

const appendShare = ({ documentsDeleted, indexed }: PreviewCrawlerDto, label: string): string =>
  indexed > 0 ? `${label} (${formatPercent(documentsDeleted.count / indexed)} of ${formatCount(indexed)})` : label;

function PreviewGroup({ group, label }: { group: PreviewGroupDto; label: string }): JSX.Element | null {
  if (group.count === 0) return null;
  const hosts = Object.entries(group.byHost)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 5);
  return (
    <details open={group.count <= 10}>
      <summary>
        <strong>{formatCount(group.count)}</strong> {label}{' '}
        <span class="muted">{hosts.map(([host, count]) => `${host}: ${formatCount(count)}`).join(', ')}</span>
      </summary>
      <ul>
        {group.samples.map(({ url, reason }) => (
          <li key={url}>
            <span class="url">{url}</span> <Reason code={reason} />
          </li>
        ))}
      </ul>
    </details>
  );
}
