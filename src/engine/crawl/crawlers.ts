import { createUnknownNameError } from '../support/api-errors.js';
import type { Crawler } from './crawler.js';

/** The crawlers of a server. */
export class Crawlers {
  private readonly byName = new Map<string, Crawler>();

  list(): Crawler[] {
    return [...this.byName.values()];
  }

  find(name: string): Crawler | undefined {
    return this.byName.get(name);
  }

  /** @throws NotFound */
  get(name: string): Crawler {
    const crawler = this.byName.get(name);
    if (crawler) return crawler;
    throw createUnknownNameError('crawler', name, [...this.byName.keys()]);
  }

  add(crawler: Crawler): void {
    this.byName.set(crawler.name, crawler);
  }

  remove(name: string): void {
    this.byName.delete(name);
  }
}
