import { PLUGIN_HOOKS, type PluginCallCount, type PluginHook } from '../../engine/ports/plugins.js';

/** Counts a plug-in's calls by hook and result. */
export class CallCounts {
  private readonly counts = new Map<PluginHook, { answered: number; failed: number; milliseconds: number }>();

  /** `ms`: duration in milliseconds, including the time spent waiting. */
  add(hook: PluginHook, isAnswered: boolean, ms: number): void {
    const count = this.counts.get(hook) ?? { answered: 0, failed: 0, milliseconds: 0 };
    if (isAnswered) count.answered++;
    else count.failed++;
    count.milliseconds += ms;
    this.counts.set(hook, count);
  }

  /** Lists the counts of all hooks that have been called. */
  list(): PluginCallCount[] {
    return PLUGIN_HOOKS.flatMap((hook) => {
      const count = this.counts.get(hook);
      return count ? [{ hook, ...count }] : [];
    });
  }
}
