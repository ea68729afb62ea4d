import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, call } from '../../api/client.js';
import type { ContentTrialDto } from '../../api/schema.js';
import { toApiProblem } from '../../state/resource.js';
import { useDebounced } from '../../state/rested.js';

export interface TrialState {
  /** The response for the last valid text. */
  readonly response?: ContentTrialDto;
  /** Problems in the current text. */
  readonly problems: ContentTrialDto['problems'];
  readonly failure?: ApiProblem;
  /** Whether the response for the current text has not arrived yet. */
  readonly pending: boolean;
  readonly fetchAgain: () => void;
}

interface TrialResponse {
  readonly text: string;
  readonly response?: ContentTrialDto;
  readonly problems: ContentTrialDto['problems'];
  readonly failure?: ApiProblem;
}

interface TrialRequest {
  readonly crawler: string;
  readonly url: string;
  readonly render: boolean;
}

/**
 * Has the server extract content from the page with this element whenever typing pauses. The server keeps a copy of the
 * page, so that it is only fetched again on request.
 */
export function useTrial({ crawler, url, render }: TrialRequest, content: string): TrialState {
  const debouncedContent = useDebounced(content);
  const [trialResponse, setTrialResponse] = useState<TrialResponse>({ text: '', problems: [] });
  const [fetchCount, setFetchCount] = useState(0);
  const completedFetchCount = useRef(0);
  useEffect(() => {
    const abort = new AbortController();
    const needsRefetch = fetchCount > completedFetchCount.current;
    const body = { url, content: debouncedContent, render: render || undefined, fresh: needsRefetch || undefined };
    call('POST /api/v1/crawlers/{crawler}/page/trial', { path: { crawler }, body, signal: abort.signal }).then(
      (response) => {
        if (needsRefetch) completedFetchCount.current = fetchCount;
        const isUsable = response.reading !== undefined || response.outcome !== 'document';
        setTrialResponse((previous) => ({
          text: debouncedContent,
          response: isUsable ? response : previous.response,
          problems: response.problems,
        }));
      },
      (error) => {
        if (!abort.signal.aborted)
          setTrialResponse(({ response }) => ({
            text: debouncedContent,
            response,
            problems: [],
            failure: toApiProblem(error),
          }));
      },
    );
    return () => abort.abort();
  }, [crawler, url, render, debouncedContent, fetchCount]);
  const { text, ...rest } = trialResponse;
  return { ...rest, pending: text !== content, fetchAgain: () => setFetchCount((count) => count + 1) };
}
