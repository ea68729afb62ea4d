import { Controller, Get, Inject } from '@nestjs/common';
import type { EngineApi } from '../../engine/engine-api.js';
import { PLUGIN_HOOKS, type PluginCallCount, type PluginView } from '../../engine/ports/plugins.js';
import { Operation } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, integer, list, listOf, one, oneOf, schema, text, time } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

const pluginCallsSchema = schema<PluginCallCount>()('PluginCalls', {
  hook: oneOf(PLUGIN_HOOKS, 'Function of the plug-in; `extract` and `deliver` belong to its extractor and its sink.'),
  answered: integer(42, 'Calls that succeeded since the server started.'),
  failed: integer(1, 'Calls that failed (`plugin-failed`).'),
  milliseconds: integer(42, 'Total duration of these calls, including waiting time.'),
});

const pluginErrorSchema = schema<NonNullable<PluginView['lastError']>>()('PluginError', {
  at: time(),
  message: text(
    'prices.mjs:12: onDocument: price is not defined',
    'What failed, with the place in the file of the plug-in if it is known.',
  ),
});

const pluginSchema = schema<PluginView>()('Plugin', {
  name: text('prices'),
  file: text('/etc/crawlway/prices.mjs', 'Path of the plug-in module on the server.'),
  state: oneOf(
    ['starting', 'ready', 'failed'],
    '`failed`: the plug-in cannot be loaded, or its process keeps exiting; it is retried, immediately if its file changes.',
  ),
  version: text('0.1.0', 'Version, as stated by the plug-in.').optional(),
  hooks: list(oneOf(PLUGIN_HOOKS), 'Functions that the plug-in has.'),
  calls: listOf(pluginCallsSchema),
  restarts: integer(0, 'Number of times that the plug-in process ended or had to be stopped.'),
  memory: integer(83_886_080, 'Memory used by the plug-in process in bytes; 0 if the system does not report it.'),
  lastError: one(pluginErrorSchema).optional(),
});

@Controller(`${API}/plugins`)
export class PluginsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listPlugins',
    summary: 'Configured plug-ins',
    description: 'State, activity and last error of each plug-in on this server.',
    role: 'read',
  })
  @PageResponse(pluginSchema)
  list(): Page<Answer<typeof pluginSchema>> {
    return { items: this.engine.listPlugins().map(pluginSchema.from), next: null };
  }
}
