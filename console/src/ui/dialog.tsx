import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ApiProblem } from '../api/client.js';
import { toApiProblem } from '../state/resource.js';
import { Failure } from './answers.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
  /** Whether something was typed into the dialog, so that Escape asks before it is lost. */
  readonly typed?: boolean;
}

/** A native modal dialog: focus stays inside, Escape closes it, and focus is restored afterwards. */
export function Dialog({ title, onClose, children, wide = false, typed = false }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => element.current?.showModal(), []);
  // Not on `cancel`, because a second Escape in a row closes the dialog whatever that listener says.
  const guardEscape = (event: KeyboardEvent): void => {
    if (typed && event.key === 'Escape' && !confirm('Close and lose what you typed?')) event.preventDefault();
  };
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onClose={onClose}
      onKeyDown={guardEscape}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** Says what will happen, in numbers. */
  readonly children: ComponentChildren;
  readonly action: string;
  readonly danger?: boolean;
  /** False if there is nothing to act on yet. */
  readonly ready?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmProps): JSX.Element {
  const { title, children, action, danger = false, ready = true, onConfirm, onClose } = props;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setProblem(toApiProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">{children}</div>
      {problem && <Failure problem={problem} />}
      <footer class="actions end">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class={danger ? 'button danger' : 'button primary'}
          disabled={busy || !ready}
          onClick={confirm}
        >
          {busy ? 'Working…' : action}
        </button>
      </footer>
    </Dialog>
  );
}
