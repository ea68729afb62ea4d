import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import type { SinkTestDto } from '../api/schema.js';
import { toApiProblem } from '../state/resource.js';

type Answer = Pick<SinkTestDto, 'ok' | 'message'>;

interface SinkTestProps {
  readonly ask: () => Promise<Answer>;
  readonly disabled?: boolean;
}

/** Tests a sink as defined in a draft of the configuration, which need not be in force. */
export const testDraftSink = (sink: string, body: string): Promise<Answer> =>
  call('POST /api/v1/config/test-sink', { query: { sink }, body });

/** A button that tests a sink's address, certificate and credentials without sending anything. */
export function SinkTest({ ask, disabled = false }: SinkTestProps): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const test = async (): Promise<void> => {
    setBusy(true);
    setAnswer(undefined);
    try {
      setAnswer(await ask());
    } catch (error) {
      const { detail, errors = [] } = toApiProblem(error);
      setAnswer({ ok: false, message: [detail, ...errors.map((one) => one.detail)].join(' ') });
    }
    setBusy(false);
  };
  return (
    <div class="row">
      <button type="button" class="button" disabled={disabled || busy} onClick={test}>
        {busy ? 'Testing…' : 'Test the sink'}
      </button>
      <span role="status">{answer && `${answer.ok ? 'Works: ' : 'Does not work: '}${answer.message}`}</span>
    </div>
  );
}
