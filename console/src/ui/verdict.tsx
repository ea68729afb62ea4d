/** A verdict with its trace: what was decided, why, where that stands, and what every layer said. */
import type { JSX } from 'preact';
import type { ExplanationDto, PlaceDto, RobotsOpinionDto, TraceStepDto } from '../api/schema.js';
import { placeTarget } from '../state/place.js';
import { Prose } from './prose.js';
import { Scroll } from './scroll.js';
import { Badge, type Tone } from './status.js';
import { Time } from './time.js';

interface VerdictProps {
  readonly explanation: ExplanationDto;
  readonly robots: RobotsOpinionDto;
  readonly crawler: string;
}

export function Verdict({ explanation, robots, crawler }: VerdictProps): JSX.Element {
  const { verdict, trace } = explanation;
  const crawled = verdict.accepted && robots.state !== 'disallowed' && robots.state !== 'unreachable';
  return (
    <div class="stack">
      <div class={`notice ${verdict.accepted ? (crawled ? 'good' : 'warn') : 'bad'}`}>
        <p>
          <strong>{crawled ? 'Would be crawled.' : 'Would not be crawled.'}</strong>{' '}
          {verdict.accepted && !crawled ? (
            'The rules accept it, and robots.txt keeps it out.'
          ) : (
            <Prose text={verdict.meaning} />
          )}
          {verdict.detail && ` ${verdict.accepted ? 'Decisive:' : 'Namely:'} ${verdict.detail}.`}{' '}
          {!verdict.accepted && <Prose text={verdict.remedy} />}
        </p>
        <PlaceLink place={verdict.place} crawler={crawler} />
      </div>
      <Robots robots={robots} />
      <Effects explanation={explanation} />
      <Trace trace={trace} crawler={crawler} />
    </div>
  );
}

/** robots.txt is asked before each fetch and is no part of the verdict. */
function Robots({
  robots: { state, agent, line, rule, fetchedAt, status },
}: {
  robots: RobotsOpinionDto;
}): JSX.Element {
  const asOf = fetchedAt && (
    <span class="muted">
      {' '}
      (fetched <Time at={fetchedAt} relative />, {status})
    </span>
  );
  const words = {
    allowed: `allows it to ${agent}${rule === undefined ? ': no line forbids it' : ''}`,
    disallowed: `forbids it to ${agent}`,
    unknown: 'has not been fetched yet; it is asked before the first page of the host',
    unreachable: 'could not be read; until it can, nothing of the host is fetched',
    ignored: 'is not asked, because the configuration says so',
  };
  return (
    <p>
      <strong>robots.txt</strong> {words[state]}
      {rule !== undefined && (
        <>
          {' '}
          by line {line}: <code>{rule}</code>
        </>
      )}
      .{asOf}
    </p>
  );
}

function Effects({ explanation: { verdict } }: { explanation: ExplanationDto }): JSX.Element {
  const { effects } = verdict;
  return (
    <div class="row">
      <Badge tone={verdict.accepted ? 'good' : 'bad'}>{verdict.reason}</Badge>
      <Badge tone={effects.index ? 'good' : 'plain'}>{effects.index ? 'indexed' : 'not indexed'}</Badge>
      <Badge tone={effects.follow ? 'good' : 'plain'}>{effects.follow ? 'links followed' : 'links not followed'}</Badge>
      {verdict.status && <Badge tone="warn">status {verdict.status}</Badge>}
      {effects.source && <Badge tone="info">source {effects.source}</Badge>}
      {effects.priorityShift !== 0 && <Badge tone="info">priority {effects.priorityShift}</Badge>}
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
      {verdict.needsAddress && <Badge tone="info">address rules wait for DNS</Badge>}
    </div>
  );
}

/** Leads to the line of the configuration. */
export function PlaceLink({ place, crawler }: { place?: PlaceDto; crawler: string }): JSX.Element | null {
  if (!place) return null;
  const file = place.file.slice(place.file.lastIndexOf('/') + 1);
  return (
    <a class="mono nowrap" href={placeTarget(place, crawler)} title={place.file}>
      {file}:{place.line}
    </a>
  );
}

const TONES: Readonly<Record<string, Tone>> = { accept: 'good', reject: 'bad', set: 'info', pending: 'warn' };

export function Trace({ trace, crawler }: { trace: readonly TraceStepDto[]; crawler: string }): JSX.Element {
  return (
    <Scroll>
      <table>
        <caption class="visually-hidden">What every layer of the policy said, in order</caption>
        <thead>
          <tr>
            <th scope="col">Layer</th>
            <th scope="col">Test</th>
            <th scope="col">Said</th>
            <th scope="col">Effect</th>
            <th scope="col">Stands in</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </Scroll>
  );
}
