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
  const all = ages.reduce((sum, { documents }) => sum + documents, 0);
  const most = Math.max(1, ...ages.map(({ documents }) => documents));
  const shown = ages.slice(0, ages.findLastIndex(({ documents }) => documents > 0) + 1);
  return (
    <Panel
      title="Age of the index"
      aside={maximumAgeSeconds !== undefined && `maximum age ${formatSeconds(maximumAgeSeconds)}`}
    >
      {all === 0 ? (
        <EmptyState>Nothing is in the index yet.</EmptyState>
      ) : (
        <>
          <Summary crawler={crawler} coverage={coverage} all={all} />
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
              {shown.map(({ upToSeconds, documents }, i) => (
                <tr key={upToSeconds ?? 'rest'}>
                  <td class="nowrap">{rangeText(ages[i - 1]?.upToSeconds, upToSeconds)}</td>
                  <td class="number">{formatCount(documents)}</td>
                  <td class="wide">
                    <Bar share={documents / most} bad={isOlderThan(ages[i - 1]?.upToSeconds, maximumAgeSeconds)} />
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

function rangeText(from: number | undefined, upTo: number | undefined): string {
  if (from === undefined) return `within ${formatSeconds(upTo ?? 0)}`;
  return upTo === undefined
    ? `over ${formatSeconds(from)} ago`
    : `${formatSeconds(from)} to ${formatSeconds(upTo)} ago`;
}

function Summary({ crawler, coverage, all }: { crawler: string; coverage: CoverageDto; all: number }): JSX.Element {
  const { ages, maximumAgeSeconds } = coverage;
  if (maximumAgeSeconds === undefined) {
    return (
      <p>
        {formatPlural(all, 'document')}. This crawler does not use smart refresh, so its documents have no maximum age.
      </p>
    );
  }
  const over = ages.reduce(
    (sum, { documents }, i) => (isOlderThan(ages[i - 1]?.upToSeconds, maximumAgeSeconds) ? sum + documents : sum),
    0,
  );
  return over === 0 ? (
    <p>
      All {formatPlural(all, 'document')} were visited within the maximum age of {formatSeconds(maximumAgeSeconds)}.
    </p>
  ) : (
    <p class="notice warn">
      {formatPlural(over, 'document')} ({formatPercent(over / all)}) {over === 1 ? 'is' : 'are'} older than the maximum
      age of {formatSeconds(maximumAgeSeconds)}. <a href={href('/sources', { crawler })}>Sources</a> shows what is
      visited instead.
    </p>
  );
}
