/**
 * Removes the secrets of a sink's definition from its responses, for every protocol, and what is too long to be stored,
 * logged and shown: a receiver may repeat in its response what it was sent, including the login, and name things as it
 * likes.
 */
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import { collectSecrets, createSecretFilter } from '../../domain/hide-secrets.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { SINK_TYPES } from '../../domain/push/sink-types.js';
import { revealText, type Secret } from '../../domain/secret.js';
import { decodePercent } from '../../domain/url/decode-percent.js';
import { type Sink, SinkUnavailable, SinkUnsuitable } from '../../engine/ports/sink.js';

/** In characters: of a message, and as much of it as is searched for secrets. */
const MAX_MESSAGE_LENGTH = 2_000;
const MAX_SEARCHED_LENGTH = 65_536;
/** Of the ids of what the sink writes to; with more or longer ones, it is not known whether that was replaced. */
const MAX_IDS = 1_000;
const MAX_ID_LENGTH = 256;

export class DiscreetSink implements Sink {
  readonly name: string;
  private readonly redact: (text: string) => string;
  readonly listEntries?: NonNullable<Sink['listEntries']>;
  readonly readDocuments?: NonNullable<Sink['readDocuments']>;
  readonly probe?: NonNullable<Sink['probe']>;
  readonly identify?: NonNullable<Sink['identify']>;
  readonly isEmpty?: NonNullable<Sink['isEmpty']>;
  readonly countDocuments?: NonNullable<Sink['countDocuments']>;
  readonly checkSchema?: NonNullable<Sink['checkSchema']>;
  readonly alias: Sink['alias'];
  readonly foreign: Sink['foreign'];

  constructor(
    private readonly sink: Sink,
    definition: SinkDefinition,
  ) {
    const hideSecrets = createSecretFilter(findSecrets(definition));
    this.redact = (text) => hideSecrets(text.slice(0, MAX_SEARCHED_LENGTH)).slice(0, MAX_MESSAGE_LENGTH);
    this.name = sink.name;
    if (sink.listEntries) this.listEntries = (signal) => this.withRedactedListing(sink.listEntries!(signal));
    if (sink.readDocuments)
      this.readDocuments = (uris, signal) => this.withRedactedErrors(sink.readDocuments!(uris, signal));
    if (sink.probe) this.probe = (signal) => this.withRedactedErrors(sink.probe!(signal));
    if (sink.isEmpty) this.isEmpty = (signal) => this.withRedactedErrors(sink.isEmpty!(signal));
    if (sink.countDocuments) this.countDocuments = (signal) => this.withRedactedErrors(sink.countDocuments!(signal));
    if (sink.identify) this.identify = (signal) => this.withRedactedErrors(sink.identify!(signal).then(limitIds));
    this.alias = sink.alias && {
      ...sink.alias,
      read: (signal) => this.withRedactedErrors(sink.alias!.read(signal)),
      move: (indexes, signal) => this.withRedactedErrors(sink.alias!.move(indexes, signal)),
    };
    this.foreign = sink.foreign && {
      keyedByUri: sink.foreign.keyedByUri,
      list: (field, signal) => this.withRedactedListing(sink.foreign!.list(field, signal)),
      findOwn: (uris, signal) => this.withRedactedErrors(sink.foreign!.findOwn(uris, signal)),
      remove: (ids, signal) => this.withRedactedErrors(sink.foreign!.remove(ids, signal)),
    };
    if (sink.checkSchema)
      this.checkSchema = (signal) =>
        this.withRedactedErrors(sink.checkSchema!(signal).then((note) => note && this.redact(note)));
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    try {
      const answers = await this.sink.deliver(batch, signal);
      return answers.map((answer) =>
        answer.state === 'refused' ? { ...answer, message: this.redact(answer.message) } : answer,
      );
    } catch (error) {
      throw this.redactError(error);
    }
  }

  close(): Promise<void> {
    return this.sink.close();
  }

  private async *withRedactedListing<T>(listing: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* listing;
    } catch (error) {
      throw this.redactError(error);
    }
  }

  private async withRedactedErrors<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } catch (error) {
      throw this.redactError(error);
    }
  }

  private redactError(error: unknown): unknown {
    if (error instanceof SinkUnsuitable) return new SinkUnsuitable(this.redact(error.message));
    if (error instanceof SinkUnavailable) return new SinkUnavailable(this.redact(error.message), error.retryAfterMs);
    return error instanceof Error ? new Error(this.redact(error.message)) : error;
  }
}

const limitIds = (ids: readonly string[] | undefined): readonly string[] | undefined =>
  ids && ids.length <= MAX_IDS && ids.every(({ length }) => length <= MAX_ID_LENGTH) ? ids : undefined;

function findSecrets({ type, url: address, options, tls }: SinkDefinition): (string | undefined)[] {
  const { login, ...otherOptions } = options as Partial<Record<string, string | Secret>> & { readonly login?: string };
  const url = SINK_TYPES[type].address === 'file' ? null : URL.parse(address);
  const user = login ?? decodePercent(url?.username ?? '');
  const password = revealIfSet(otherOptions['password']) ?? decodePercent(url?.password ?? '');
  const urlCredentials = url ? [url.username, url.password, decodePercent(url.password)] : [];
  const queryValues = url ? [...url.searchParams.values(), url.search.slice(1)] : [];
  return [
    ...collectSecrets([options, tls]),
    user ? `${user}:${password}` : undefined,
    ...urlCredentials,
    ...queryValues,
  ];
}

const revealIfSet = (text: string | Secret | undefined): string | undefined =>
  text === undefined ? undefined : revealText(text);
