import type { JSX } from 'preact';
import type { VisitDto } from '../../api/schema.js';
import { EmptyState } from '../../ui/answers.js';
import { formatBytes, formatSeconds } from '../../ui/format.js';
import { OutcomeBadge } from '../../ui/status.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';

export function Visits({ visits, awaitsSinks }: { visits: readonly VisitDto[]; awaitsSinks: boolean }): JSX.Element {
  if (visits.length === 0) {
    return (
      <EmptyState>
        {awaitsSinks
          ? 'The first fetch is recorded once the sinks have acknowledged its order.'
          : 'It has not been fetched yet.'}
      </EmptyState>
    );
  }
  return (
    <Table
      name="Fetches, newest first"
      headers={[
        'When',
        'Outcome',
        { label: 'HTTP', isNumber: true },
        { label: 'Took', isNumber: true },
        { label: 'Size', isNumber: true },
        'Content',
        'Details',
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
          <td>{describeContentChange(visit, visits[i + 1])}</td>
          <td>{visit.detail ?? ''}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Says whether the content changed, which is unknown for failed visits and for visits without a previous one. */
function describeContentChange({ changed, outcome }: VisitDto, previous: VisitDto | undefined): string {
  if (changed) return 'changed';
  if (!previous) return '–';
  return outcome === 'document' || outcome === 'unchanged' ? 'unchanged' : '–';
}
