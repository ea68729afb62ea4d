import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, getAccessHeaders } from '../../api/client.js';
import type { PreviewDto } from '../../api/schema.js';
import { toApiProblem } from '../../state/resource.js';
import { type Draft, toRequestBody } from './draft.js';

export interface PreviewState {
  readonly report?: PreviewDto;
  readonly problem?: ApiProblem;
}

/** Requests a preview of the configuration from the server, and returns the latest interim or final report. */
export function usePreview(draft: Draft | undefined): PreviewState {
  const [state, setState] = useState<PreviewState>({});
  useEffect(() => {
    setState({});
    if (draft === undefined) return;
    const abort = new AbortController();
    void readReports(draft, abort.signal, (report) => setState({ report })).catch((error) => {
      if (!abort.signal.aborted) setState({ problem: toApiProblem(error) });
    });
    return () => abort.abort();
  }, [JSON.stringify(draft)]);
  return state;
}

async function readReports(draft: Draft, signal: AbortSignal, onReport: (report: PreviewDto) => void): Promise<void> {
  const body = toRequestBody(draft);
  const isXml = typeof body === 'string';
  const response = await fetch('/api/v1/config/preview', {
    method: 'POST',
    headers: {
      ...getAccessHeaders(),
      'content-type': isXml ? 'application/xml' : 'application/json',
      accept: 'application/x-ndjson',
    },
    body: isXml ? body : JSON.stringify(body),
    signal,
  });
  if (!response.ok || !response.body) {
    const { detail, errors } = await response.json().catch(() => ({}));
    throw new ApiProblem(response.status, detail ?? 'The preview failed.', errors);
  }
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    const lastLine = lines.filter(Boolean).at(-1);
    if (lastLine) onReport(JSON.parse(lastLine) as PreviewDto);
  }
}
