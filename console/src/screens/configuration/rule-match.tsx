import type { JSX } from 'preact';
import type { RuleMatchDto } from '../../api/schema.js';

interface MatchProps {
  readonly match: readonly RuleMatchDto[];
  readonly onChange: (match: readonly RuleMatchDto[]) => void;
}

/** The tests that the form offers, each with the element, field and kind that it represents. */
const TESTS: Readonly<Record<string, Omit<RuleMatchDto, 'value' | 'litteral'>>> = {
  'URL begins with': { element: 'Atom', field: 'url', kind: 'prefix' },
  'URL contains': { element: 'Atom', field: 'url', kind: 'inside' },
  'URL ends with': { element: 'Atom', field: 'url', kind: 'suffix' },
  'URL is': { element: 'Atom', field: 'url', kind: 'exact' },
  'host is': { element: 'Atom', field: 'host', kind: 'exact' },
  'host is the domain or a subdomain of it': { element: 'Domain' },
  'path begins with': { element: 'Atom', field: 'path', kind: 'prefix' },
  'path contains': { element: 'Atom', field: 'path', kind: 'inside' },
  'path ends with': { element: 'Atom', field: 'path', kind: 'suffix' },
  'file extension is': { element: 'Ext' },
  'query contains': { element: 'Atom', field: 'query', kind: 'inside' },
  'URL length is in [from:to]': { element: 'Length', field: 'url' },
};

const findTestName = ({ element, field, kind }: RuleMatchDto): string | undefined =>
  Object.entries(TESTS).find(
    ([, test]) => test.element === element && (test.field ?? field) === field && (test.kind ?? kind) === kind,
  )?.[0];

export function MatchFields({ match, onChange }: MatchProps): JSX.Element {
  const replaceCondition = (index: number, replacement: RuleMatchDto): void => onChange(match.with(index, replacement));
  return (
    <fieldset class="fieldset">
      <legend>For URLs that match all of these conditions</legend>
      <div class="stack">
        {match.map((condition, index) => (
          <ConditionFields
            key={index}
            condition={condition}
            onChange={(replacement) => replaceCondition(index, replacement)}
            onRemove={() => onChange(match.toSpliced(index, 1))}
          />
        ))}
        <div class="row">
          <button
            type="button"
            class="button small"
            onClick={() =>
              onChange([...match, { element: 'Atom', field: 'path', kind: 'prefix', litteral: true, value: '' }])
            }
          >
            Add a condition
          </button>
        </div>
      </div>
    </fieldset>
  );
}

interface ConditionProps {
  readonly condition: RuleMatchDto;
  readonly onChange: (replacement: RuleMatchDto) => void;
  readonly onRemove: () => void;
}

function ConditionFields({ condition, onChange, onRemove }: ConditionProps): JSX.Element {
  const currentTest =
    findTestName(condition) ?? `${condition.element} ${condition.field ?? ''} ${condition.kind ?? ''}`.trim();
  const chooseTest = (name: string): void => {
    const test = TESTS[name];
    if (test)
      onChange({
        ...test,
        norm: condition.norm,
        value: condition.value,
        litteral: test.element === 'Length' ? undefined : condition.litteral,
      });
  };
  return (
    <div class="row">
      <select aria-label="Test" value={currentTest} onChange={(event) => chooseTest(event.currentTarget.value)}>
        {!(currentTest in TESTS) && <option value={currentTest}>{currentTest}</option>}
        {Object.keys(TESTS).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <input
        aria-label="Value"
        class="mono grow-input"
        required
        spellcheck={false}
        value={condition.value ?? ''}
        onInput={(event) => onChange({ ...condition, value: event.currentTarget.value })}
      />
      {condition.element !== 'Length' && (
        <label class="check">
          <input
            type="checkbox"
            checked={!condition.litteral}
            onChange={(event) => onChange({ ...condition, litteral: event.currentTarget.checked ? undefined : true })}
          />
          regular expression
        </label>
      )}
      <button type="button" class="button small" aria-label="Remove this condition" onClick={onRemove}>
        ✕
      </button>
    </div>
  );
}
