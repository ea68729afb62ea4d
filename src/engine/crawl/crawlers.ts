import { createUnknownNameError } from '../support/api-errors.js';
import type { Crawler } from './crawler.js';

/** The crawlers of a server: those of the configuration, and former ones whose URLs are still stored. */
export class Crawlers {
  private readonly byName = new Map<string, Crawler>();
  private readonly formerByName = new Map<string, Crawler>();

  /** The crawlers of the configuration. */
  list(): Crawler[] {
    return [...this.byName.values()];
  }

  /** All crawlers with stored URLs, former ones included. */
  listStored(): Crawler[] {
    return [...this.byName.values(), ...this.formerByName.values()];
  }

  find(name: string): Crawler | undefined {
    return this.byName.get(name);
  }

  /** Like find, but also finds former crawlers: for what concerns stored URLs and needs no visit. */
  findStored(name: string): Crawler | undefined {
    return this.byName.get(name) ?? this.formerByName.get(name);
  }

  /** @throws NotFound */
  get(name: string): Crawler {
    return this.byName.get(name) ?? this.throwUnknown(name);
  }

  /**
   * Like get, but also returns former crawlers.
   * @throws NotFound
   */
  getStored(name: string): Crawler {
    return this.findStored(name) ?? this.throwUnknown(name);
  }

  add(crawler: Crawler): void {
    this.formerByName.delete(crawler.name);
    this.byName.set(crawler.name, crawler);
  }

  /** Adds a crawler that the configuration does not name, and that makes no visits. */
  addFormer(crawler: Crawler): void {
    crawler.close();
    this.byName.delete(crawler.name);
    this.formerByName.set(crawler.name, crawler);
  }

  findFormer(name: string): Crawler | undefined {
    return this.formerByName.get(name);
  }

  removeFormer(name: string): void {
    this.formerByName.delete(name);
  }

  private throwUnknown(name: string): never {
    throw createUnknownNameError('crawler', name, [...this.byName.keys()]);
  }
}
