/**
 * A verdict with its trace: what was decided and why, the place in the configuration that decided it, and the result of
 * every layer.
 */
import type { JSX } from 'preact';
import type { ExplanationDto, PlaceDto, QueueDto, RobotsOpinionDto, TraceStepDto } from '../api/schema.js';
import { getPlaceLink } from '../state/place.js';
import { Prose } from './prose.js';
import { Badge, type Tone } from './status.js';
import { Table } from './table.js';
import { Time } from './time.js';

interface VerdictProps {
  readonly explanation: ExplanationDto;
  readonly robots: RobotsOpinionDto;
  readonly queue?: QueueDto;
  readonly crawler: string;
}

/** Shows what the configuration and robots.txt say; the headline says what became of the URL. */
export function Verdict({ explanation, robots, queue, crawler }: VerdictProps): JSX.Element {
  const { verdict, trace } = explanation;
  return (
    <div class="stack">
      <p>
        <strong>The configuration {verdict.accepted ? 'accepts it.' : 'rejects it.'}</strong>{' '}
        <Prose text={verdict.meaning} />
        {verdict.detail && ` Decisive: ${verdict.detail}.`} <PlaceLink place={verdict.place} crawler={crawler} />
      </p>
      <Robots robots={robots} />
      {verdict.accepted && <Effects explanation={explanation} queue={queue} />}
      <Trace trace={trace} crawler={crawler} />
    </div>
  );
}

/** Shows what robots.txt says; it is checked before each fetch and is not part of the verdict. */
function Robots({
  robots: { state, agent, line, rule, fetchedAt, status },
}: {
  robots: RobotsOpinionDto;
}): JSX.Element {
  const fetchInfo = fetchedAt && (
    <span class="muted">
      {' '}
      (fetched <Time at={fetchedAt} relative />, {status})
    </span>
  );
  const stateTexts = {
    allowed: `allows it for ${agent}${rule === undefined ? ': no line forbids it' : ''}`,
    disallowed: `disallows it for ${agent}`,
    unknown: 'has not been fetched yet; it is checked before the first page of the host',
    unreachable: 'could not be read; nothing is fetched from the host until it can be',
    ignored: 'is not checked, because the configuration turns this off',
  };
  return (
    <p>
      <strong>robots.txt</strong> {stateTexts[state]}
      {rule !== undefined && (
        <>
          {' '}
          by line {line}: <code>{rule}</code>
        </>
      )}
      .{fetchInfo}
    </p>
  );
}

function Effects({ explanation: { verdict }, queue }: Pick<VerdictProps, 'explanation' | 'queue'>): JSX.Element {
  const { effects } = verdict;
  return (
    <div class="row">
      <Badge tone="info">{effects.index ? 'may be indexed' : 'not to be indexed'}</Badge>
      <Badge tone="info">{effects.follow ? 'links may be followed' : 'links not to be followed'}</Badge>
      {queue && (
        <Badge tone="info">
          queue {queue.source}
          {queue.shift !== 0 && ` (${queue.natural} shifted by ${queue.shift})`}
        </Badge>
      )}
      {verdict.status && <Badge tone="warn">status {verdict.status}</Badge>}
      {effects.source && <Badge tone="info">source {effects.source}</Badge>}
      {effects.metas.map(({ name, value }) => (
        <Badge key={name} tone="info">
          meta {name} = {value}
        </Badge>
      ))}
      {Object.entries(effects.options).map(([name, value]) => (
        <Badge key={name} tone="plain">
          {name} = {String(value)}
        </Badge>
      ))}
      {verdict.needsAddress && <Badge tone="info">address rules are waiting for DNS</Badge>}
    </div>
  );
}

/** A link to the line in the configuration. */
export function PlaceLink({ place, crawler }: { place?: PlaceDto; crawler: string }): JSX.Element | null {
  if (!place) return null;
  const file = place.file.slice(place.file.lastIndexOf('/') + 1);
  return (
    <a class="mono nowrap" href={getPlaceLink(place, crawler)} title={place.file}>
      {file}:{place.line}
    </a>
  );
}

const TONES: Readonly<Record<string, Tone>> = { accept: 'good', reject: 'bad', set: 'info', pending: 'warn' };

export function Trace({ trace, crawler }: { trace: readonly TraceStepDto[]; crawler: string }): JSX.Element {
  return (
    <Table
      name="Results of the layers of the policy, in order"
      headers={['Layer', 'Test', 'Result', 'Effect', 'Defined in']}
    >
      {trace.map((step, index) => (
        <tr key={index} class={step.outcome === 'not configured' || step.outcome === 'no match' ? 'muted' : ''}>
          <td class="nowrap">{trace[index - 1]?.layer === step.layer ? '' : step.layer}</td>
          <td>{step.test}</td>
          <td>
            <Badge tone={TONES[step.outcome] ?? 'plain'}>{step.outcome}</Badge>
          </td>
          <td>{step.effect ?? step.reason ?? ''}</td>
          <td>
            <PlaceLink place={step.place} crawler={crawler} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
