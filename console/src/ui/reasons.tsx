/** The meanings of reason codes. They are loaded once and shown wherever a code appears. */
import { createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { call } from '../api/client.js';
import type { ReasonDto } from '../api/schema.js';
import { useResource } from '../state/resource.js';

export const ReasonsContext = createContext<ReadonlyMap<string, ReasonDto>>(new Map());

export function useLoadedReasons(): ReadonlyMap<string, ReasonDto> {
  const { value = [] } = useResource(
    'reasons',
    async (signal) => (await call('GET /api/v1/reasons', { signal })).items,
  );
  return new Map(value.map((reason) => [reason.code, reason]));
}

export const useReasons = (): ReadonlyMap<string, ReasonDto> => useContext(ReasonsContext);

/** A code that shows its meaning on hover. */
export function Reason({ code }: { code: string }): JSX.Element {
  const entry = useReasons().get(code);
  return (
    <span class="code" title={entry ? `${entry.meaning} ${entry.remedy}` : undefined}>
      {code}
    </span>
  );
}
