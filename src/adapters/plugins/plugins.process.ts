/**
 * Entry point of the process that runs one plug-in: loads its module and calls its functions. plugin-process.ts is the
 * server's side. This file imports only types from the project, so that Node can run it without a build.
 */
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { PluginHook } from '../../engine/ports/plugins.js';
import type { FromPlugin, LoadedPlugin, ToPlugin } from './plugin-protocol.js';

type AnyFunction = (...values: unknown[]) => unknown;
type Module = Readonly<Record<string, unknown>>;

/** Maximum number of characters in the description of an error. */
const MAX_DESCRIPTION_LENGTH = 1_500;

const functions = new Map<PluginHook, AnyFunction>();
const inFlight = new Map<number, AbortController>();

const send = (message: FromPlugin): void => void process.send?.(message);

/** Returns the message and the first lines of the stack, without those of this file and of Node. */
function describeError(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : `it threw ${inspect(error)}`;
  const lines = text.split('\n').filter((line) => !/plugins\.process\.|\(node:/.test(line));
  return lines.slice(0, 6).join('\n').slice(0, MAX_DESCRIPTION_LENGTH);
}

async function loadModule({ file, name, settings }: Extract<ToPlugin, { do: 'load' }>): Promise<LoadedPlugin> {
  const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
  const plugin = module.default;
  if (typeof plugin !== 'object' || plugin === null) throw new Error('its default export is not an object');
  const { apiVersion, version, setup, extractor, sink } = plugin as Module;
  if (apiVersion !== 1)
    throw new Error(`its apiVersion is ${inspect(apiVersion)}, but this server supports only apiVersion 1`);
  for (const hook of ['onUrl', 'onResponse', 'onDocument', 'onOrder'] as const)
    registerHook(hook, plugin as Module, hook);
  const mediaTypes = extractor === undefined ? [] : registerExtractor(extractor as Module);
  if (sink !== undefined) {
    registerHook('deliver', sink as Module, 'deliver');
    if (!functions.has('deliver')) throw new Error('its sink has no function deliver');
  }
  if (functions.size === 0) throw new Error('it exports none of the functions in docs/plugins.md');
  if (setup !== undefined) await (setup as AnyFunction).call(plugin, { name, settings });
  return { hooks: [...functions.keys()], mediaTypes, ...(version === undefined ? {} : { version: String(version) }) };
}

function registerHook(hook: PluginHook, owner: Module, name: string): void {
  const value = owner[name];
  if (value === undefined) return;
  if (typeof value !== 'function') throw new Error(`its ${name} is not a function`);
  functions.set(hook, value.bind(owner) as AnyFunction);
}

function registerExtractor(extractor: Module): string[] {
  registerHook('extract', extractor, 'extract');
  const { mediaTypes } = extractor;
  const isList =
    Array.isArray(mediaTypes) && mediaTypes.length > 0 && mediaTypes.every((type) => typeof type === 'string');
  if (!isList || !functions.has('extract'))
    throw new Error('its extractor must have a list of media types, mediaTypes, and an extract function');
  return (mediaTypes as string[]).map((type) => type.toLowerCase());
}

async function callHook({ id, hook, argument }: Extract<ToPlugin, { do: 'call' }>): Promise<void> {
  const controller = new AbortController();
  inFlight.set(id, controller);
  // Sent before the function is called, because it may never return.
  send({ is: 'started', id });
  try {
    send({ is: 'answered', id, answer: await functions.get(hook)!(argument, controller.signal) });
  } catch (error) {
    send({ is: 'failed', id, message: describeError(error) });
  } finally {
    inFlight.delete(id);
  }
}

process.on('message', (message: ToPlugin) => {
  if (message.do === 'ping') send({ is: 'pong' });
  else if (message.do === 'abort') inFlight.get(message.id)?.abort();
  else if (message.do === 'call') void callHook(message);
  else
    loadModule(message).then(
      (plugin) => send({ is: 'loaded', plugin }),
      (error: unknown) => send({ is: 'unusable', message: describeError(error) }),
    );
});
process.on('uncaughtException', (error) => {
  const message: FromPlugin = { is: 'crashed', message: describeError(error) };
  process.send?.(message, () => process.exit(1));
});
process.on('disconnect', () => process.exit());
// Ctrl+C in a terminal signals all processes, but this one must run until the server ends it.
process.on('SIGINT', () => undefined);
