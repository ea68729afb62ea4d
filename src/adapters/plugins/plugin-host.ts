/** Runs the server's plug-ins, each in its own process. */
import { isDeepStrictEqual } from 'node:util';
import type { PluginDefinition } from '../../domain/crawl/plugin-definition.js';
import { isSameDefinition } from '../../domain/secret.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Log } from '../../engine/ports/log.js';
import {
  type PluginCalls,
  type PluginFacts,
  PluginFailed,
  type PluginHook,
  type Plugins,
  type PluginView,
} from '../../engine/ports/plugins.js';
import { RunningPlugin } from './running-plugin.js';

export class PluginHost implements Plugins {
  private plugins: readonly RunningPlugin[] = [];
  /** Number of configurations whose plug-ins are being loaded. Until it is 0, no changed facts are announced. */
  private loadingCount = 0;
  private announcedFacts: readonly PluginFacts[] = [];
  private readonly listeners: ((facts: readonly PluginFacts[]) => void)[] = [];

  constructor(private readonly tools: { readonly clock: Clock; readonly log: Log }) {}

  get facts(): readonly PluginFacts[] {
    return this.plugins.map(({ facts }) => facts);
  }

  onFacts(listener: (facts: readonly PluginFacts[]) => void): void {
    this.listeners.push(listener);
  }

  async configure(definitions: readonly PluginDefinition[]): Promise<void> {
    const previousPlugins = this.plugins;
    this.plugins = definitions.map(
      (definition) =>
        previousPlugins.find((plugin) => isSameDefinition(plugin.definition, definition, 'place')) ??
        new RunningPlugin(definition, { ...this.tools, onFactsChanged: () => this.announceFacts() }),
    );
    for (const plugin of previousPlugins) if (!this.plugins.includes(plugin)) plugin.close();
    this.loadingCount++;
    await Promise.all(this.plugins.map((plugin) => (previousPlugins.includes(plugin) ? undefined : plugin.start())));
    this.loadingCount--;
    this.announceFacts();
  }

  async call<H extends PluginHook>(
    name: string,
    hook: H,
    argument: PluginCalls[H]['argument'],
    limit?: number,
  ): Promise<PluginCalls[H]['answer']> {
    const plugin = this.plugins.find(({ definition }) => definition.name === name);
    if (!plugin) throw new PluginFailed(`there is no plug-in ${name}`);
    try {
      const answer = await plugin.call(hook, argument, limit ?? plugin.definition.timeLimit);
      return answer as PluginCalls[H]['answer'];
    } catch (error) {
      throw new PluginFailed(`${name} ${hook}: ${(error as Error).message}`);
    }
  }

  listViews(): readonly PluginView[] {
    return this.plugins.map((plugin) => plugin.toView());
  }

  async close(): Promise<void> {
    for (const plugin of this.plugins) plugin.close();
    this.plugins = [];
  }

  private announceFacts(): void {
    if (this.loadingCount > 0) return;
    const { facts } = this;
    if (isDeepStrictEqual(facts, this.announcedFacts)) return;
    this.announcedFacts = facts;
    for (const listener of this.listeners) listener(facts);
  }
}
