/** Plug-ins of a test, in real processes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PluginHost } from '../../src/adapters/plugins/plugin-host.js';
import type { PluginDefinition } from '../../src/domain/crawl/plugin-definition.js';
import { seconds } from '../../src/domain/time/units.js';
import { ManualClock } from './manual-clock.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Plug-ins with a manual clock, so that a slow machine does not exceed their time limits. */
export class TestPlugins {
  readonly clock = new ManualClock();
  readonly folder = temporaryDirectory();
  readonly logged: string[] = [];
  readonly host: PluginHost;

  constructor() {
    const log = (message: string, particulars?: unknown): void =>
      void this.logged.push(`${message} ${JSON.stringify(particulars ?? {})}`);
    this.host = new PluginHost({
      clock: this.clock,
      log: { debug: log, info: log, warn: log, error: log },
    });
    onTestFinished(() => this.host.close());
  }

  /** The path of a module with this text. */
  write(name: string, text: string): string {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** The path of a plug-in with these functions, as JavaScript. */
  define(name: string, functions: string, more: Partial<PluginDefinition> = {}): PluginDefinition {
    return definition(name, this.write(`${name}.mjs`, `export default { apiVersion: 1, ${functions} };`), more);
  }

  /**
   * Resolves when this was logged, like everything that plug-ins print. Earlier messages of the process have arrived by then.
   */
  async said(text: string, times = 1): Promise<void> {
    while (this.logged.filter((line) => line.includes(text)).length < times) await turn();
    await turn();
    await turn();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const definition = (name: string, file: string, more: Partial<PluginDefinition> = {}): PluginDefinition => ({
  name,
  file,
  place: { file: 'CrawlConfig.xml', line: 1, column: 1 },
  timeLimit: seconds(5),
  memoryLimit: 256 * 1024 * 1024,
  onFailure: 'fail',
  settings: [],
  ...more,
});
