/** Asks until when something is paused. */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ConfirmDialog } from './dialog.js';

interface PauseProps {
  readonly name: string;
  /** What the pause means. */
  readonly effect: string;
  /** @param until ISO 8601; undefined for a pause without an end */
  readonly onPause: (until: string | undefined) => Promise<unknown>;
  readonly onClose: () => void;
}

export function PauseDialog({ name, effect, onPause, onClose }: PauseProps): JSX.Element {
  const id = useId();
  const [until, setUntil] = useState('');
  return (
    <ConfirmDialog
      title={`Pause ${name}`}
      action="Pause"
      onConfirm={() => onPause(until === '' ? undefined : new Date(until).toISOString())}
      onClose={onClose}
    >
      <p>{effect}</p>
      <p class="field">
        <label for={id}>Until (empty: until somebody ends the pause)</label>
        <input id={id} type="datetime-local" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
      </p>
    </ConfirmDialog>
  );
}
