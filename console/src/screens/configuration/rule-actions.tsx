import type { JSX } from 'preact';
import type { RuleActionDto } from '../../api/schema.js';

interface ActionProps {
  readonly actions: readonly RuleActionDto[];
  readonly onChange: (actions: readonly RuleActionDto[]) => void;
}

/** Aspects that a rule turns on, turns off, or leaves to other rules. */
const ASPECTS = [
  { label: 'Crawl', yes: 'Accept', no: 'Ignore' },
  { label: 'Index', yes: 'Index', no: 'NoIndex' },
  { label: 'Follow links', yes: 'Follow', no: 'NoFollow' },
] as const;

const SHIFTS = ['-2', '-1', '0', '1', '2'] as const;

export function ActionFields({ actions, onChange }: ActionProps): JSX.Element {
  const omitActions = (...elements: readonly string[]): RuleActionDto[] =>
    actions.filter(({ element }) => !elements.includes(element));
  const setAction = (elements: readonly string[], action: RuleActionDto | undefined): void =>
    onChange(action ? [...omitActions(...elements), action] : omitActions(...elements));
  const findAction = (elementName: string): RuleActionDto | undefined =>
    actions.find(({ element }) => element === elementName);
  return (
    <fieldset class="fieldset">
      <legend>Do this</legend>
      <div class="filters row">
        {ASPECTS.map(({ label, yes, no }) => (
          <div class="field" key={label}>
            <label for={`action-${yes}`}>{label}</label>
            <select
              id={`action-${yes}`}
              value={findAction(yes) ? yes : findAction(no) ? no : ''}
              onChange={({ currentTarget: { value } }) =>
                setAction(
                  [yes, no],
                  [yes, no].map((element) => ({ element })).find(({ element }) => element === value),
                )
              }
            >
              <option value="">as set by other rules</option>
              <option value={yes}>yes</option>
              <option value={no}>no</option>
            </select>
          </div>
        ))}
        <div class="field">
          <label for="action-priority">Priority</label>
          <select
            id="action-priority"
            value={findAction('Priority')?.shift?.toString() ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setAction(['Priority'], value ? { element: 'Priority', shift: Number(value) } : undefined)
            }
          >
            <option value="">as set by other rules</option>
            {SHIFTS.map((shift) => (
              <option key={shift} value={shift}>
                {shift === '-2' ? '-2 (highest)' : shift === '2' ? '2 (lowest)' : shift}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="action-source">Push under the source</label>
          <input
            id="action-source"
            value={findAction('Source')?.name ?? ''}
            onInput={({ currentTarget: { value } }) =>
              setAction(['Source'], value ? { element: 'Source', name: value } : undefined)
            }
          />
        </div>
      </div>
      <MetaFields actions={actions} onChange={onChange} />
    </fieldset>
  );
}

function MetaFields({ actions, onChange }: ActionProps): JSX.Element {
  const change = (index: number, changes: Partial<RuleActionDto>): void =>
    onChange(actions.map((action, i) => (i === index ? { ...action, ...changes } : action)));
  return (
    <div class="stack metas">
      {actions.map((action, index) =>
        action.element === 'AddMeta' ? (
          <div class="row" key={index}>
            <input
              aria-label="Name of the meta"
              placeholder="name"
              required
              value={action.name ?? ''}
              onInput={(event) => change(index, { name: event.currentTarget.value })}
            />
            <input
              aria-label="Value of the meta"
              placeholder="value"
              value={action.value ?? ''}
              onInput={(event) => change(index, { value: event.currentTarget.value })}
            />
            <button
              type="button"
              class="button small"
              aria-label="Remove this meta"
              onClick={() => onChange(actions.filter((_action, i) => i !== index))}
            >
              ✕
            </button>
          </div>
        ) : null,
      )}
      <button
        type="button"
        class="button small"
        onClick={() => onChange([...actions, { element: 'AddMeta', name: '', value: '' }])}
      >
        Add a meta
      </button>
    </div>
  );
}
