/** What became of a URL, in one sentence that is the whole truth, and the next step. */
import type { JSX } from 'preact';
import type { HeadlineDto } from '../api/schema.js';
import { Prose } from './prose.js';

const TONES: Readonly<Record<HeadlineDto['fate'], string>> = {
  'in-index': 'good',
  'on-its-way': 'warn',
  'not-in-index': 'bad',
};

export function Headline({ headline: { fate, text, nextStep } }: { headline: HeadlineDto }): JSX.Element {
  return (
    <div class={`notice ${TONES[fate]}`} role="status">
      <div class="stack">
        <p>
          <strong>
            <Prose text={text} />
          </strong>
        </p>
        {nextStep && (
          <p>
            Next step: <Prose text={nextStep} />
          </p>
        )}
      </div>
    </div>
  );
}
