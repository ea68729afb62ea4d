import type { JSX } from 'preact';
import type { VisitDto } from '../../api/schema.js';
import { EmptyState } from '../../ui/answers.js';
import { formatBytes, formatSeconds } from '../../ui/format.js';
import { OutcomeBadge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';

export function Visits({ visits, awaits }: { visits: readonly VisitDto[]; awaits: boolean }): JSX.Element {
  if (visits.length === 0) {
    return (
      <EmptyState>
        {awaits
          ? 'The first fetch is recorded when the sinks have acknowledged its order.'
          : 'It has not been fetched yet.'}
      </EmptyState>
    );
  }
  return (
    <Table
      name="Fetches, newest first"
      heads={[
        'When',
        'Outcome',
        { label: 'HTTP', number: true },
        { label: 'Took', number: true },
        { label: 'Size', number: true },
        'Content',
        'Particulars',
      ]}
    >
      {visits.map((visit, i) => (
        <tr key={visit.at}>
          <td class="nowrap">
            <Time at={visit.at} />
          </td>
          <td>
            <OutcomeBadge code={visit.outcome} />
          </td>
          <td class="number">{visit.status ?? 'no response'}</td>
          <td class="number">{formatSeconds(visit.durationSeconds)}</td>
          <td class="number">{formatBytes(visit.bytes)}</td>
          <td>{contentText(visit, visits[i + 1])}</td>
          <td>{visit.detail ?? ''}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Says whether the content changed; unknown for a failed visit and for one without a previous visit. */
function contentText({ changed, outcome }: VisitDto, before: VisitDto | undefined): string {
  if (changed) return 'changed';
  if (!before) return '–';
  return outcome === 'document' || outcome === 'unchanged' ? 'unchanged' : '–';
}
