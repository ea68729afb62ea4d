/** When crawlers and hosts that an operator has paused go on by themselves; also after a restart. */
import type { Instant } from '../../domain/time/units.js';
import type { Settings } from '../ports/frontier-store.js';
import type { Nodes } from '../ports/nodes.js';
import type { Ports } from '../ports/ports.js';
import { Unacceptable } from '../support/api-errors.js';
import { retryUntilDone } from '../support/persistently.js';

const PREFIX = 'pause-end/';

export type Pausable = 'crawler' | 'host';

interface PauseServices extends Pick<Ports, 'clock' | 'log'> {
  readonly store: Settings;
  readonly nodes: Pick<Nodes, 'notifyControlChanged'>;
}

export class PauseEnds {
  private readonly ends = new Map<string, { readonly until: Instant; readonly cancel: () => void }>();

  constructor(
    private readonly services: PauseServices,
    /** Called on every node; resuming what is not paused changes nothing. */
    private readonly resume: Readonly<Record<Pausable, (name: string) => Promise<void>>>,
  ) {}

  /** Takes over what is stored, after a start or a change on another node. */
  async restore(): Promise<void> {
    const stored = await this.services.store.listSettings(PREFIX);
    for (const key of this.ends.keys()) if (!stored.has(PREFIX + key)) this.forget(key);
    for (const [setting, until] of stored) this.schedule(setting.slice(PREFIX.length), Number(until) as Instant);
  }

  /**
   * To be called before something is paused or resumed: a pause without an end lasts until it is resumed.
   * @throws Unacceptable if the end is in the past
   */
  async set(what: Pausable, name: string, until: Instant | undefined): Promise<void> {
    const { store, clock, nodes } = this.services;
    const key = `${what}/${name}`;
    if (until === undefined && !this.ends.has(key)) return;
    if (until !== undefined && until <= clock.now()) throw new Unacceptable('the end of the pause is in the past');
    await store.putSetting(PREFIX + key, until === undefined ? undefined : String(until));
    if (until === undefined) this.forget(key);
    else this.schedule(key, until);
    await nodes.notifyControlChanged();
  }

  find(what: Pausable, name: string): Instant | undefined {
    return this.ends.get(`${what}/${name}`)?.until;
  }

  close(): void {
    for (const key of this.ends.keys()) this.forget(key);
  }

  private schedule(key: string, until: Instant): void {
    if (this.ends.get(key)?.until === until) return;
    this.forget(key);
    const cancel = this.services.clock.at(until, () => {
      const work = (): Promise<void> => this.end(key, until);
      retryUntilDone('ending a pause', work, this.services).catch((error: unknown) =>
        this.services.log.error('a pause did not end; resume by hand', { paused: key, error: String(error) }),
      );
    });
    this.ends.set(key, { until, cancel });
  }

  private async end(key: string, until: Instant): Promise<void> {
    const { store, log } = this.services;
    const isCurrent = (await store.getSetting(PREFIX + key)) === String(until);
    if (this.ends.get(key)?.until === until) this.ends.delete(key);
    if (!isCurrent) return; // another node was first, or a person has decided otherwise
    const [what, ...name] = key.split('/');
    await this.resume[what as Pausable](name.join('/'));
    await store.putSetting(PREFIX + key, undefined);
    log.info('a pause has ended', { paused: key });
  }

  private forget(key: string): void {
    this.ends.get(key)?.cancel();
    this.ends.delete(key);
  }
}
