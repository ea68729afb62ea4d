/** Shows what became of a URL in one complete sentence, and the next step. */
import type { ComponentChildren, JSX } from 'preact';
import type { HeadlineDto } from '../api/schema.js';
import { href } from '../state/route.js';
import { Prose } from './prose.js';
import { Time } from './time.js';

const TONES: Readonly<Record<HeadlineDto['fate'], string>> = {
  'in-index': 'good',
  'on-its-way': 'warn',
  'not-in-index': 'bad',
};

interface HeadlineProps {
  readonly headline: HeadlineDto;
  readonly crawler: string;
  /** A button for the next step, if there is one. */
  readonly children?: ComponentChildren;
}

export function Headline({ headline: { fate, text, nextStep }, crawler, children }: HeadlineProps): JSX.Element {
  return (
    <div class={`notice ${TONES[fate]}`} role="status">
      <div class="stack">
        <p>
          <strong>
            <TextWithTimes text={text} />
          </strong>
        </p>
        {nextStep && (
          <p>
            Next step: <TextWithLinks text={nextStep} crawler={crawler} />
          </p>
        )}
        {children && <div class="actions">{children}</div>}
      </div>
    </div>
  );
}

const TIMESTAMP = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/;

/**
 * Converts times in the server's sentence, which are in UTC as in its log, to local time like everything else on the
 * screen.
 */
const TextWithTimes = ({ text }: { text: string }): JSX.Element => (
  <>
    {text.split(TIMESTAMP).map((part, i) => (i % 2 === 1 ? <Time key={i} at={part} /> : <Prose key={i} text={part} />))}
  </>
);

const URL_PATTERN = /(https?:\/\/\S+?)(?=[,.]?(?:\s|$))/;

/** Turns URLs in the sentence into links. */
const TextWithLinks = ({ text, crawler }: { text: string; crawler: string }): JSX.Element => (
  <>
    {text.split(URL_PATTERN).map((part, i) =>
      i % 2 === 1 ? (
        <a key={i} class="url" href={href('/try', { crawler, url: part })}>
          {part}
        </a>
      ) : (
        <TextWithTimes key={i} text={part} />
      ),
    )}
  </>
);
