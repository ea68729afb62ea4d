import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { after, type Duration, milliseconds } from '../../domain/time/units.js';
import type { CrawlEvent } from '../../engine/events.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import type { ConfigurationService } from './configuration.service.js';
import { resolveLinks } from './configuration-file.js';

/** Editors write a file in several steps; the reload waits until there has been no change for this long. */
const QUIET_TIME = milliseconds(300);

/** Reloads when the configuration file, or a file that it names, changes on disk. */
export class ConfigurationWatch {
  private watchers: FSWatcher[] = [];
  private cancelReload: (() => void) | undefined;

  constructor(
    private readonly configuration: ConfigurationService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.watchFolders();
  }

  close(): void {
    this.cancelReload?.();
    for (const watcher of this.watchers) watcher.close();
    this.watchers = [];
  }

  /**
   * Watches folders instead of files: when an editor replaces a file, a watch on it would stay on the old one. Both a
   * link and its target are covered.
   */
  private watchFolders(): void {
    const namesByFolder = new Map<string, Set<string>>();
    const paths = this.configuration.watchedPaths.map((path) => resolve(path));
    for (const path of new Set([...paths, ...paths.map(resolveLinks)])) {
      const names = namesByFolder.get(dirname(path)) ?? new Set();
      namesByFolder.set(dirname(path), names.add(basename(path)));
    }
    try {
      this.watchers = [...namesByFolder].map(([folder, names]) =>
        watch(folder, { persistent: false }, (_event, name) => {
          if (name === null || names.has(name)) this.scheduleReload();
        }).on('error', (error) => this.logWatchFailure(error)),
      );
    } catch (error) {
      this.logWatchFailure(error as Error);
    }
    // What was written before the watch began, such as during the start or a reload, leads to no event.
    if (this.configuration.isEditedOnDisk) this.scheduleReload();
  }

  private scheduleReload(): void {
    this.cancelReload?.();
    this.cancelReload = this.clock.at(after(this.clock.now(), QUIET_TIME), () => {
      void this.configuration.reload('file').then((outcome) => {
        if (outcome === 'refused') return;
        this.close();
        this.watchFolders();
      });
    });
  }

  private logWatchFailure(error: Error): void {
    this.log.warn('cannot watch the configuration file for changes; send SIGHUP after a change', {
      error: error.message,
    });
  }
}

interface SecretWatchParts {
  /** Rereads external secrets and puts changes in force. */
  readonly renew: () => Promise<void>;
  readonly interval: Duration;
  readonly clock: Clock;
  readonly log: Log;
}

/** Rereads external secrets on a schedule, and as soon as a login fails, since its password may have been changed. */
export class SecretWatch {
  private cancelCheck: (() => void) | undefined;
  private runningCheck: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly parts: SecretWatchParts) {
    this.scheduleCheck();
  }

  readonly onEvent = (event: CrawlEvent): void => {
    if (event.type === 'login' && (event.state === 'failing' || event.state === 'stopped')) void this.checkNow();
  };

  /** Runs one check at a time; resolves when changes are in force. Never rejects. */
  checkNow(): Promise<void> {
    this.runningCheck ??= this.renewSecrets().finally(() => {
      this.runningCheck = undefined;
    });
    return this.runningCheck;
  }

  close(): void {
    this.closed = true;
    this.cancelCheck?.();
  }

  private async renewSecrets(): Promise<void> {
    try {
      await this.parts.renew();
    } catch (error) {
      this.parts.log.warn('external secrets could not be reloaded; the previous values stay in use', {
        error: String(error),
      });
    }
  }

  private scheduleCheck(): void {
    const { clock, interval } = this.parts;
    this.cancelCheck = clock.at(after(clock.now(), interval), () => {
      void this.checkNow().then(() => {
        if (!this.closed) this.scheduleCheck();
      });
    });
  }
}
