/**
 * A person's decisions about the pages of a URL pattern, which override what `render="auto"` has learned. They are kept
 * in the store, by host, and read again every minute: a decision may be made on any node, and another one may crawl the
 * host.
 */
import { after, type Instant, seconds } from '../../../domain/time/units.js';
import type { Clock } from '../../ports/clock.js';
import type { FrontierStore } from '../../ports/frontier-store.js';
import { Unacceptable } from '../../support/api-errors.js';
import { WeighedCache } from '../../support/weighed-cache.js';

export type Override = 'always' | 'never';

type Overrides = Readonly<Record<string, Override>>;

const READ_AGAIN = seconds(60);
const MOST_HOSTS = 10_000;
/** Maximum number of patterns for one host; beyond that, a rule is better. */
const MOST_PATTERNS = 100;

export class RenderOverrides {
  private readonly known = new WeighedCache<string, { readonly until: Instant; readonly overrides: Overrides }>(
    MOST_HOSTS,
    MOST_HOSTS,
  );

  constructor(
    private readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async get(hostKey: string): Promise<Overrides> {
    const now = this.clock.now();
    const known = this.known.get(hostKey);
    if (known && known.until > now) return known.overrides;
    const text = await this.store.getSetting(getSettingName(hostKey));
    return this.cacheOverrides(hostKey, text === undefined ? {} : (JSON.parse(text) as Overrides));
  }

  /**
   * @param override `undefined` restores what has been learned for the pattern
   * @throws Unacceptable
   */
  async set(hostKey: string, pattern: string, override: Override | undefined): Promise<void> {
    this.known.set(hostKey, { until: this.clock.now(), overrides: {} }, 1);
    const { [pattern]: _, ...others } = await this.get(hostKey);
    const overrides = override === undefined ? others : { ...others, [pattern]: override };
    const count = Object.keys(overrides).length;
    if (count > MOST_PATTERNS)
      throw new Unacceptable(
        `${MOST_PATTERNS} patterns of ${hostKey} are already overridden; write a rule with Render instead`,
      );
    await this.store.putSetting(getSettingName(hostKey), count === 0 ? undefined : JSON.stringify(overrides));
    this.cacheOverrides(hostKey, overrides);
  }

  private cacheOverrides(hostKey: string, overrides: Overrides): Overrides {
    this.known.set(hostKey, { until: after(this.clock.now(), READ_AGAIN), overrides }, 1);
    return overrides;
  }
}

const getSettingName = (hostKey: string): string => `rendering/${hostKey}`;
