/** The server's plug-ins, each in a process of its own. */
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
  /** Number of configurations whose plug-ins are being loaded: the facts about all plug-ins are announced together. */
  private loading = 0;
  private told: readonly PluginFacts[] = [];
  private readonly listeners: ((facts: readonly PluginFacts[]) => void)[] = [];

  constructor(private readonly tools: { readonly clock: Clock; readonly log: Log }) {}

  get facts(): readonly PluginFacts[] {
    return this.plugins.map(({ facts }) => facts);
  }

  onFacts(listener: (facts: readonly PluginFacts[]) => void): void {
    this.listeners.push(listener);
  }

  async configure(definitions: readonly PluginDefinition[]): Promise<void> {
    const before = this.plugins;
    this.plugins = definitions.map(
      (definition) =>
        before.find((one) => isSameDefinition(one.definition, definition, 'place')) ??
        new RunningPlugin(definition, { ...this.tools, factsChanged: () => this.announceFacts() }),
    );
    for (const plugin of before) if (!this.plugins.includes(plugin)) plugin.close();
    this.loading++;
    await Promise.all(this.plugins.map((plugin) => (before.includes(plugin) ? undefined : plugin.start())));
    this.loading--;
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
    if (this.loading > 0) return;
    const { facts } = this;
    if (isDeepStrictEqual(facts, this.told)) return;
    this.told = facts;
    for (const listener of this.listeners) listener(facts);
  }
}
