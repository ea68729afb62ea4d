import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, call } from '../../api/client.js';
import type { ContentTrialDto } from '../../api/schema.js';
import { toApiProblem } from '../../state/resource.js';
import { useDebounced } from '../../state/rested.js';

export interface Trying {
  /** The response for the last text that could be read. */
  readonly answer?: ContentTrialDto;
  /** Problems in the current text. */
  readonly problems: ContentTrialDto['problems'];
  readonly failure?: ApiProblem;
  /** Whether the response for the current text has not arrived yet. */
  readonly pending: boolean;
  readonly fetchAgain: () => void;
}

interface Tried {
  readonly text: string;
  readonly answer?: ContentTrialDto;
  readonly problems: ContentTrialDto['problems'];
  readonly failure?: ApiProblem;
}

interface Page {
  readonly crawler: string;
  readonly url: string;
  readonly render: boolean;
}

/**
 * What the server extracts from the page with the element, updated whenever typing pauses. The server keeps a copy of
 * the page.
 */
export function useTrial({ crawler, url, render }: Page, content: string): Trying {
  const rested = useDebounced(content);
  const [tried, setTried] = useState<Tried>({ text: '', problems: [] });
  const [round, setRound] = useState(0);
  const fetched = useRef(0);
  useEffect(() => {
    const abort = new AbortController();
    const fresh = round > fetched.current;
    const body = { url, content: rested, render: render || undefined, fresh: fresh || undefined };
    call('POST /api/v1/crawlers/{crawler}/page/trial', { path: { crawler }, body, signal: abort.signal }).then(
      (answer) => {
        if (fresh) fetched.current = round;
        const usable = answer.reading !== undefined || answer.outcome !== 'document';
        setTried((before) => ({ text: rested, answer: usable ? answer : before.answer, problems: answer.problems }));
      },
      (error) => {
        if (!abort.signal.aborted)
          setTried(({ answer }) => ({ text: rested, answer, problems: [], failure: toApiProblem(error) }));
      },
    );
    return () => abort.abort();
  }, [crawler, url, render, rested, round]);
  const { text, ...last } = tried;
  return { ...last, pending: text !== content, fetchAgain: () => setRound((number) => number + 1) };
}
