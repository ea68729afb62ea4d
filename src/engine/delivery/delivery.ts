/**
 * Delivers orders to the sinks of their crawler. An order is answered once every sink has answered; only then does the
 * caller change what the store knows about the document. Orders in flight are limited: `hasRoom` says whether another
 * page may be fetched. A sink that is slow or down does not hold up the others: once another sink has answered, the
 * order is put off there, and the caller records in the settlement that the sink is owed the order.
 */
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { formatIsoTime } from '../../domain/time/http-date.js';
import type { Duration } from '../../domain/time/units.js';
import { type Fence, FencedOut, type Partitions } from '../ports/partitions.js';
import type { QueueLimits, SinkQueue } from './sink-queue.js';
import type { SinkView } from './sink-view.js';
import { NO_LONGER_WANTED, PUT_OFF, WITHDRAWN } from './waiting-orders.js';

export interface DeliveryResult {
  readonly answer: OrderAnswer;
  readonly attempts: number;
  /** True if some sinks have accepted the order, or may do so later, although others refuse it. */
  readonly partiallyAccepted: boolean;
  /** What has to be known of an order that was accepted: a sink keeps a newer version of its document. */
  readonly note?: string;
  /** Sinks that are behind and have not received the order; these are all sinks only if `mayPutOff` was set. */
  readonly putOff: readonly string[];
}

interface SinkAnswer {
  readonly answer: OrderAnswer;
  readonly attempts: number;
}

export interface DeliveryOptions {
  /** The order is sent only while this fence holds. */
  readonly fence?: Fence;
  /** True if the order may be put off before another sink has answered. */
  readonly mayPutOff?: boolean;
  /**
   * Whether the crawler still pushes to the sink; checked before each attempt. Without it, an order whose sink is removed
   * is refused.
   */
  readonly isWanted?: (sink: string) => boolean;
}

/** No sink has been sent the order, because the crawler no longer pushes to any of them. */
export class SinksRemoved extends Error {
  constructor() {
    super('the sinks of the order were removed from the configuration');
  }
}

/** An order that has been decided and not yet answered by every sink. */
export interface InFlightOrder {
  readonly order: PushOrder;
  /** The message of a sink that refused the order, while another one has not answered yet. */
  refusal?: string;
  /** True once a sink has answered. */
  isAnswered?: boolean;
}

/** Answers to orders that were not sent. */
const UNSENT: ReadonlySet<OrderAnswer> = new Set([WITHDRAWN, PUT_OFF, NO_LONGER_WANTED]);

export class Delivery {
  private sinks = new Map<string, SinkQueue>();
  private readonly inFlight = new Map<number, InFlightOrder>();

  constructor(
    private readonly limits: QueueLimits,
    private readonly partitions: Pick<Partitions, 'holds'>,
    /** Returns whether another order may arrive within this time. */
    private readonly mayExpectMore: (within: Duration) => boolean,
  ) {}

  setSinks(sinks: ReadonlyMap<string, SinkQueue>): void {
    this.sinks = new Map(sinks);
  }

  /** One sink that keeps up is enough: orders for the others are put off. */
  hasRoom(sinkNames: readonly string[]): boolean {
    return sinkNames.length === 0 || sinkNames.some((name) => this.hasCapacity(name));
  }

  /** Returns how many more orders may wait for the sink; 0 if its limit in bytes is reached. */
  getRemainingCapacity(name: string): number {
    const load = this.sinks.get(name)?.load ?? { orders: 0, bytes: 0 };
    return load.bytes < this.limits.maxBytes ? Math.max(0, this.limits.maxOrders - load.orders) : 0;
  }

  private hasCapacity(name: string): boolean {
    const load = this.sinks.get(name)?.load;
    return !load || (load.orders < this.limits.maxOrders && load.bytes < this.limits.maxBytes);
  }

