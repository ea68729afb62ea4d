/**
 * A backfill sends everything that a crawler has indexed to one sink. If another sink of the crawler can return the
 * documents, they are copied from there; otherwise, their pages are visited.
 */
import { type Instant, instant } from '../time/units.js';
import { SINK_TYPES, type SinkType } from './sink-types.js';

/** How far a backfill has progressed; stored as JSON, so that it continues after a restart. */
export interface BackfillProgress {
  readonly state: 'running' | 'done';
  /**
   * `added`: the sink is new to the crawler; `asked`: a user requested it; `access`: who may see the documents has
   * changed; `replaced`: what the sink writes to was deleted, or created again.
   */
  readonly why: 'added' | 'asked' | 'access' | 'replaced';
  readonly startedAt: Instant;
  readonly endedAt?: Instant;
  /** Number of documents indexed, or refused by a sink, when it began. */
  readonly total: number;
  /** Number of documents processed so far. */
  readonly done: number;
  /** How many of these were sent from another sink; the others are visited. */
  readonly sent: number;
  /**
   * `refused`: over pages whose document was refused and that no sink has; `recent`: over what was visited while the
   * sink was being added.
   */
  readonly pass: 'all' | 'refused' | 'recent';
  /** URL id after which it continues. */
  readonly cursor: number;
  /** Ids of URLs that still have to be visited. */
  readonly waiting: readonly number[];
  /** Ids of URLs that were in flight; they are processed last. */
  readonly postponed: readonly number[];
  /** Sink that provides the documents; absent if all pages are visited. */
  readonly from?: string;
  /** What is delaying it, if anything. */
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
  postponed: [],
});

/** @throws SyntaxError if the text is not JSON */
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

/** Chooses the best sink from which to copy documents for `target`; undefined if no sink keeps what it needs. */
export function chooseBackfillSource<S extends SinkOfType>(target: S, others: readonly S[]): S | undefined {
  const needsBytes = needsWholeDocument(target);
  const suitableSinks = others.filter((sink) => sink.name !== target.name && canReturnDocuments(sink, needsBytes));
  return suitableSinks.find(({ type }) => SINK_TYPES[type].keeps === 'bytes') ?? suitableSinks[0];
}

/** Whether the sink can return everything that it needs itself. */
export const canRestoreItself = <S extends SinkOfType>(sink: S): boolean =>
  canReturnDocuments(sink, needsWholeDocument(sink));

/** Whether the sink needs the bytes of documents, which an ingest pipeline may also read. */
const needsWholeDocument = ({ type, options }: SinkOfType): boolean =>
  SINK_TYPES[type].needsBytes || 'pipeline' in options;

/** A sink with a mapping does not hold documents as the crawler indexed them. */
function canReturnDocuments({ type, map, options }: SinkOfType, needsBytes: boolean): boolean {
  const { keeps } = SINK_TYPES[type];
  const isWhole = map === undefined && !('pipeline' in options);
  return isWhole && (needsBytes ? keeps === 'bytes' : keeps !== 'nothing');
}
