/** Who changed what, newest first. */
import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { AuditEntryDto } from '../../api/schema.js';
import { useResource } from '../../state/resource.js';
import { changeQuery, useRoute } from '../../state/route.js';
import { Empty, Loaded } from '../../ui/answers.js';
import { PageHead, Panel } from '../../ui/panel.js';
import { Scroll } from '../../ui/scroll.js';
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
            {items.length === 0 ? <Empty>Nothing was changed so far.</Empty> : <Table items={items} />}
            {next !== null && (
              <button type="button" class="button" onClick={() => changeQuery({ cursor: next })}>
                Older
              </button>
            )}
          </Panel>
        )}
      </Loaded>
    </>
  );
}

const Table = ({ items }: { items: readonly AuditEntryDto[] }): JSX.Element => (
  <Scroll>
    <table>
      <caption class="visually-hidden">Audit log</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Call</th>
          <th scope="col">Result</th>
          <th scope="col">Before and after</th>
        </tr>
      </thead>
      <tbody>
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
      </tbody>
    </table>
  </Scroll>
);
