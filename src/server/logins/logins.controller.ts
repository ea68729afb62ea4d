import { Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { Operation } from '../http/operation.js';
import { PageResponse } from '../http/page-response.js';
import type { Page } from '../http/paging.js';
import { API, ENGINE } from '../tokens.js';
import { LoginDto, toLoginDto } from './login.dto.js';

@ApiTags('Logins')
@Controller(`${API}/logins`)
export class LoginsController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(ConfigurationService) private readonly configuration: ConfigurationService,
  ) {}

  @Get()
  @Operation({
    id: 'listLogins',
    summary: 'Logins to web sites',
    description: 'State of each configured login on this server, and the steps of its last attempt.',
    role: 'read',
  })
  @PageResponse(LoginDto)
  list(): Page<LoginDto> {
    return { items: this.engine.logins.list().map(toLoginDto), next: null };
  }

  @Post(':login/test')
  @HttpCode(200)
  @Operation({
    id: 'testLogin',
    summary: 'Log in now',
    description:
      'Tries the login at once, regardless of earlier attempts, and shows each step without secrets. If the attempt succeeds, a stopped login is used again.',
    role: 'operate',
    problems: { 404: 'There is no login with that name.' },
  })
  @ApiOkResponse({ type: LoginDto })
  async test(@Param('login') login: string, @Audited() note: ChangeNote): Promise<LoginDto> {
    const before = this.engine.logins.list().find(({ name }) => name === login);
    // Rereads external secrets now instead of waiting for the next scheduled check.
    await this.configuration.renewSecrets();
    const view = await this.engine.logins.test(login);
    note.recordChange({ state: before?.state }, { state: view.state });
    return toLoginDto(view);
  }
}
