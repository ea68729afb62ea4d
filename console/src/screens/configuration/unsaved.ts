/** Unsaved texts: they are kept when their screen is left, and the browser asks before they are lost with the tab. */
import { useState } from 'preact/hooks';

interface Kept {
  /** The original text, and the version of the configuration that contains it. */
  readonly base: string;
  readonly etag: string;
  readonly text: string;
}

export interface Unsaved {
  readonly text: string;
  /** Initial text of the editor; a new round starts a new editor. */
  readonly start: { readonly text: string; readonly round: number };
  readonly changed: boolean;
  /** Version on which the text is based; outdated if someone else has changed the original text. */
  readonly etag: string;
  readonly type: (text: string) => void;
  readonly discard: () => void;
  /** Call this after the text has been saved. */
  readonly forget: () => void;
}

const kept = new Map<string, Kept>();

addEventListener('beforeunload', (event) => {
  if (kept.size > 0) event.preventDefault();
});

export const isUnsaved = (name: string): boolean => kept.has(name);

/** @param base the text in force, from the configuration with this ETag */
export function useUnsaved(name: string, base: string, etag: string): Unsaved {
  const known = kept.get(name);
  const from = known && known.base !== base ? known : { base, etag };
  const [text, setText] = useState(known?.text ?? base);
  const [start, setStart] = useState({ text, round: 0 });
  const forgetDraft = (): void => void kept.delete(name);
  const saveTyped = (typed: string): void => {
    setText(typed);
    if (typed === base) forgetDraft();
    else kept.set(name, { ...from, text: typed });
  };
  const discard = (): void => {
    forgetDraft();
    setText(base);
    setStart(({ round }) => ({ text: base, round: round + 1 }));
  };
  return { text, start, changed: text !== base, etag: from.etag, type: saveTyped, discard, forget: forgetDraft };
}
