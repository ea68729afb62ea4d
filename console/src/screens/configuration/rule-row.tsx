import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleActionDto, RuleDto, RuleMatchDto } from '../../api/schema.js';
import { Badge, type Tone } from '../../ui/status.js';
import { isPlainText, type RuleChange, SHORTCUT_LABELS } from './rule-text.js';

interface RowProps {
  readonly rule: RuleDto;
  /** Index of the last rule. */
  readonly lastIndex: number;
  readonly editable: boolean;
  readonly onEdit: () => void;
  readonly onChange: (change: RuleChange) => void;
}

/** A rule that can be dragged with the mouse, or moved with its two arrow buttons. */
export function RuleRow({ rule, lastIndex, editable, onEdit, onChange }: RowProps): JSX.Element {
  const { index, group, match, actions } = rule;
  const [isDragOver, setDragOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setDragOver(false);
    const from = Number(event.dataTransfer?.getData('text/plain'));
    if (Number.isInteger(from) && from !== index) onChange({ kind: 'move', from, to: index });
  };
  return (
    <li
      class={isDragOver ? 'rule over' : 'rule'}
      draggable={editable}
      onDragStart={(event) => event.dataTransfer?.setData('text/plain', String(index))}
      onDragOver={(event) => {
        event.preventDefault();
        setDragOver(true);
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={drop}
    >
      <span class="rule-number" title={`group ${group}`}>
        {index + 1}
      </span>
      <div class="rule-words">
        <span>
          {match.length === 0 ? 'every URL' : match.map(describeMatch).join(' and ')} <span aria-hidden="true">→</span>
        </span>
        <span class="row">
          {actions.map((action) => (
            <ActionBadge key={JSON.stringify(action)} action={action} />
          ))}
        </span>
      </div>
      {editable && (
        <div class="actions">
          <button
            type="button"
            class="button small"
            aria-label={`Move rule ${index + 1} up`}
            disabled={index === 0}
            onClick={() => onChange({ kind: 'move', from: index, to: index - 1 })}
          >
            ↑
          </button>
          <button
            type="button"
            class="button small"
            aria-label={`Move rule ${index + 1} down`}
            disabled={index === lastIndex}
            onClick={() => onChange({ kind: 'move', from: index, to: index + 1 })}
          >
            ↓
          </button>
          <button type="button" class="button small" aria-label={`Edit rule ${index + 1}`} onClick={onEdit}>
            Edit…
          </button>
          <button
            type="button"
            class="button small danger"
            aria-label={`Delete rule ${index + 1}`}
            onClick={() => onChange({ kind: 'delete', index })}
          >
            Delete…
          </button>
        </div>
      )}
    </li>
  );
}

const KIND_LABELS: Readonly<Record<string, string>> = {
  exact: 'is',
  prefix: 'begins with',
  suffix: 'ends with',
  inside: 'contains',
};

function describeMatch(match: RuleMatchDto): string {
  const { element, field = 'url', kind = 'exact', value = '', children = [] } = match;
  const conditions = children.map(describeMatch);
  if (element === 'Not') return `not (${conditions.join(' and ')})`;
  if (element === 'Or') return `(${conditions.join(' or ')})`;
  if (element === 'And') return `(${conditions.join(' and ')})`;
  if (element === 'Length') return `${field === 'url' ? 'URL' : field} length is ${describeRange(value)}`;
  const label =
    element === 'Atom' ? `${field === 'url' ? 'URL' : field} ${KIND_LABELS[kind] ?? kind}` : SHORTCUT_LABELS[element];
  if (match.litteral || isPlainText(value)) return `${label} ${value}`;
  return label.endsWith(' is') ? `${label.slice(0, -2)}matches ${value}` : `${label} a match of ${value}`;
}

/** @param range as in the configuration: `[from:to]`, where either may be absent */
function describeRange(range: string): string {
  const [, from = '', to = ''] = /^\[(\d*):(\d*)\]$/.exec(range) ?? [];
  if (from !== '' && to !== '') return `between ${from} and ${to}`;
  return to === '' ? `at least ${from}` : `at most ${to}`;
}

const TONES: Readonly<Record<string, Tone>> = {
  Accept: 'good',
  Index: 'good',
  Follow: 'good',
  Ignore: 'bad',
  NoIndex: 'warn',
  NoFollow: 'warn',
};

const ActionBadge = ({
  action: { element, name, value, shift, mode, readyWhen, steps },
}: {
  action: RuleActionDto;
}): JSX.Element => (
  <Badge tone={TONES[element] ?? 'info'}>
    {[element, name, value !== undefined && `= ${value}`, shift, mode, readyWhen, steps]
      .filter((part) => part !== undefined && part !== false)
      .join(' ')}
  </Badge>
);
