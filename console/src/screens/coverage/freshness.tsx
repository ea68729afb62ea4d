import type { JSX } from 'preact';
import type { CoverageDto } from '../../api/schema.js';
import { href } from '../../state/route.js';
import { EmptyState } from '../../ui/answers.js';
import { Bar } from '../../ui/bar.js';
import { formatCount, formatPercent, formatPlural, formatSeconds } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';

/** Shows how long ago the indexed documents were visited. */
export function Freshness({ crawler, coverage }: { crawler: string; coverage: CoverageDto }): JSX.Element {
  const { ages, maximumAgeSeconds } = coverage;
  const total = ages.reduce((sum, { documents }) => sum + documents, 0);
  const largestCount = Math.max(1, ...ages.map(({ documents }) => documents));
  const shownAges = ages.slice(0, ages.findLastIndex(({ documents }) => documents > 0) + 1);
  return (
    <Panel
      title="Age of the index"
      aside={maximumAgeSeconds !== undefined && `maximum age ${formatSeconds(maximumAgeSeconds)}`}
    >
      {total === 0 ? (
        <EmptyState>Nothing is in the index yet.</EmptyState>
      ) : (
        <>
          <Summary crawler={crawler} coverage={coverage} total={total} />
          <table>
            <caption class="visually-hidden">Documents by the time since their last visit</caption>
            <thead>
              <tr>
                <th scope="col">Last visited</th>
                <th scope="col" class="number">
                  Documents
                </th>
                <th scope="col">
                  <span class="visually-hidden">Share</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shownAges.map(({ upToSeconds, documents }, i) => (
                <tr key={upToSeconds ?? 'rest'}>
                  <td class="nowrap">{formatAgeRange(ages[i - 1]?.upToSeconds, upToSeconds)}</td>
                  <td class="number">{formatCount(documents)}</td>
                  <td class="wide">
                    <Bar
                      share={documents / largestCount}
                      bad={isOlderThan(ages[i - 1]?.upToSeconds, maximumAgeSeconds)}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Panel>
  );
}

const isOlderThan = (from: number | undefined, maximum: number | undefined): boolean =>
  maximum !== undefined && from !== undefined && from >= maximum;

function formatAgeRange(from: number | undefined, upTo: number | undefined): string {
  if (from === undefined) return `within ${formatSeconds(upTo ?? 0)}`;
  return upTo === undefined
    ? `more than ${formatSeconds(from)} ago`
    : `${formatSeconds(from)} to ${formatSeconds(upTo)} ago`;
}

function Summary({ crawler, coverage, total }: { crawler: string; coverage: CoverageDto; total: number }): JSX.Element {
  const { ages, maximumAgeSeconds } = coverage;
  if (maximumAgeSeconds === undefined) {
    return (
      <p>
        {formatPlural(total, 'document')}. This crawler does not use smart refresh, so its documents have no maximum
        age.
      </p>
    );
  }
  const overdueCount = ages.reduce(
    (sum, { documents }, i) => (isOlderThan(ages[i - 1]?.upToSeconds, maximumAgeSeconds) ? sum + documents : sum),
    0,
  );
  return overdueCount === 0 ? (
    <p>
      {total === 1 ? 'The document was' : `All ${formatCount(total)} documents were`} visited within the maximum age of{' '}
      {formatSeconds(maximumAgeSeconds)}.
    </p>
  ) : (
    <p class="notice warn">
      {formatPlural(overdueCount, 'document')} ({formatPercent(overdueCount / total)}){' '}
      {overdueCount === 1 ? 'is' : 'are'} older than the maximum age of {formatSeconds(maximumAgeSeconds)}.{' '}
      <a href={href('/sources', { crawler })}>Sources</a> shows what is visited instead.
    </p>
  );
}
