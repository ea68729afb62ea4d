/** Short messages about what was done, which screen readers read out. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toApiProblem } from '../state/resource.js';

interface Notice {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

const SAID = 'crawlway:said';
const SHOWN_MS = 7000;
let last = 0;

export function showNotice(text: string, tone: Notice['tone'] = 'good'): void {
  last += 1;
  dispatchEvent(new CustomEvent<Notice>(SAID, { detail: { id: last, tone, text } }));
}

/** Runs an action and reports its result in a notice. */
export async function runWithNotice(action: () => Promise<string>): Promise<void> {
  try {
    showNotice(await action());
  } catch (error) {
    showNotice(toApiProblem(error).detail, 'bad');
  }
}

export function Notices(): JSX.Element {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  useEffect(() => {
    const showPopover = (event: Event): void => {
      const notice = (event as CustomEvent<Notice>).detail;
      setNotices((shown) => [...shown.slice(-2), notice]);
      setTimeout(() => setNotices((shown) => shown.filter(({ id }) => id !== notice.id)), SHOWN_MS);
    };
    addEventListener(SAID, showPopover);
    return () => removeEventListener(SAID, showPopover);
  }, []);
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.map(({ id, tone, text }) => (
        <p key={id} class={`notice ${tone}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
