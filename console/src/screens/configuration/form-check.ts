import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { ConfigurationProblemDto } from '../../api/schema.js';
import { useDebounced } from '../../state/rested.js';

export interface FormCheck {
  readonly problemCounts: { readonly errors: number; readonly warnings: number };
  /** Problems in CrawlConfig.xml itself. */
  readonly problems: readonly ConfigurationProblemDto[];
}

/** Has the server check a configuration that is being edited whenever typing pauses. */
export function useFormCheck(xml: string, file: string): FormCheck {
  const debouncedXml = useDebounced(xml);
  const [found, setFound] = useState<readonly ConfigurationProblemDto[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    call('POST /api/v1/config/check', { body: debouncedXml, signal: abort.signal }).then(
      ({ problems }) => setFound(problems),
      () => undefined, // saving reports what is wrong
    );
    return () => abort.abort();
  }, [debouncedXml]);
  const errors = found.filter(({ severity }) => severity === 'error').length;
  const problems = found.filter((problem) => problem.file === file);
  return { problemCounts: { errors, warnings: found.length - errors }, problems };
}
