/** The messages between the server and a plug-in's process, sent over IPC by structured clone. */
import type { PluginHook } from '../../engine/ports/plugins.js';

export type ToPlugin =
  | {
      readonly do: 'load';
      readonly file: string;
      readonly name: string;
      readonly settings: Readonly<Record<string, string>>;
    }
  | { readonly do: 'call'; readonly id: number; readonly hook: PluginHook; readonly argument: unknown }
  /** The answer to the call is no longer needed. */
  | { readonly do: 'abort'; readonly id: number }
  | { readonly do: 'ping' };

export interface LoadedPlugin {
  readonly version?: string;
  readonly hooks: readonly PluginHook[];
  readonly mediaTypes: readonly string[];
}

export type FromPlugin =
  | { readonly is: 'loaded'; readonly plugin: LoadedPlugin }
  /** The module cannot be loaded. */
  | { readonly is: 'unusable'; readonly message: string }
  /** The call's time limit starts now. */
  | { readonly is: 'started'; readonly id: number }
  | { readonly is: 'answered'; readonly id: number; readonly answer: unknown }
  | { readonly is: 'failed'; readonly id: number; readonly message: string }
  /** An uncaught error occurred, and the process is about to end. */
  | { readonly is: 'crashed'; readonly message: string }
  | { readonly is: 'pong' };
