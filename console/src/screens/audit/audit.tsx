/** Who changed what, newest first. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { AuditEntryDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { useRoute } from '../../state/route.js';
import { Empty, Loaded } from '../../ui/answers.js';
import { NextPage } from '../../ui/next-page.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';

export function Audit(): JSX.Element {
  const cursor = useRoute().query.get('cursor') ?? undefined;
  const entries = useResource(`audit ${cursor ?? ''}`, (signal) =>
    call('GET /api/v1/audit', { query: { cursor }, signal }),
  );
  return (
    <>
      <PageHead title="Audit log">Every call that changed something or was refused, newest first.</PageHead>
      <Loaded of={entries}>
        {({ items, next }) => (
          <Panel title="Changes">
            {items.length === 0 ? <Empty>Nothing was changed so far.</Empty> : <Rows items={items} />}
            <NextPage next={next}>Older</NextPage>
          </Panel>
        )}
      </Loaded>
    </>
  );
}

const Rows = ({ items }: { items: readonly AuditEntryDto[] }): JSX.Element => (
  <Table name="Audit log" heads={['When', 'Who', 'What', 'Call', 'Result', 'Before and after']}>
    {items.map(({ id, at, who, what, target, outcome, before, after }) => (
      <tr key={id}>
        <td>
          <Time at={at} />
        </td>
        <td>{who}</td>
        <td>{what}</td>
        <td class="url-cell mono">{target}</td>
        <td>{outcome}</td>
        <td class="url-cell mono">{[before, after].filter(Boolean).join(' → ')}</td>
      </tr>
    ))}
  </Table>
);
