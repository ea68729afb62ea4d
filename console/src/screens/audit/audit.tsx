/** Who changed what, newest first. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { AuditEntryDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { href, useRoute } from '../../state/route.js';
import { useSession } from '../../state/session.js';
import { EmptyState, ResourceView } from '../../ui/answers.js';
import { NextPage } from '../../ui/next-page.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { describeAction } from './action-words.js';

export function Audit(): JSX.Element {
  const cursor = useRoute().query.get('cursor') ?? undefined;
  const entries = useResource(`audit ${cursor ?? ''}`, (signal) =>
    call('GET /api/v1/audit', { query: { cursor }, signal }),
  );
  return (
    <>
      <PageHead title="Audit log">Every call that changed something or was refused, newest first.</PageHead>
      <ResourceView resource={entries}>
        {({ items, next }) => (
          <Panel title="Changes">
            {items.length === 0 ? <EmptyState>Nothing has been changed so far.</EmptyState> : <Rows items={items} />}
            <NextPage next={next}>Older</NextPage>
          </Panel>
        )}
      </ResourceView>
    </>
  );
}

const Rows = ({ items }: { items: readonly AuditEntryDto[] }): JSX.Element => (
  <Table name="Audit log" headers={['When', 'Who', 'What', 'Call', 'Result', 'Before and after']}>
    {items.map(({ id, at, who, what, target, outcome, before, after }) => (
      <tr key={id}>
        <td>
          <Time at={at} />
        </td>
        <td>{who}</td>
        <td>{describeAction(what)}</td>
        <td class="url-cell mono">{target}</td>
        <td>{outcome}</td>
        <td>
          {describeChange(before, after)} <DifferenceLink {...{ before, after }} />
        </td>
      </tr>
    ))}
  </Table>
);

/** Leads to the difference between two versions of the configuration. */
function DifferenceLink({ before, after }: Pick<AuditEntryDto, 'before' | 'after'>): JSX.Element | null {
  const isLimited = useSession().crawlers !== undefined;
  const [from, to] = [parseFields(before), parseFields(after)].map(({ version }) => version);
  if (isLimited || typeof from !== 'number' || typeof to !== 'number') return null;
  return (
    <a
      href={href('/configuration', { view: 'history', version: String(from), to: String(to) })}
      aria-label={`Difference between version ${from} and version ${to}`}
    >
      Difference
    </a>
  );
}

/** What was changed, as far as the entry says: `version 1 → 2`. */
function describeChange(before: string | undefined, after: string | undefined): string {
  const [from, to] = [parseFields(before), parseFields(after)];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .map((name) => {
      const values = [...new Set([from[name], to[name]].filter((value) => value !== undefined).map(formatValue))];
      return `${name} ${values.join(' → ')}`.trim();
    })
    .join(', ');
}

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The values are JSON; anything else is shown unchanged. */
function parseFields(text: string | undefined): Readonly<Record<string, unknown>> {
  if (!text) return {};
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : { '': value };
  } catch {
    return { '': text };
  }
}
