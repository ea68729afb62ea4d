import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { LoginView } from '../../engine/crawl/logins/logins.js';
import type { EngineApi } from '../../engine/engine-api.js';
import type { LoginStepReport } from '../../engine/ports/login-method.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { Operation } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { type Answer, integer, listOf, oneOf, schema, text, time, timeAhead } from '../http/schema.js';
import { API, ENGINE } from '../tokens.js';

const loginStepSchema = schema<LoginStepReport>()('LoginStep', {
  what: text('requested a token', 'What was done in this step.'),
  url: text(
    'https://www.example.com/docs/start.html',
    'URL to which the request was sent, without its query.',
  ).optional(),
  status: integer(200, 'HTTP status of the response.').optional(),
  detail: text(
    'a token that is valid for an hour',
    'What the response contained, or what was missing. Never contains a secret.',
  ).optional(),
});

const loginSchema = schema<LoginView>()('Login', {
  name: text('intranet'),
  type: text('form', 'How the login works: `form`, `basic` or another type described in docs/logins.md.'),
  url: text('https://www.example.com/', 'Prefix of the URLs for which the login is used.', { format: 'uri' }),
  fetcher: text('default', 'Fetcher to which the login belongs.'),
  state: oneOf(
    ['unused', 'logged-in', 'failing', 'stopped'],
    '`stopped`: refused, or its sessions do not last, and not retried until someone tests it or its secret changes.',
  ),
  failure: oneOf(
    ['refused', 'locked', 'changed', 'unreachable', 'repeated'],
    '`refused`: the user or the secret is wrong; `locked`: the account is locked; `changed`: the site does not behave as the configuration expects; `unreachable`: there was no meaningful response; `repeated`: the login works, but the site ends its sessions again and again.',
  ).optional(),
  detail: text('the page after the login still shows the form', 'The last failure, in words.').optional(),
  refused: integer(2, 'Consecutive refused attempts; three stop the login.'),
  lastSuccessAt: time().optional().from('lastSuccess'),
  lastAttemptAt: time().optional().from('lastAttempt'),
  nextAttemptAt: timeAhead().optional().from('nextAttempt'),
  logins: integer(3, 'Successful logins since the server started.'),
  lastSessionEndAt: time().optional().from('lastSessionEnd'),
  lastSessionEndUrl: text(
    'https://www.example.com/leave',
    'Page that probably ended the session: the last one that was read before.',
  ).optional(),
  steps: listOf(loginStepSchema, 'Steps of the last attempt.'),
});

type LoginAnswer = Answer<typeof loginSchema>;

@Controller(`${API}/logins`)
export class LoginsController {
  constructor(@Inject(ENGINE) private readonly engine: EngineApi) {}

  @Get()
  @Operation({
    id: 'listLogins',
    summary: 'Logins to web sites',
    description: 'State of each configured login, and the steps of its last attempt.',
    role: 'read',
  })
  @PageResponse(loginSchema)
  async list(): Promise<Page<LoginAnswer>> {
    return { items: (await this.engine.logins.listAll()).map(loginSchema.from), next: null };
  }

  @Post(':login/test')
  @Operation({
    id: 'testLogin',
    summary: 'Log in now',
    description:
      'Tries the login at once, regardless of earlier attempts, and shows each step without secrets. If the attempt succeeds, a stopped login is used again.',
    role: 'operate',
    problems: {
      404: 'There is no login with that name.',
      422: 'The server that crawls the host did not answer.',
    },
  })
  @ApiOkResponse({ schema: loginSchema.ref })
  async test(@Param('login') login: string, @Audited() note: ChangeNote): Promise<LoginAnswer> {
    const before = (await this.engine.logins.listAll()).find(({ name }) => name === login);
    const view = await this.engine.logins.test(login);
    note.recordChange({ state: before?.state }, { state: view.state });
    return loginSchema.from(view);
  }
}
