import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, accessHeaders } from '../../api/client.js';
import type { PreviewDto } from '../../api/schema.js';
import { asProblem } from '../../state/resource.js';

export interface Previewing {
  readonly report?: PreviewDto;
  readonly problem?: ApiProblem;
}

/** Asks the server what the configuration would change and shows the report as it grows. */
export function usePreview(xml: string | undefined): Previewing {
  const [state, setState] = useState<Previewing>({});
  useEffect(() => {
    setState({});
    if (xml === undefined) return;
    const abort = new AbortController();
    void follow(xml, abort.signal, (report) => setState({ report })).catch((error) => {
      if (!abort.signal.aborted) setState({ problem: asProblem(error) });
    });
    return () => abort.abort();
  }, [xml]);
  return state;
}

async function follow(xml: string, signal: AbortSignal, show: (report: PreviewDto) => void): Promise<void> {
  const response = await fetch('/api/v1/config/preview', {
    method: 'POST',
    headers: { ...accessHeaders(), 'content-type': 'application/xml', accept: 'application/x-ndjson' },
    body: xml,
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
