import type { FrontierStore } from '../ports/frontier-store.js';
import type { Log } from '../ports/log.js';
import type { Sink, SinkAlias } from '../ports/sink.js';
import { NotFound, Unacceptable } from '../support/api-errors.js';
import type { Backfills } from './backfills.js';
import type { Reconciliation } from './reconciliation.js';

interface SwitchServices {
  readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting'>;
  readonly log: Log;
  readonly backfills: Pick<Backfills, 'list'>;
  readonly reconciliation: Pick<Reconciliation, 'run'>;
  readonly findSink: (name: string) => Sink | undefined;
}

export interface SwitchOptions {
  /** Moves the alias back to where it was before the last switch. */
  readonly rollback?: boolean;
  /** Moves the alias although the index is not complete. */
  readonly force?: boolean;
}

export interface SwitchReport {
  readonly sink: string;
  readonly alias: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Documents compared before the switch; 0 without a comparison. */
  readonly compared: number;
}

/**
 * Moves the alias of a sink to the index that was filled beside the one that serves searches, once both hold the same,
 * and back again.
 */
export class SinkSwitch {
  constructor(private readonly services: SwitchServices) {}

  /** @throws NotFound, Unacceptable, SinkUnavailable */
  async run(name: string, { rollback = false, force = false }: SwitchOptions): Promise<SwitchReport> {
    const { store, log, findSink } = this.services;
    const sink = findSink(name);
    if (!sink) throw new NotFound(`there is no sink ${name}`);
    const { alias } = sink;
    if (!alias) throw new Unacceptable(`the sink ${name} has no alias that could be moved`);
    const setting = `sink-alias/${name}`;
    const signal = new AbortController().signal;
    const from = await alias.read(signal);
    const to = rollback ? await this.findPrevious(setting, alias) : [alias.index];
    if (from.length === to.length && from.every((index) => to.includes(index)))
      throw new Unacceptable(`the alias ${alias.name} is on ${to.join(', ')} already`);
    const compared = rollback || force ? 0 : await this.compare(name, sink);
    // Remembered before the step, so that it can be taken back even if the process ends now.
    await store.putSetting(setting, JSON.stringify({ alias: alias.name, indexes: from }));
    await alias.move(to, new AbortController().signal);
    await renewNote(sink);
    log.info('the alias of a sink was moved', { sink: name, alias: alias.name, from, to });
    return { sink: name, alias: alias.name, from, to, compared };
  }

  private async findPrevious(setting: string, alias: SinkAlias): Promise<readonly string[]> {
    const text = await this.services.store.getSetting(setting);
    const previous =
      text === undefined ? undefined : (JSON.parse(text) as { alias: string; indexes: readonly string[] });
    if (previous?.alias === alias.name && previous.indexes.length > 0) return previous.indexes;
    throw new Unacceptable(`nothing is known about where the alias ${alias.name} was before`);
  }

  /** Returns how many documents were compared. */
  private async compare(name: string, sink: Sink): Promise<number> {
    const running = (await this.services.backfills.list()).find(
      (backfill) => backfill.sink === name && backfill.state === 'running',
    );
    if (running)
      throw new Unacceptable(
        `the sink ${name} is still being filled: ${running.done} of ${running.total} documents of ${running.crawler} so far`,
      );
    await sink.checkSchema?.(new AbortController().signal);
    const { compared, missing, stale, inFlight } = await this.services.reconciliation.run(name, false);
    if (inFlight > 0)
      throw new Unacceptable(
        `${inFlight} documents are on their way to the new index; try again when they have arrived`,
      );
    if (missing.count === 0 && stale.count === 0) return compared;
    const sample = missing.samples[0] ?? stale.samples[0];
    throw new Unacceptable(
      `${missing.count} documents are missing and ${stale.count} are out of date in the new index, such as ${sample}; repair them first (crawlway sinks reconcile, with --repair), or force the switch`,
    );
  }
}

/** What is shown about the sink changes; whether that can be found out does not matter to what was done. */
export const renewNote = async (sink: Sink): Promise<void> => {
  await sink.checkSchema?.(new AbortController().signal).catch(() => undefined);
};
