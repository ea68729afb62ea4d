/**
 * A backfill brings what a crawler has indexed to one sink. If another sink of the crawler can return the documents they are copied
 * from there, otherwise their pages are visited.
 */
import { type Instant, instant } from '../time/units.js';
import { SINK_TYPES, type SinkType } from './sink-types.js';

/** How far a backfill has progressed; stored as JSON, so that it continues after a restart. */
export interface BackfillProgress {
  readonly state: 'running' | 'done';
  /** `added`: the sink is new to the crawler; `asked`: a person wants it; `access`: others may see the documents now. */
  readonly why: 'added' | 'asked' | 'access';
  readonly startedAt: Instant;
  readonly endedAt?: Instant;
  /** Documents indexed when it began. */
  readonly total: number;
  /** Documents processed so far. */
  readonly done: number;
  /** How many of these were sent from another sink; the others are visited. */
  readonly sent: number;
  /** `recent`: what was visited while the sink was being added, once more. */
  readonly pass: 'all' | 'recent';
  /** URL id after which it continues. */
  readonly cursor: number;
  /** URLs that still have to be visited. */
  readonly waiting: readonly number[];
  /** Sink that provides the documents; absent: all pages are visited. */
  readonly from?: string;
  /** What holds it up. */
  readonly message?: string;
}

export const createBackfill = (why: BackfillProgress['why'], total: number, now: Instant): BackfillProgress => ({
  state: 'running',
  why,
  startedAt: now,
  total,
  done: 0,
  sent: 0,
  pass: 'all',
  cursor: 0,
  waiting: [],
});

/** @throws SyntaxError for text that is not JSON */
export function parseBackfill(text: string): BackfillProgress {
  const stored = JSON.parse(text) as BackfillProgress;
  return { ...stored, startedAt: instant(stored.startedAt) };
}

interface SinkOfType {
  readonly name: string;
  readonly type: SinkType;
  readonly options: object;
  readonly map?: unknown;
}

/** The sink from which documents for `target` are best copied; undefined: none of them keeps what it needs. */
export function chooseBackfillSource<S extends SinkOfType>(target: S, others: readonly S[]): S | undefined {
  const needsBytes = needsWholeDocument(target);
  const fit = others.filter((other) => other.name !== target.name && canReturnDocuments(other, needsBytes));
  return fit.find(({ type }) => SINK_TYPES[type].keeps === 'bytes') ?? fit[0];
}

/** The sink gives back what it needs itself. */
export const canRestoreItself = <S extends SinkOfType>(sink: S): boolean =>
  canReturnDocuments(sink, needsWholeDocument(sink));

/** A pipeline may read the bytes. */
const needsWholeDocument = ({ type, options }: SinkOfType): boolean =>
  SINK_TYPES[type].needsBytes || 'pipeline' in options;

/** What was mapped is not what was indexed. */
function canReturnDocuments({ type, map, options }: SinkOfType, bytes: boolean): boolean {
  const { keeps } = SINK_TYPES[type];
  const isWhole = map === undefined && !('pipeline' in options);
  return isWhole && (bytes ? keeps === 'bytes' : keeps !== 'nothing');
}
