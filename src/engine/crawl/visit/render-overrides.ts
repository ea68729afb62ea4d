/**
 * Operators' decisions about the pages of a URL pattern, which override what `render="auto"` has learned. They are kept
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

const CACHE_LIFETIME = seconds(60);
const MAX_HOSTS = 10_000;
/** Maximum number of patterns for one host; beyond that, a rule is better. */
const MAX_PATTERNS = 100;

export class RenderOverrides {
  private readonly cache = new WeighedCache<string, { readonly until: Instant; readonly overrides: Overrides }>(
    MAX_HOSTS,
    MAX_HOSTS,
  );

  constructor(
    private readonly store: Pick<FrontierStore, 'getSetting' | 'putSetting'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async get(hostKey: string): Promise<Overrides> {
    const now = this.clock.now();
    const cached = this.cache.get(hostKey);
    if (cached && cached.until > now) return cached.overrides;
    const text = await this.store.getSetting(getSettingName(hostKey));
    return this.cacheOverrides(hostKey, text === undefined ? {} : (JSON.parse(text) as Overrides));
  }

  /**
   * @param override `undefined` restores what has been learned for the pattern
   * @throws Unacceptable
   */
  async set(hostKey: string, pattern: string, override: Override | undefined): Promise<void> {
    this.cache.set(hostKey, { until: this.clock.now(), overrides: {} }, 1);
    const { [pattern]: _, ...others } = await this.get(hostKey);
    const overrides = override === undefined ? others : { ...others, [pattern]: override };
    const count = Object.keys(overrides).length;
    if (count > MAX_PATTERNS)
      throw new Unacceptable(
        `${MAX_PATTERNS} patterns of ${hostKey} are already overridden; write a rule with Render instead`,
      );
    await this.store.putSetting(getSettingName(hostKey), count === 0 ? undefined : JSON.stringify(overrides));
    this.cacheOverrides(hostKey, overrides);
  }

  private cacheOverrides(hostKey: string, overrides: Overrides): Overrides {
    this.cache.set(hostKey, { until: after(this.clock.now(), CACHE_LIFETIME), overrides }, 1);
    return overrides;
  }
}

const getSettingName = (hostKey: string): string => `rendering/${hostKey}`;
