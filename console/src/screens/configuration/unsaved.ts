/** Keeps unsaved text when the user leaves its screen, and has the browser ask before the tab is closed. */
import { useState } from 'preact/hooks';

interface UnsavedEntry {
  /** The original text, and the version of the configuration that contains it. */
  readonly base: string;
  readonly etag: string;
  readonly text: string;
}

export interface UnsavedTextState {
  readonly text: string;
  /** Initial text of the editor. A new round number replaces the editor with a new one. */
  readonly initialState: { readonly text: string; readonly generation: number };
  readonly changed: boolean;
  /** Version on which the text is based; outdated if someone else has changed the original text. */
  readonly etag: string;
  readonly updateText: (text: string) => void;
  readonly discard: () => void;
  /** Call this after the text has been saved. */
  readonly markSaved: () => void;
}

const unsavedTexts = new Map<string, UnsavedEntry>();

addEventListener('beforeunload', (event) => {
  if (unsavedTexts.size > 0) event.preventDefault();
});

export const hasUnsavedText = (name: string): boolean => unsavedTexts.has(name);

/** @param base the text in force, from the configuration with this ETag */
export function useUnsavedText(name: string, base: string, etag: string): UnsavedTextState {
  const unsavedEntry = unsavedTexts.get(name);
  const baseline = unsavedEntry && unsavedEntry.base !== base ? unsavedEntry : { base, etag };
  const [text, setText] = useState(unsavedEntry?.text ?? base);
  const [initialState, setInitialState] = useState({ text, generation: 0 });
  const forgetDraft = (): void => void unsavedTexts.delete(name);
  const saveTypedText = (typedText: string): void => {
    setText(typedText);
    if (typedText === base) forgetDraft();
    else unsavedTexts.set(name, { ...baseline, text: typedText });
  };
  const discard = (): void => {
    forgetDraft();
    setText(base);
    setInitialState(({ generation }) => ({ text: base, generation: generation + 1 }));
  };
  return {
    text,
    initialState,
    changed: text !== base,
    etag: baseline.etag,
    updateText: saveTypedText,
    discard,
    markSaved: forgetDraft,
  };
}
