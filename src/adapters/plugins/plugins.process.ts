/**
 * The process of one plug-in: loads its module and calls its functions. See plugin-process.ts for the other side. This
 * file imports only types from the project, so that Node can run it without a build.
 */
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { PluginHook } from '../../engine/ports/plugins.js';
import type { FromPlugin, Loaded, ToPlugin } from './plugin-protocol.js';

type AnyFunction = (...values: unknown[]) => unknown;
type Module = Readonly<Record<string, unknown>>;

/** Maximum characters of an error's description: its message and where it was thrown. */
const MOST_MESSAGE = 1_500;

const functions = new Map<PluginHook, AnyFunction>();
const inFlight = new Map<number, AbortController>();

const send = (message: FromPlugin): void => void process.send?.(message);

/** The message and the first lines of the stack, without those of this file and of Node. */
function describeError(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : `it threw ${inspect(error)}`;
  const lines = text.split('\n').filter((line) => !/plugins\.process\.|\(node:/.test(line));
  return lines.slice(0, 6).join('\n').slice(0, MOST_MESSAGE);
}

async function load({ file, name, settings }: Extract<ToPlugin, { do: 'load' }>): Promise<Loaded> {
  const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
  const plugin = module.default;
  if (typeof plugin !== 'object' || plugin === null) throw new Error('its default export is not an object');
  const { apiVersion, version, setup, extractor, sink } = plugin as Module;
  if (apiVersion !== 1)
    throw new Error(`it is written for apiVersion ${inspect(apiVersion)}; this server has apiVersion 1`);
  for (const hook of ['onUrl', 'onResponse', 'onDocument', 'onOrder'] as const)
    registerHook(hook, plugin as Module, hook);
  const mediaTypes = extractor === undefined ? [] : listExtractorTypes(extractor as Module);
  if (sink !== undefined) {
    registerHook('deliver', sink as Module, 'deliver');
    if (!functions.has('deliver')) throw new Error('its sink has no function deliver');
  }
  if (functions.size === 0) throw new Error('it exports none of the functions that a plug-in can have');
  if (setup !== undefined) await (setup as AnyFunction).call(plugin, { name, settings });
  return { hooks: [...functions.keys()], mediaTypes, ...(version === undefined ? {} : { version: String(version) }) };
}

function registerHook(hook: PluginHook, owner: Module, name: string): void {
  const value = owner[name];
  if (value === undefined) return;
  if (typeof value !== 'function') throw new Error(`its ${name} is not a function`);
  functions.set(hook, value.bind(owner) as AnyFunction);
}

function listExtractorTypes(extractor: Module): string[] {
  registerHook('extract', extractor, 'extract');
  const { mediaTypes } = extractor;
  const isList =
    Array.isArray(mediaTypes) && mediaTypes.length > 0 && mediaTypes.every((one) => typeof one === 'string');
  if (!isList || !functions.has('extract'))
    throw new Error('its extractor needs mediaTypes, a list of media types, and a function extract');
  return (mediaTypes as string[]).map((type) => type.toLowerCase());
}

async function call({ id, hook, argument }: Extract<ToPlugin, { do: 'call' }>): Promise<void> {
  const stop = new AbortController();
  inFlight.set(id, stop);
  // Sent before the function is called, because it may never return.
  send({ is: 'started', id });
  try {
    send({ is: 'answered', id, answer: await functions.get(hook)!(argument, stop.signal) });
  } catch (error) {
    send({ is: 'failed', id, message: describeError(error) });
  } finally {
    inFlight.delete(id);
  }
}

process.on('message', (message: ToPlugin) => {
  if (message.do === 'ping') send({ is: 'pong' });
  else if (message.do === 'abort') inFlight.get(message.id)?.abort();
  else if (message.do === 'call') void call(message);
  else
    load(message).then(
      (plugin) => send({ is: 'loaded', plugin }),
      (error: unknown) => send({ is: 'unusable', message: describeError(error) }),
    );
});
process.on('uncaughtException', (error) => {
  const message: FromPlugin = { is: 'crashed', message: describeError(error) };
  process.send?.(message, () => process.exit(1));
});
process.on('disconnect', () => process.exit());
// The terminal sends Ctrl+C to all processes, but this one must run until the server ends it.
process.on('SIGINT', () => undefined);
