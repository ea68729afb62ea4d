import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, accessHeaders } from '../../api/client.js';
import type { PreviewDto } from '../../api/schema.js';
import { toApiProblem } from '../../state/resource.js';
import { type Draft, toRequestBody } from './draft.js';

export interface Previewing {
  readonly report?: PreviewDto;
  readonly problem?: ApiProblem;
}

/** Asks the server what the configuration would change, and returns the report as it grows. */
export function usePreview(draft: Draft | undefined): Previewing {
  const [state, setState] = useState<Previewing>({});
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

async function readReports(draft: Draft, signal: AbortSignal, show: (report: PreviewDto) => void): Promise<void> {
  const body = toRequestBody(draft);
  const isXml = typeof body === 'string';
  const response = await fetch('/api/v1/config/preview', {
    method: 'POST',
    headers: {
      ...accessHeaders(),
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
  for await (const text of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const last = lines.filter(Boolean).at(-1);
    if (last) show(JSON.parse(last) as PreviewDto);
  }
}
