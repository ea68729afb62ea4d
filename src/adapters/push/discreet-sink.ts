/**
 * A receiver may repeat in its answer what it was sent, login and all, and answers of sinks are stored, logged and shown. What is secret of
 * the sink's definition is taken out of them here, whatever the protocol.
 */
import type { SinkDefinition } from '../../domain/crawl/sink-definition.js';
import type { OrderAnswer, PushOrder } from '../../domain/push/order.js';
import { redact } from '../../domain/redact.js';
import { revealed, type Secret } from '../../domain/secret.js';
import { type Sink, SinkUnavailable } from '../../engine/ports/sink.js';

const HIDDEN = '***';
/** Shorter ones stand in every other word of an answer, and can be guessed anyway. */
const SHORTEST = 4;

export class DiscreetSink implements Sink {
  readonly name: string;
  readonly entries?: NonNullable<Sink['entries']>;
  readonly documents?: NonNullable<Sink['documents']>;
  readonly probe?: NonNullable<Sink['probe']>;

  constructor(
    private readonly sink: Sink,
    private readonly definition: SinkDefinition,
  ) {
    this.name = sink.name;
    if (sink.entries) this.entries = (signal) => this.listed(signal);
    if (sink.documents) this.documents = (uris, signal) => this.discreetly(sink.documents!(uris, signal));
    if (sink.probe) this.probe = (signal) => this.discreetly(sink.probe!(signal));
  }

  async deliver(batch: readonly PushOrder[], signal: AbortSignal): Promise<OrderAnswer[]> {
    try {
      const answers = await this.sink.deliver(batch, signal);
      return answers.map((answer) =>
        answer.state === 'refused' ? { ...answer, message: this.hidden(answer.message) } : answer,
      );
    } catch (error) {
      throw this.discreet(error);
    }
  }

  close(): Promise<void> {
    return this.sink.close();
  }

  private async *listed(signal: AbortSignal): ReturnType<NonNullable<Sink['entries']>> {
    try {
      yield* this.sink.entries!(signal);
    } catch (error) {
      throw this.discreet(error);
    }
  }

  private async discreetly<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw this.discreet(error);
    }
  }

  private discreet(error: unknown): unknown {
    if (!(error instanceof SinkUnavailable)) return error;
    return new SinkUnavailable(this.hidden(error.message), error.retryAfterMs);
  }

  private hidden(text: string): string {
    let result = text;
    for (const secret of secretsOf(this.definition)) result = result.replaceAll(secret, HIDDEN);
    return redact(result);
  }
}

/** The longest first, so that no part of one is left over. */
function secretsOf({ type, url: address, options, tls }: SinkDefinition): string[] {
  const { login, ...others } = options as Partial<Record<string, string | Secret>> & { readonly login?: string };
  const [password, apiKey, secret, awsSessionToken] = ['password', 'apiKey', 'secret', 'awsSessionToken'].map((name) =>
    revealedIf(others[name]),
  );
  const url = type === 'file' || type === 'warc' ? null : URL.parse(address);
  const user = login ?? decoded(url?.username);
  const pass = password ?? decoded(url?.password);
  const basic = user ? Buffer.from(`${user}:${pass ?? ''}`).toString('base64') : undefined;
  const query = url ? [...url.searchParams.values(), url.search.slice(1)] : [];
  const own = [password, apiKey, secret, awsSessionToken, tls?.clientCertificate?.passphrase?.reveal()];
  const texts = [...own, url?.username, url?.password, decoded(url?.password), basic, ...query];
  return [
    ...new Set(
      texts.flatMap((text) => (text ? [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)] : [])),
    ),
  ]
    .filter((text) => text.length >= SHORTEST)
    .sort((one, other) => other.length - one.length);
}

const revealedIf = (text: string | Secret | undefined): string | undefined =>
  text === undefined ? undefined : revealed(text);

function decoded(text: string | undefined): string | undefined {
  if (!text) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
