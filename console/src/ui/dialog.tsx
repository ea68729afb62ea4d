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
  /** Whether something was typed into the dialog, so that Escape asks for confirmation. */
  readonly hasInput?: boolean;
}

/** A native modal dialog: focus stays inside, Escape closes it, and focus is restored afterwards. */
export function Dialog({ title, onClose, children, wide = false, hasInput = false }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => element.current?.showModal(), []);
  // A listener for `cancel` would not do: a second Escape in a row closes the dialog whatever that listener does.
  const confirmEscape = (event: KeyboardEvent): void => {
    if (hasInput && event.key === 'Escape' && !confirm('Discard what you typed and close?')) event.preventDefault();
  };
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onClose={onClose}
      onKeyDown={confirmEscape}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What will happen, with numbers. */
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
