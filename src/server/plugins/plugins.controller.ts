import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { EngineApi } from '../../engine/engine-api.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { API, ENGINE } from '../tokens.js';
import { PluginDto, toPluginDto } from './plugin.dto.js';

@ApiTags('Plug-ins')
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
  @PageResponse(PluginDto)
  list(): Page<PluginDto> {
    return { items: this.engine.listPlugins().map(toPluginDto), next: null };
  }
}
