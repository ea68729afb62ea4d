/** Combines all fetch engines into one fetcher: each request goes to the engine that it names. */
import type { FetchOutcome } from '../../domain/fetch/outcome.js';
import type { FetchEngine, Fetcher, FetchRequest } from '../ports/fetcher.js';

export class FetchEngines implements Fetcher {
  private readonly byName: ReadonlyMap<string, FetchEngine>;

  /** @param engines the first one also resolves host names */
  constructor(private readonly engines: readonly [FetchEngine, ...FetchEngine[]]) {
    this.byName = new Map(engines.map((engine) => [engine.engine, engine]));
  }

  /** @throws Error when no engine has the requested name */
  fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchOutcome> {
    const engine = this.byName.get(request.engine ?? 'http');
    if (!engine) throw new Error(`There is no fetch engine named ${JSON.stringify(request.engine)}.`);
    return engine.fetch(request, signal);
  }

  resolve(hostname: string): Promise<string | undefined> {
    return this.engines[0].resolve(hostname);
  }

  async close(): Promise<void> {
    await Promise.all(this.engines.map((engine) => engine.close()));
  }
}
