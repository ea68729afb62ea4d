/** Texts that were typed and not saved: they survive their screen, and the browser asks before they are lost with the tab. */
import { useState } from 'preact/hooks';

interface Kept {
  /** What it was typed over, and the version of the configuration that had it. */
  readonly base: string;
  readonly etag: string;
  readonly text: string;
}

export interface Unsaved {
  readonly text: string;
  /** What the editor begins with; another round is another editor. */
  readonly start: { readonly text: string; readonly round: number };
  readonly changed: boolean;
  /** Version that the text was made from: an older one when somebody else changed what it was typed over. */
  readonly etag: string;
  readonly type: (text: string) => void;
  readonly discard: () => void;
  /** To be called when it has been saved. */
  readonly forget: () => void;
}

const kept = new Map<string, Kept>();

addEventListener('beforeunload', (event) => {
  if (kept.size > 0) event.preventDefault();
});

export const isUnsaved = (name: string): boolean => kept.has(name);

/** @param base the text in force, of the configuration with this ETag */
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
