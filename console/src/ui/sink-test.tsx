import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import type { SinkTestDto } from '../api/schema.js';
import { toApiProblem } from '../state/resource.js';

type TestResult = Pick<SinkTestDto, 'ok' | 'message'>;

interface SinkTestProps {
  readonly runTest: () => Promise<TestResult>;
  readonly disabled?: boolean;
}

/** Tests a sink as defined in a configuration that need not be in force. */
export const testDraftSink = (sink: string, body: string): Promise<TestResult> =>
  call('POST /api/v1/config/test-sink', { query: { sink }, body });

/** A button that tests a sink's address, certificate and credentials without sending anything. */
export function SinkTest({ runTest, disabled = false }: SinkTestProps): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<TestResult>();
  const test = async (): Promise<void> => {
    setBusy(true);
    setResult(undefined);
    try {
      setResult(await runTest());
    } catch (error) {
      const { detail, errors = [] } = toApiProblem(error);
      setResult({ ok: false, message: [detail, ...errors.map((problem) => problem.detail)].join(' ') });
    }
    setBusy(false);
  };
  return (
    <div class="row">
      <button type="button" class="button" disabled={disabled || busy} onClick={test}>
        {busy ? 'Testing…' : 'Test the sink'}
      </button>
      <span role="status">{result && `${result.ok ? 'Works: ' : 'Does not work: '}${result.message}`}</span>
    </div>
  );
}
