/** What becomes of the documents of a crawler that is renamed or removed. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { call } from '../../api/client.js';
import { formatPlural } from '../../ui/format.js';

/** `delete`, `keep`, or `hand-over` and the name of a crawler; empty if it is left open. */
export type DocumentChoice = '' | 'delete' | 'keep' | `hand-over ${string}`;

interface ChoiceProps {
  readonly crawler: string;
  readonly indexed: number;
  /** Crawlers that could take the documents over. */
  readonly recipients: readonly string[];
  readonly choice: DocumentChoice;
  readonly onChoose: (choice: DocumentChoice) => void;
}

export function DocumentChoiceField({ crawler, indexed, recipients, choice, onChoose }: ChoiceProps): JSX.Element {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>
        What becomes of the {formatPlural(indexed, 'document')} of {crawler}, which is no longer in the configuration?
      </label>
      <select id={id} value={choice} onChange={(event) => onChoose(event.currentTarget.value as DocumentChoice)}>
        <option value="">They stay until somebody decides</option>
        {recipients.map((name) => (
          <option key={name} value={`hand-over ${name}`}>
            They belong to {name}
          </option>
        ))}
        <option value="keep">They stay in the index</option>
        <option value="delete">They are deleted from the index</option>
      </select>
    </p>
  );
}

/** Tells the server about the choice; does nothing if it is left open. */
export async function decideDocuments(crawler: string, choice: DocumentChoice): Promise<void> {
  if (choice === '') return;
  const [documents, to] = choice.split(' ', 2) as ['delete' | 'keep' | 'hand-over', string | undefined];
  await call('POST /api/v1/former-crawlers/{crawler}/documents', { path: { crawler }, body: { documents, to } });
}