  /**
   * Sends the order and resolves once every sink has answered or put it off. With a fence, the order is sent only while
   * that holds.
   * @throws FencedOut when the fence ended before every sink had answered: the host's new owner decides again
   * @throws SinksRemoved when no sink of the order is left: it has to be decided again
   */
  async deliver(
    order: PushOrder,
    sinkNames: readonly string[],
    options: DeliveryOptions = {},
  ): Promise<DeliveryResult> {
    const { fence } = options;
    this.inFlight.set(order.id, { order });
    try {
      const answers = sinkNames.map((name) => this.deliverTo(name, order, sinkNames, options));
      this.flushUnlessMoreExpected();
      const sinkAnswers = answers.length === 1 ? [await answers[0]!] : await Promise.all(answers);
      const isWithdrawn = sinkAnswers.some(({ answer }) => answer === WITHDRAWN);
      if (fence && isWithdrawn)
        throw new FencedOut(
          [fence],
          sinkAnswers.some(({ attempts }) => attempts > 0),
        );
      const wantedAnswers = options.isWanted
        ? sinkAnswers.filter(({ answer }) => answer !== NO_LONGER_WANTED)
        : sinkAnswers;
      if (wantedAnswers.length === 0 && sinkAnswers.length > 0) throw new SinksRemoved();
      const refusal = wantedAnswers.find(({ answer }) => answer.state === 'refused' && answer !== PUT_OFF);
      const attempts = Math.max(0, ...sinkAnswers.map((sinkAnswer) => sinkAnswer.attempts));
      const partiallyAccepted =
        refusal !== undefined &&
        wantedAnswers.some(({ answer }) => answer.state === 'acknowledged' || answer === PUT_OFF);
      const putOff = sinkNames.filter((_, i) => sinkAnswers[i]!.answer === PUT_OFF);
      const note = describeNewerVersions(sinkNames, sinkAnswers);
      return { answer: refusal?.answer ?? { state: 'acknowledged' }, attempts, partiallyAccepted, putOff, note };
    } finally {
      this.inFlight.delete(order.id);
    }
  }

  /** Orders in flight, oldest first. */
  listPending(): InFlightOrder[] {
    return [...this.inFlight.values()];
  }

  /** Orders wait for others to share a batch with. If no other can arrive within that time, sends them at once. */
  flushUnlessMoreExpected(): void {
    let age: Duration | undefined;
    for (const { isWaiting, definition } of this.sinks.values())
      if (isWaiting && definition.batchAge > (age ?? -1)) age = definition.batchAge;
    if (age !== undefined && !this.mayExpectMore(age)) this.flush();
  }

  flush(): void {
    for (const sink of this.sinks.values()) sink.flush();
  }

  /** Puts off orders that are waiting for an unavailable sink and may be put off; sends the others at once. */
  expedite(): void {
    for (const sink of this.sinks.values()) sink.expedite();
    this.flush();
  }

  /** True if every order that has not been answered is waiting for an unavailable sink. */
  get isBlocked(): boolean {
    return [...this.sinks.values()].every((sink) => sink.load.orders === 0 || sink.isBlocked);
  }

  listViews(): SinkView[] {
    return [...this.sinks.values()].map((sink) => sink.toView());
  }

  private deliverTo(
    name: string,
    order: PushOrder,
    sinkNames: readonly string[],
    { fence, mayPutOff, isWanted }: DeliveryOptions,
  ): Promise<SinkAnswer> {
    const sink = this.sinks.get(name);
    if (!sink)
      return Promise.resolve({ answer: { state: 'refused', message: `no sink is named ${name}` }, attempts: 0 });
    const otherSinkNames = sinkNames.filter((sinkName) => sinkName !== name);
    const isAnswered = (): boolean => this.inFlight.get(order.id)?.isAnswered === true;
    return new Promise((resolve) => {
      const settle = (answer: OrderAnswer, attempts: number): void => {
        resolve({ answer: this.noteRefusal(name, order, answer), attempts });
        if (otherSinkNames.length > 0 && !UNSENT.has(answer)) this.releaseFromOthers(order, otherSinkNames);
      };
      sink.add(order, settle, {
        maySend: fence && (() => this.partitions.holds(fence)),
        isWanted: isWanted && (() => isWanted(name)),
        mayPutOff: mayPutOff ? () => true : otherSinkNames.length > 0 ? isAnswered : undefined,
      });
    });
  }

  /** Lets the order no longer wait for sinks that are behind. */
  private releaseFromOthers(order: PushOrder, otherSinkNames: readonly string[]): void {
    const inFlight = this.inFlight.get(order.id);
    if (inFlight) inFlight.isAnswered = true;
    for (const name of otherSinkNames) this.sinks.get(name)?.putOffIfBehind(order, this.limits);
  }

  /** Adds the sink's name to a refusal and makes it visible while other sinks have not answered. */
  private noteRefusal(name: string, order: PushOrder, answer: OrderAnswer): OrderAnswer {
    if (answer.state !== 'refused' || UNSENT.has(answer)) return answer;
    const message = `${name}: ${answer.message}`;
    const inFlight = this.inFlight.get(order.id);
    if (inFlight) inFlight.refusal ??= message;
    return { state: 'refused', message };
  }
}

function describeNewerVersions(sinkNames: readonly string[], answers: readonly SinkAnswer[]): string | undefined {
  const notes = answers.flatMap(({ answer }, i) => {
    if (answer.state !== 'acknowledged' || answer.supersededBy === undefined) return [];
    const time = answer.supersededBy > 0 ? `, of ${formatIsoTime(answer.supersededBy)}` : '';
    return [`${sinkNames[i]}: the sink holds a newer version${time}`];
  });
  return notes.length === 0 ? undefined : notes.join('; ');
}
