/** What can be done with the index of a search sink: its alias is moved to it or back, and documents of others are replaced. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { SinkAdoptionDto, SinkDto, SinkSwitchDto } from '../../api/schema.js';
import { ConfirmDialog } from '../../ui/dialog.js';
import { formatCount, formatPlural } from '../../ui/format.js';

/** Types of sinks whose documents have no other id than their URL. */
const KEYED_BY_URI: ReadonlySet<string> = new Set(['papi', 'postgresql']);

type Action = 'switch' | 'rollback' | 'adopt';

export function IndexActions({ sink: { name, type, alias, adoptable } }: { sink: SinkDto }): JSX.Element | null {
  const [chosen, setChosen] = useState<Action>();
  const [moved, setMoved] = useState<SinkSwitchDto>();
  const [adoption, setAdoption] = useState<SinkAdoptionDto>();
  const [field, setField] = useState('url');
  const fieldId = useId();
  if (alias === undefined && !adoptable) return null;
  const hasUrlField = !KEYED_BY_URI.has(type);
  const close = (): void => setChosen(undefined);
  const move = async (rollback: boolean): Promise<void> =>
    setMoved(await call('POST /api/v1/sinks/{sink}/switch', { path: { sink: name }, query: { rollback } }));
  return (
    <>
      <div class="actions">
        {alias !== undefined && (
          <>
            <button type="button" class="button" onClick={() => setChosen('switch')}>
              Switch the alias…
            </button>
            <button type="button" class="button" onClick={() => setChosen('rollback')}>
              Roll back…
            </button>
          </>
        )}
        {adoptable && (
          <button type="button" class="button" onClick={() => setChosen('adopt')}>
            Replace documents of others…
          </button>
        )}
      </div>
      {moved && (
        <p class="notice good" role="status">
          The alias {moved.alias} was moved from {moved.from.join(', ') || 'nothing'} to {moved.to.join(', ')}
          {moved.compared > 0 && ` (${formatPlural(moved.compared, 'document')} compared)`}.
        </p>
      )}
      {adoption && <AdoptionResult adoption={adoption} />}
      {chosen === 'switch' && (
        <ConfirmDialog
          title={`Switch ${alias}`}
          action="Compare and switch"
          onConfirm={() => move(false)}
          onClose={close}
        >
          <p>
            The index of the sink is compared with the store. If nothing is missing or out of date, searches through{' '}
            {alias} find its documents from then on.
          </p>
        </ConfirmDialog>
      )}
      {chosen === 'rollback' && (
        <ConfirmDialog
          title={`Roll back ${alias}`}
          action="Move it back"
          danger
          onConfirm={() => move(true)}
          onClose={close}
        >
          <p>
            Searches through {alias} find the documents of the index where it was before. That index gets deletions, but
            nothing new.
          </p>
        </ConfirmDialog>
      )}
      {chosen === 'adopt' && (
        <ConfirmDialog
          title={`Replace documents of others in ${name}`}
          action="Replace them"
          danger
          ready={!hasUrlField || field.trim() !== ''}
          onConfirm={async () =>
            setAdoption(
              await call('POST /api/v1/sinks/{sink}/adopt', { path: { sink: name }, query: { field: field.trim() } }),
            )
          }
          onClose={close}
        >
          <p>
            Documents that another program has put into the index are replaced as soon as the sink has one of its own
            for the same page. Pages that are not crawled yet are visited first, if the rules accept them.
          </p>
          {hasUrlField && (
            <div class="field">
              <label for={fieldId}>Field with the URL of their documents</label>
              <input id={fieldId} value={field} onInput={({ currentTarget }) => setField(currentTarget.value)} />
            </div>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

const AdoptionResult = ({
  adoption: { found, replaced, waiting, kept },
}: {
  adoption: SinkAdoptionDto;
}): JSX.Element => (
  <div class="notice good" role="status">
    <p>
      {formatPlural(found, 'document')} of another program: {formatCount(replaced)} replaced, {formatCount(waiting)}{' '}
      wait for a visit, {formatCount(kept.count)} kept.
    </p>
    {kept.samples.length > 0 && (
      <ul>
        {kept.samples.map((uri) => (
          <li key={uri} class="url">
            {uri}
          </li>
        ))}
      </ul>
    )}
  </div>
);
