/** Short messages about the results of actions. Screen readers read them out. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { toApiProblem } from '../state/resource.js';

interface Notice {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

const NOTICE_EVENT = 'crawlway:said';
const NOTICE_DURATION_MS = 7000;
let lastId = 0;

export function showNotice(text: string, tone: Notice['tone'] = 'good'): void {
  lastId += 1;
  dispatchEvent(new CustomEvent<Notice>(NOTICE_EVENT, { detail: { id: lastId, tone, text } }));
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
    const addNotice = (event: Event): void => {
      const notice = (event as CustomEvent<Notice>).detail;
      setNotices((previous) => [...previous.slice(-2), notice]);
      setTimeout(() => setNotices((previous) => previous.filter(({ id }) => id !== notice.id)), NOTICE_DURATION_MS);
    };
    addEventListener(NOTICE_EVENT, addNotice);
    return () => removeEventListener(NOTICE_EVENT, addNotice);
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
