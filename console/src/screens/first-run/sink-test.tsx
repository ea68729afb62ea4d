import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { SinkTestDto } from '../../api/schema.js';
import { asProblem } from '../../state/resource.js';

interface SinkTestProps {
  readonly name: string;
  /** The configuration with the sink in it, which need not be in force. */
  readonly draft: () => string;
  readonly disabled: boolean;
}

/** Asks the sink before anything is written: its address, certificate and credentials. */
export function SinkTest({ name, draft, disabled }: SinkTestProps): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Pick<SinkTestDto, 'ok' | 'message'>>();
  const test = async (): Promise<void> => {
    setBusy(true);
    setAnswer(undefined);
    try {
      setAnswer(await call('POST /api/v1/config/test-sink', { query: { sink: name }, body: draft() }));
    } catch (error) {
      const { detail, errors = [] } = asProblem(error);
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
