/** The messages between the server and the process of a plug-in, as Node's structured clone over IPC. */
import type { PluginHook } from '../../engine/ports/plugins.js';

export type ToPlugin =
  | {
      readonly do: 'load';
      readonly file: string;
      readonly name: string;
      readonly settings: Readonly<Record<string, string>>;
    }
  | { readonly do: 'call'; readonly id: number; readonly hook: PluginHook; readonly argument: unknown }
  /** Nobody is waiting for its answer any longer. */
  | { readonly do: 'abort'; readonly id: number }
  | { readonly do: 'ping' };

export interface Loaded {
  readonly version?: string;
  readonly hooks: readonly PluginHook[];
  readonly mediaTypes: readonly string[];
}

export type FromPlugin =
  | { readonly is: 'loaded'; readonly plugin: Loaded }
  /** It cannot be loaded. */
  | { readonly is: 'unusable'; readonly message: string }
  /** Its time limit counts from here on. */
  | { readonly is: 'started'; readonly id: number }
  | { readonly is: 'answered'; readonly id: number; readonly answer: unknown }
  | { readonly is: 'failed'; readonly id: number; readonly message: string }
  /** An error that nothing caught; the process ends. */
  | { readonly is: 'crashed'; readonly message: string }
  | { readonly is: 'pong' };
